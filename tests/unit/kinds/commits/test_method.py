"""Commits for the engine: what makes them durable, and to which log."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import BlockTarget, FilesTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.commits.method import CommitsMethod
from tests.unit.kinds.commits.studies import workload

PLACE = FilesTarget(directory="/mnt", prefix="f", count=1, file_size_bytes=16 << 20)


def loads(lines: str) -> list[LoadJob]:
    method = CommitsMethod(workload(lines))
    return [method.load_job(cell, PLACE, 7) for cell in method.workload.cells()]


def test_each_sync_reaches_the_engine() -> None:
    every = '"fdatasync", "fsync", "open_datasync", "rwf_dsync", "sync_file_range"'
    found = [load.sync.kind for load in loads(f"syncs = [{every}]")]
    assert found == ["fdatasync", "fsync", "dsync", "rwf_dsync", "sync_file_range"]


def test_commits_that_share_a_sync_have_one_after_so_many() -> None:
    alone, shared = loads("together = [1, 8]")
    assert (alone.sync.every, shared.sync.every) == (1, 8)


def test_a_log_that_grows_is_filled_once_and_has_no_warm_up() -> None:
    over, grown, given = loads('logs = ["overwrite", "append", "preallocated"]')
    assert (over.extend, over.passes, over.warm_up_ns > 0) == (False, None, True)
    assert (grown.extend, grown.preallocate, grown.passes, grown.warm_up_ns) == (True, False, 1, 0)
    assert (given.extend, given.preallocate) == (True, True)


def test_a_log_that_grows_is_written_once_and_a_pace_its_commits() -> None:
    """A plan said that 273 runs of a log of 20 MiB write 542 GiB."""
    grown = CommitsMethod(workload('logs = ["append"]'))
    assert grown.written_bytes(grown.workload.cells()[0], 16 << 20) == 16 << 20
    paced = CommitsMethod(workload('rate = "100 IOPS"\nwarm_up = "0 s"'))
    assert paced.written_bytes(paced.workload.cells()[0], 16 << 20) == 100 * 3 * 8192


def test_committers_take_blocks_of_one_log_in_turn() -> None:
    (load,) = loads('committers = [4]\nreaders = 2\nmeanwhile = ["log"]')
    assert (load.jobs, load.queue_depth, load.ranges.kind, load.read_percent) == (
        4,
        1,
        "interleaved",
        0,
    )
    assert [(each.role, each.count) for each in load.companions] == [("reader", 2), ("log", 1)]


def test_a_log_holds_a_commit_of_each() -> None:
    method = CommitsMethod(workload("committers = [4]"))
    method.require_room(32 << 10, "")
    with pytest.raises(InputError, match="32 KiB"):
        method.require_room((32 << 10) - 1, "")


@pytest.mark.parametrize(
    ("lines", "needed_bytes", "words"),
    [
        ('logs = ["append"]\ntogether = [1, 100]\ncommitters = [2]', 1600 << 10, "100 commits of"),
        ("together = [1, 100]\ncommitters = [2]", 16 << 10, "a commit of each"),
        ('sizes = ["512 B"]\nreaders = 1', 8 << 10, "a reader reads 8 KiB"),
        ('meanwhile = ["backup"]', 8 << 10, "a commit of each"),
    ],
)
def test_a_log_that_is_filled_once_holds_a_sync_and_each_a_read(
    lines: str, needed_bytes: int, words: str
) -> None:
    method = CommitsMethod(workload(lines))
    method.require_room(needed_bytes, "")
    with pytest.raises(InputError, match=words) as refused:
        method.require_room(needed_bytes - 1, "")
    assert ("meanwhile" in refused.value.next) is ("meanwhile" in lines)


def test_a_pace_is_of_commits() -> None:
    (load,) = loads('rate = "200 IOPS"\narrival = "constant"')
    assert load.rate is not None
    assert (load.rate.operations_per_second, load.rate.arrival) == (200, "constant")


def test_what_is_written_meanwhile_is_a_companion_of_its_cell_alone() -> None:
    found = loads('meanwhile = ["nothing", "log", "checkpoint", "backup"]')
    assert [[(e.role, e.block_size_bytes) for e in load.companions] for load in found] == [
        [],
        [("log", 16 << 10)],
        [("checkpoint", 8 << 10)],
        [("log", 1 << 20)],
    ]
    method = CommitsMethod(workload('meanwhile = ["nothing", "checkpoint"]'))
    assert method.reserve_bytes == 64 << 20
    assert CommitsMethod(workload()).reserve_bytes == 0


def test_a_bare_device_is_filled_past_the_page_cache() -> None:
    """A golden comparison found that it no longer was, after the layouts of kinds were joined."""
    method = CommitsMethod(workload("direct = false"))
    on_device = method.layout_job(BlockTarget(path="/dev/loop0", size_bytes=16 << 20), 7)
    in_file = method.layout_job(PLACE, 7)
    assert on_device is not None and on_device.direct
    assert in_file is not None and not in_file.direct
