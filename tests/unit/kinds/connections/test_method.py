"""Connections carried out: the engine's jobs, what they take, and what is said beforehand."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.plan.turns import job_for, make_plan, with_seed
from fsgauge.record.records import Cell
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import ClientFolders

GIB = 1 << 30
PLACE = ClientFolders(directory="/mnt", files_per_client=6, backup_files_per_client=2)


def cell(workload: ConnectionsWorkload, test: str) -> Cell:
    return next(each for each in cells_of(workload) if each.id == test)


def job(test: str, **keys: Any) -> wire.ClientsJob:
    workload = ConnectionsWorkload(**keys)
    found = method_of(workload).load_job(cell(workload, test), PLACE, seed=7)
    assert isinstance(found, wire.ClientsJob)
    return found


def test_writers_and_readers_have_one_file_set() -> None:
    write, read = job("write"), job("read")
    assert write.target == read.target == wire.PathTarget(directory="/mnt/files")
    assert write.files == read.files
    assert (write.files.clients, write.files.files_per_client) == (590, 6)
    assert (write.phase.kind, read.phase.kind) == ("write", "read")
    assert write.phase.create == "then_open"  # type: ignore[union-attr]
    assert (write.verify, read.verify) == (False, True)


def test_the_backup_is_of_its_own_set_and_has_one_reader() -> None:
    fill, backup = job("backup-fill"), job("backup-directory", ramp=10, think=10, outstanding=4)
    assert fill.target == backup.target == wire.PathTarget(directory="/mnt/backup")
    assert fill.files.sizes == wire.CycleSizes(sizes_bytes=[1 << 20])
    assert fill.files.files_per_client == 2
    assert (fill.clients, backup.clients, backup.files.clients) == (590, 1, 590)
    assert (backup.ramp_ns, backup.think, backup.outstanding, backup.threads) == (0, None, 1, None)
    assert backup.phase.block_size_bytes == 1 << 20  # type: ignore[union-attr]


def test_what_clients_wrote_over_smb_is_backed_up_over_the_path() -> None:
    share = wire.SmbTarget(host="127.0.0.1", port=445, share="s", user="u", directory="")
    place = PLACE.model_copy(update={"share": share})
    for access, reads in (("path", "path"), ("clients", "smb")):
        workload = ConnectionsWorkload.model_validate({"backup_access": access})
        method = method_of(workload)
        fill, backup = (
            method.load_job(cell(workload, test), place, seed=7)
            for test in ("backup-fill", "backup-directory")
        )
        assert (fill.target.kind, backup.target.kind) == ("smb", reads)
    study = load_study("connections-as-published")
    assert study.access.server == "samba" and study.workload.backup_access == "path"
    asked = ["access.server=samba", "workload.backup_access=path"]
    over = load_study("connections", [*asked, 'workload.backup_orders=["inode"]'])
    lines = method_of(over.workload).held_equal("", False)
    assert "backup: written as clients write, read over the path, next to the server" in lines


def test_every_key_reaches_the_engine() -> None:
    asked = job(
        "mix",
        tests=["write", "mix"],
        mix={"save": 2, "list": 1},
        mix_duration=5_000_000_000,
        outstanding=3,
        threads=2,
        interface="io_uring",
        ramp=1_000_000_000,
        think=2_000_000,
        think_spread="constant",
        tree="shared",
        depth=2,
        fan_out=5,
        fsync=True,
        data="zero",
        verify=False,
        create="and write",
        record_size=16384,
        size_weights=[2, 1],
        file_sizes=[4096, 8192],
    )
    assert [(each.activity, each.weight) for each in asked.phase.activities] == [  # type: ignore[union-attr]
        ("save", 2),
        ("list", 1),
    ]
    assert asked.time_limit_ns == 5_000_000_000
    assert (asked.outstanding, asked.threads, asked.interface) == (3, 2, "io_uring")
    assert asked.think is not None
    assert (asked.ramp_ns, asked.think.mean_ns, asked.think.spread) == (
        10**9,
        2 * 10**6,
        "constant",
    )
    assert asked.files.tree == wire.SharedTree(depth=2, fan_out=5)
    assert (asked.fsync, asked.data.kind, asked.verify) == (True, "zero", False)
    assert asked.files.record_size_bytes == 16384
    assert asked.files.sizes.kind == "weighted"
    drawn = job("write", size_distribution="log-normal").files.sizes
    assert drawn.kind == "lognormal"
    threads = job("write", dispatch="threads")
    assert (threads.dispatch, threads.threads, threads.interface) == ("threads", None, "auto")


def test_intervals_are_never_more_than_a_page_can_draw() -> None:
    assert job("write").interval_ns == 100_000_000
    long = job("write", time_limit=24 * 3600 * 10**9)
    assert long.time_limit_ns / long.interval_ns <= 6000


def test_a_seed_belongs_to_a_file_set_and_a_block() -> None:
    study = with_seed(load_study("connections"), 7)
    plan = make_plan(study, size_bytes=4 * GIB)
    turns = {turn.block: turn for turn in plan.turns}

    def seed(block: int, test: str) -> int:
        found = next(each for each in plan.cells if each.id == test)
        return job_for(study, plan, turns[block], found, PLACE).seed

    assert seed(0, "write") == seed(0, "read") != seed(1, "write")
    assert seed(0, "backup-fill") == seed(0, "backup-directory") != seed(0, "write")


def test_all_turns_have_the_tests_in_their_order() -> None:
    plan = make_plan(with_seed(load_study("connections"), 7), size_bytes=4 * GIB)
    orders = {tuple(turn.cells) for turn in plan.turns}
    assert orders == {("write", "read", "backup-fill", "backup-directory")}


def test_what_a_plan_says_follows_from_the_files() -> None:
    workload = ConnectionsWorkload(clients=10, files_per_connection=10, file_sizes=[1 << 20])
    method = method_of(workload).in_room(Room(GIB, ""))
    written = method.written_bytes(cell(workload, "write"), 0)
    assert 100 << 20 <= written < 102 << 20
    assert method.written_bytes(cell(workload, "read"), 0) == 0
    assert method.run_seconds(cell(workload, "write"), 0) > 0.1
    words = "\n".join(method.held_equal("", False))
    assert "files: 100, 10 of each client, 100 MiB; 200 to back up, 20 of each client" in words
    assert "until every client is done, at most 10 min" in words


def test_rests_and_limits_are_in_the_time() -> None:
    plain = {"clients": 10, "files_per_connection": 10, "file_sizes": [4096], "tests": ["write"]}
    resting = ConnectionsWorkload(**plain, think=10**9)
    room = Room(GIB, "")
    seconds = method_of(resting).in_room(room).run_seconds(cell(resting, "write"), 0)
    assert 10 < seconds < 11
    large = plain | {"file_sizes": [100 << 20]}
    limited = ConnectionsWorkload(**large, time_limit=2 * 10**9)
    limited_in_room = method_of(limited).in_room(Room(100 * GIB, ""))
    assert 2 <= limited_in_room.run_seconds(cell(limited, "write"), 0) < 3


def test_rests_that_the_time_limit_would_end_are_refused() -> None:
    """Every run was cut, and the report said so after hours."""
    plain: dict[str, Any] = {"clients": 4, "think": 10**9, "time_limit": 8 * 10**9}
    resting = ConnectionsWorkload(**plain, tests=["write"], files_per_connection=10)
    with pytest.raises(InputError, match="a client's 10 files take 9 s or more") as refused:
        method_of(resting).in_room(Room(GIB, ""))
    assert refused.value.next.startswith("--set workload.time_limit=18s, a shorter")
    method_of(resting).in_room(Room(GIB, "", in_model=True))
    for change in ({"time_limit": 18 * 10**9}, {"outstanding": 2}, {"think": 10**8}):
        method_of(resting.model_copy(update=change)).in_room(Room(GIB, ""))
    backup = ConnectionsWorkload(**plain, tests=["backup"], backup_files_per_connection=10)
    with pytest.raises(InputError, match="10 files take 9 s"):
        method_of(backup).in_room(Room(GIB, ""))
    shared_out = {"clients": [2, 10], "tests": ["write"], "fill": 1, "file_sizes": [1 << 20]}
    fewest = ConnectionsWorkload(**plain | shared_out | {"time_limit": 3 * 10**9})
    with pytest.raises(InputError, match="5 files take 4 s"):
        method_of(fewest).in_room(Room(GIB, ""))


def test_unsynced_writes_are_remarked_on() -> None:
    assert "does not sync" in method_of(ConnectionsWorkload()).notes()[0]
    assert method_of(ConnectionsWorkload(fsync=True)).notes() == []


def test_descriptors_are_counted() -> None:
    method = method_of(ConnectionsWorkload(clients=1000, outstanding=2))
    method.require_descriptors(2256)
    with pytest.raises(InputError) as refusal:
        method.require_descriptors(2255)
    assert "--set workload.clients=999" in refusal.value.next
    with pytest.raises(InputError, match="may open: 100"):
        method.require_descriptors(100)


def test_clients_have_no_plain_target() -> None:
    workload = ConnectionsWorkload()
    target = wire.FilesTarget(directory="/mnt", count=1, file_size_bytes=1)
    with pytest.raises(TypeError):
        method_of(workload).load_job(cell(workload, "write"), target, seed=7)
    assert method_of(workload).layout_job(PLACE, 7) is None
