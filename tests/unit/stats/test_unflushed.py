"""Systems that answered fsync without a flush, by counters below the virtual machine."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.record.parts import Traffic
from fsgauge.record.records import RunRecord
from fsgauge.stats.unflushed import OPTION, unflushed
from tests.unit.stats.one_run import one_run


def runs(flushes: Mapping[str, list[int | None]]) -> list[RunRecord]:
    made = []
    for system, counts in flushes.items():
        for number in counts:
            parts = {"write": 9} | ({} if number is None else {"flush": number})
            counted = Traffic(name="disk_requests", title="", unit="", parts=parts)
            made.append(one_run().model_copy(update={"system": system, "traffic": [counted]}))
    return made


def named(flushes: Mapping[str, list[int | None]], *, synced: bool | None = True) -> list[str]:
    found = unflushed(list(flushes), runs(flushes), lambda _: synced)
    assert all(each.option == OPTION for each in found)
    return [each.system for each in found]


def test_who_never_flushed_where_another_did_is_named() -> None:
    """OCFS2 was "better" than ext3 at writing: without barrier=1 it never flushed its disk."""
    found = unflushed(["ext3", "ocfs2"], runs({"ext3": [2, 4], "ocfs2": [0, 0, 0]}), lambda _: True)
    (weak,) = found
    assert weak.system == "ocfs2"
    assert weak.source == (
        "flushes counted below the virtual machines: none in 3 synced runs, 6 in 2 of ext3"
    )


def test_one_flush_is_enough_and_so_is_a_study_in_which_no_one_flushes() -> None:
    assert named({"ext3": [2], "gfs2": [0, 1]}) == []
    assert named({"ext3": [0], "gfs2": [0]}) == []


def test_nothing_is_said_of_runs_that_were_not_synced_or_not_counted() -> None:
    assert named({"ext3": [2], "ocfs2": [0]}, synced=False) == []
    assert named({"ext3": [2], "ocfs2": [None]}) == []
