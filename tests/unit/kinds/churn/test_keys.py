"""The kind `churn` as a person writes it: what is refused, where, and the way out."""

import pytest

from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.study.dump import dump_study
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.workload import cells_of, default_primary
from tests.unit.kinds.reading import reading

STUDY = """\
format = 1
question = "What do years of creating and deleting cost?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "churn"
"""


read, mistake = reading(STUDY)


def test_the_defaults_are_those_of_the_question():
    workload = read()
    assert isinstance(workload, ChurnWorkload)
    assert (workload.fills, workload.tests) == ([50, 80, 95], ["read", "write"])
    assert (workload.storage_age, workload.mode, workload.fsync) == (3.0, "write", True)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['mode = "fast"'], ["holds no data", "unwritten", 'tests = ["write"]']),
        (['mode = "fsat"'], ['did you mean "fast"?']),
        (
            ['written_in_turns = "1 MiB"', 'rewrite_percent = "5 %"'],
            ["a file that is rewritten is written whole", "one of both"],
        ),
        (['written_in_turns = "1 KiB"'], ["written_in_turns", "at least 4 KiB"]),
        (['fills = ["99 %"]'], ["fills", "at most 98"]),
        (['fills = ["0 %"]'], ["fills", "at least 1"]),
        (["fills = [50]"], ["fills", '"50 %"']),
        (['fills = ["50 %", "50 %"]'], ["given twice"]),
        (["storage_age = 0.5"], ["storage_age must be at least 1"]),
        (['record_size = "2 MiB"'], ["larger than a new file of 1 MiB"]),
        (["lifetime_sigma = 21.0"], ["lifetime_sigma must be at most 20"]),
        (
            ["clients = 64", 'record_size = "64 MiB"', 'new_file_size = "64 MiB"'],
            ["the records of all clients would take 4 GiB of memory", "fewer clients"],
        ),
        (['largest_size = "4 KiB"'], ["below the median"]),
        (['tests = ["read"]', "clients = 2"], ["clients would be ignored: nothing is written"]),
        (
            ['tests = ["write"]', 'read_order = "inode"'],
            ["read_order would be ignored: nothing is read"],
        ),
        (
            ['tests = ["write"]', 'mode = "fast"', 'sync_after = "1 MiB"'],
            ["sync_after would be ignored"],
        ),
        (['tail_percent = "0 %"', "tail_alpha = 2.0"], ["tail_alpha would be ignored"]),
        (["clients = 0"], ["clients must be at least 1"]),
    ],
)
def test_what_cannot_be_is_refused_with_the_way_out(lines, words):
    said = mistake(*lines)
    assert all(word in said for word in words), said


def test_folders_are_taken_and_a_bare_device_is_refused():
    mounted = STUDY.replace('name = "ext4"', 'name = "home"\nkind = "mounted"').replace(
        'kind = "loop"', 'kind = "path"\npath = "/tmp"'
    )
    assert parse_study(mounted, "my.toml", "my").storage.kind == "path"
    assert "is a bare device" in mistake(study=STUDY.replace('"ext4"', '"raw"'))


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ['fills = ["80 %"]', "storage_age = 1.5", 'largest_size = "8 MiB"', 'tests = ["read"]'],
        ['mode = "fast"', 'tests = ["write"]', 'rewrite_percent = "30 %"'],
    ],
)
def test_round_trip(lines):
    study = parse_study(STUDY + "\n".join(lines) + "\n", "my.toml", "my")
    again = parse_study(dump_study(study), "study.toml", "my")
    assert again.workload == study.workload


def test_the_shipped_study_asks_for_three_file_systems():
    study = load_study("churn-full")
    assert study.systems == load_study("churn").systems
    assert [system.kind for system in study.systems] == ["ext4", "xfs", "btrfs"]
    assert study.workload == ChurnWorkload()
    assert study.systems[0].mkfs == "-m 0"


def test_each_level_has_aged_and_fresh_read_before_written():
    cells = cells_of(ChurnWorkload(fills=[50, 95]))
    assert [cell.id for cell in cells] == [
        "aged-50-read",
        "aged-50-write",
        "fresh-50-read",
        "fresh-50-write",
        "aged-95-read",
        "aged-95-write",
        "fresh-95-read",
        "fresh-95-write",
    ]
    assert cells[2].name == "read, fresh, 50 % full"
    read, write = map(ChurnFactors.of, cells[2:4])
    assert (read.wear, read.fill_percent) == ("fresh", 50)
    assert (read.side, read.order, read.clients, read.share_of_reads) == (
        *("read", "directory", 1, 100),
    )
    assert (write.side, write.order, write.clients, write.share_of_reads) == ("write", None, 4, 0)
    assert (read.record_size_bytes, write.record_size_bytes) == (1 << 20, 64 << 10)


def test_the_answer_is_about_all_of_them():
    workload = ChurnWorkload(tests=["write"])
    assert default_primary(workload) == [cell.id for cell in cells_of(workload)]
    assert {ChurnFactors.of(cell).side for cell in cells_of(workload)} == {"write"}
