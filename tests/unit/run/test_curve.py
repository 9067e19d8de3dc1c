"""A load curve measured, cut short and resumed: its rates come of the records alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsgauge.engine.client import OnEvent
from fsgauge.engine.wire import FilesTarget, LoadJob, LoadResult
from fsgauge.errors import RigError
from fsgauge.progress import Progress
from fsgauge.report.write import read_report
from fsgauge.run import Outcome, left_of, resume_study, run_study
from fsgauge.stats.curve.model import CurveResults
from fsgauge.store import read_results
from tests.laboratory import NoDiskEngine, NoDiskRig, small_study
from tests.synthetic_curve import Queue, served

SLOWER, FASTER = Queue(50_000.0), Queue(60_000.0)
STUDY = small_study(
    3,
    "false",
    "plan.mode=curve",
    "plan.latency_limit=5 ms",
    'workload.patterns=["randread"]',
    "workload.queue_depths=[32]",
    'workload.block_sizes=["4 KiB"]',
    "workload.duration=1s",
    "workload.warm_up=0s",
)


class QueueEngine(NoDiskEngine):
    """Queues that are known, until `most` loads were made."""

    def __init__(self, most: int = 1_000) -> None:
        super().__init__(0)
        self.left = most

    def load(self, job: Any, on_event: OnEvent | None = None) -> LoadResult:
        if self.left == 0:
            raise RigError("the machine stood still")
        self.left -= 1
        assert isinstance(job, LoadJob)
        assert isinstance(job.target, FilesTarget)
        return served(job, FASTER if job.target.directory == "/two" else SLOWER, 1.0, 1.0)


def measure(results: Path, most: int = 1_000) -> Outcome:
    return run_study(
        STUDY,
        rig=NoDiskRig(QueueEngine(most)),
        results=results,
        destroy=None,
        command=["fsgauge", "run", "demo-user"],
        progress=Progress(),
    )


def rates(directory: Path) -> dict[tuple[int, str], float]:
    return {
        (run.block, run.cell.id): run.cell.pace.rate
        for run in read_results(directory).runs
        if run.cell.pace
    }


def test_a_study_that_was_cut_short_goes_on_at_the_same_rates(tmp_path: Path) -> None:
    whole, cut = measure(tmp_path / "whole"), measure(tmp_path / "cut", most=80)
    assert whole.ended_by is None and cut.ended_by is not None
    left = left_of(cut.directory)
    assert left is not None and {turn.block for turn in left.turns} == {2, 3}
    finished = resume_study(
        cut.directory,
        rig=lambda _: NoDiskRig(QueueEngine()),
        destroy=None,
        progress=Progress(),
    )
    assert finished is not None and finished.ended_by is None
    assert rates(cut.directory) == rates(whole.directory)
    assert left_of(cut.directory) is None


def test_what_was_measured_is_read_as_a_curve(tmp_path: Path) -> None:
    results = read_report(measure(tmp_path / "whole").directory).results
    found = CurveResults.of(results)
    assert found is not None
    assert {each.state for each in found.capacities} == {"measured"}
    two = results.comparison(results.primary_cells[0], "two", "iops")
    assert two is not None and two.verdict == "better"
    assert abs(two.ratio - FASTER.limit() / SLOWER.limit()) < 0.03
