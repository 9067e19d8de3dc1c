"""A group that the others leave nothing is a finding; the headline is in what the study names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fsgauge.engine import wire
from fsgauge.kinds.mix.analysis import never_steady, refusals, starves
from fsgauge.kinds.mix.method import MixMethod
from fsgauge.record.records import RunRecord
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import Comparison, Measurement
from fsgauge.workload.folders import ClientFolders
from tests.unit.kinds.mix.studies import LOG, READERS, workload

MEASURED = {
    "iops": {"ext4": 3209.6, "xfs": 3884.0},
    "bandwidth": {"ext4": 26_214_400.0, "xfs": 31_457_280.0},
    "sync.p99": {"ext4": 6_100_000.0, "xfs": 5_200_000.0},
    "write.p99": {"ext4": 31_000.0, "xfs": 37_500.0},
}
EARLIER = "sync_every = 8\n"
"""Not each write is a commit."""


def result(done: int, dropped: int) -> wire.LoadResult:
    side = wire.OperationResult.model_construct(operations=done, backlog_dropped=dropped, refused=0)
    return wire.LoadResult.model_construct(read=side, write=None)


def test_a_group_starves_that_does_nothing_or_less_than_half() -> None:
    assert starves(result(0, 0)) == "it did nothing in the measured time"
    assert starves(result(4, 6)) == "it did 4 of 10 operations that were due"
    assert "1,400 of 10,000 operations" in starves(result(1400, 8600))
    assert starves(result(5, 5)) == ""
    assert starves(result(100, 0)) == ""


def run(system: str, job: wire.LoadJob | None = None, **result: Any) -> RunRecord:
    nothing = {"read": None, "write": None, "sync": None, "file_operations": []}
    measured = wire.LoadResult.model_construct(**{**nothing, **result})
    cell = next(iter(workload(LOG).cells()))
    return cast(
        "RunRecord",
        SimpleNamespace(system=system, cell=cell, block=0, load=job, result=measured),
    )


def load_of(lines: str) -> wire.LoadJob:
    method = MixMethod(workload(lines + LOG))
    place = ClientFolders(directory="/mnt", files_per_client=0, backup_files_per_client=0)
    return method.load_job(next(iter(method.workload.cells())), place, 7)


def refused(no_space: int, done: int) -> wire.OperationResult:
    return wire.OperationResult.model_construct(
        operations=done, refused=no_space, backlog_dropped=0
    )


def test_what_a_full_file_system_refused_is_told_by_operation() -> None:
    create, stat = (
        wire.FileOperationResult.model_construct(operation=name, operations=90, refused=count)
        for name, count in (("create", 10), ("stat", 0))
    )
    sync = wire.SyncResult.model_construct(calls=3, refused=1)
    runs = [
        run("ext4", file_operations=[create, stat], write=refused(10, 90)),
        run("ext4", file_operations=[create]),
        run("xfs", write=refused(0, 5)),
        run("xfs", write=refused(1, 1994), sync=sync),
    ]
    assert list(refusals(runs)) == [
        "ext4, log: 20 of 200 create (10 %)",
        "xfs, log: 1 of 2,000 write (0.05 %)",
        "xfs, log: 1 of 4 sync (25 %)",
    ]
    assert starves(wire.LoadResult.model_construct(read=None, write=refused(7, 0))) == (
        "it did nothing in the measured time but find no space"
    )


def test_a_warm_up_that_took_all_its_time_was_never_steady() -> None:
    job = load_of('steady_window = "1 s"\nwarm_up = "9 s"\n')
    took_ns = (8_999_999_999, 9_000_000_000)
    assert [never_steady(run("ext4", job, warm_up_ns=each)) for each in took_ns] == [False, True]
    plain = load_of('warm_up = "9 s"\n')
    assert not never_steady(run("ext4", plain, warm_up_ns=9_000_000_000))


def question(primary: str, *, verdict: str = "better") -> Question:
    """The log of a mix on two systems, of which the second has 1.21 of the first's number."""
    mix = workload(f'primary = "{primary}"\n{READERS}{LOG}{EARLIER}')
    cell = next(each for each in mix.cells() if each.id in mix.default_primary())
    metric = str(cell.factors["judged_by"])
    said = {"cell": cell.id, "system": "xfs", "metric": metric, "verdict": verdict}
    numbers = {"ratio": 1.21, "n": 8, "detectable_percent": 12.0, "margin_percent": 5.0}
    edges = {"low": 1.15, "high": 1.28, "pick_low": 1.15, "pick_high": 1.28}
    entry = Comparison.model_construct(**said, **numbers, **edges)
    return Question(
        baseline="ext4",
        baseline_is_raw=False,
        others=["xfs"],
        cells=mix.cells(),
        primary=[cell],
        metrics={cell.id: metric},
        comparisons=[entry],
        noise=None,
        blocks_complete=8,
        few_operations="",
        next_step="",
        invalid_reason="",
        margin_percent=5.0,
        own=None,
        measurements=[
            Measurement(cell="log", system=at, metric=name, value=value, low=None, high=None, n=8)
            for name, values in MEASURED.items()
            for at, value in values.items()
        ],
        commits={},
    )


@pytest.mark.parametrize(
    ("primary", "said"),
    [
        (
            "commits of log",
            "Commits of log: 3,210/s on ext4 (sync p99 6.1 ms), 3,880/s on xfs"
            " (1.21 times, 1.15 to 1.28).",
        ),
        (
            "bandwidth of log",
            "Bandwidth of log: 25 MiB/s on ext4 (sync p99 6.1 ms), 30 MiB/s on xfs"
            " (1.21 times, 1.15 to 1.28).",
        ),
        (
            "write p99 of log",
            "Write p99 of log: 31 us on ext4, 37.5 us on xfs (1.21 times, 1.15 to 1.28).",
        ),
    ],
)
def test_the_headline_is_in_what_is_compared(primary: str, said: str) -> None:
    asked = question(primary)
    assert comparing_sentences(asked, asked.primary)[0] == said


def test_what_is_not_decided_has_its_number_all_the_same() -> None:
    asked = question("commits of log", verdict="undecided")
    said = " ".join(comparing_sentences(asked, asked.primary))
    assert said.startswith(
        "Commits of log: 3,210/s on ext4 (sync p99 6.1 ms); xfs: no difference above 28 %."
    )
    assert "1.21" not in said
