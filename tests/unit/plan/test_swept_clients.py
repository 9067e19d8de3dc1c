"""A sweep of clients: each number in a turn of its own, beside a server over the path too."""

from __future__ import annotations

from fsgauge.engine.wire import ClientsJob
from fsgauge.plan.turns import job_for, make_plan, with_seed
from fsgauge.study.parse import parse_study
from fsgauge.workload.folders import ClientFolders

STUDY = """\
format = 1
question = "What do clients cost?"

[storage]
kind = "loop"
size = "4 GiB"

[[system]]
name = "path"
kind = "ext4"

[[system]]
name = "smb"
kind = "ext4"
access = "samba"

[workload]
kind = "connections"
clients = [4, 16]
tests = ["write", "backup"]

[plan]
blocks = 4
"""
OF_FEW = ["write-c4", "backup-fill-c4", "backup-directory-c4"]
OF_MANY = ["write-c16", "backup-fill-c16", "backup-directory-c16"]


def test_every_turn_has_one_number_of_clients_and_pairs_of_blocks_both_orders() -> None:
    study = with_seed(parse_study(STUDY, "my.toml", "my"), 3)
    plan = make_plan(study, size_bytes=4 << 30)
    orders = []
    for block in range(4):
        turns = [turn for turn in plan.turns if turn.block == block]
        assert all(turn.cells in (OF_FEW, OF_MANY) for turn in turns)
        own = [turn for turn in turns if not turn.over_path]
        assert len(own) == 2 * 3
        beside = [turn for turn in turns if turn.over_path]
        assert {turn.system for turn in beside} == {"smb"}
        assert sorted(turn.cells for turn in beside) == sorted([OF_FEW, OF_MANY])
        orders.append(own[0].cells)
        assert [turn.cells for turn in own[::2]] == [own[0].cells] * 3
    assert sorted(orders[:2]) == sorted(orders[2:]) == sorted([OF_FEW, OF_MANY])


def test_writers_and_the_reader_of_one_number_agree_on_its_files() -> None:
    study = with_seed(parse_study(STUDY, "my.toml", "my"), 3)
    plan = make_plan(study, size_bytes=4 << 30)
    folders = ClientFolders(directory="/mnt", files_per_client=10, backup_files_per_client=3)
    jobs = {}
    for cell in plan.cells:
        job = job_for(study, plan, plan.turns[0], cell, folders)
        assert isinstance(job, ClientsJob)
        jobs[cell.id] = job
    few, many = jobs["backup-directory-c4"], jobs["backup-directory-c16"]
    assert few.files == jobs["backup-fill-c4"].files
    assert (few.clients, many.clients) == (1, 1)
    assert (few.files.clients, few.files.files_per_client) == (4, 12)
    assert (many.files.clients, many.files.files_per_client) == (16, 3)
    assert (jobs["write-c4"].clients, jobs["write-c4"].files.files_per_client) == (4, 40)
