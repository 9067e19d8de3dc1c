"""Whether the rate of a run was steady while it was measured.

A run in one go is judged by the engine, over all of it. One that was cut into slices is judged in
each slice: slices of a run are seconds apart, and what the disk did meanwhile it did to the
partners beside them too, so it is in no ratio.
"""

from __future__ import annotations

import numpy as np

from fsgauge.engine.wire import ClientsJob, LoadResult, Steady
from fsgauge.record.preconditioning import ROUNDS, Window, last_window
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals


def steadiness(result: LoadResult) -> Window | None:
    """Range and slope of five rounds; None if too short. The measured window is cut into five
    rounds of equal numbers of intervals."""
    intervals = Intervals.of(result.intervals)
    measured = np.flatnonzero(intervals.column("warm_up") == 0)
    size = len(measured) // ROUNDS
    if size == 0:
        return None
    rounds = np.split(measured[len(measured) - size * ROUNDS :], ROUNDS)
    done, elapsed_ns = intervals.done, intervals.column("elapsed_ns")
    counted = [(int(done[each].sum()), int(elapsed_ns[each].sum())) for each in rounds]
    return last_window([1e9 * count / took_ns if took_ns else 0.0 for count, took_ns in counted])


def steady(result: LoadResult) -> Steady:
    """The engine's verdict; for records of engines that gave none, from the rounds alone."""
    if result.steady is not None:
        return result.steady
    found = steadiness(result)
    if found is None:
        return Steady(judged=False, reached=False, rounds=ROUNDS)
    shares = 100 * found.range_share, 100 * found.slope_share
    reason = f"rounds range over {shares[0]:.0f} %, trend {shares[1]:.0f} % of the mean"
    return Steady(
        judged=True,
        reached=found.is_steady,
        rounds=ROUNDS,
        range_share=found.range_share,
        slope_share=found.slope_share,
        reason=None if found.is_steady else reason,
    )


def steady_of(run: RunRecord, result: LoadResult) -> Steady:
    """The verdict on a run. One that is bound by its work has none: all of it counts, from the
    first operation to the last, and its rate falls when the first writer or client is done."""
    if is_bound_by_work(run):
        return Steady(judged=False, reached=False, rounds=ROUNDS, reason="bound by its work")
    if any(len(part.slices) > 1 for part in run.parts):
        return _of_slices([each.result for part in run.parts for each in part.slices])
    return steady(result)


def _of_slices(slices: list[LoadResult]) -> Steady:
    """Steady where most slices that could be judged are. A slice of stationary noise is called
    unsteady in at most 5 of 100 cases, so most of several hardly ever are."""
    verdicts = [steady(each) for each in slices]
    judged = [verdict for verdict in verdicts if verdict.judged]
    moved = [verdict for verdict in judged if not verdict.reached]
    reached = bool(judged) and 2 * len(moved) <= len(judged)
    worst = max(judged, key=lambda verdict: verdict.range_share or 0, default=None)
    reason = None if judged else "its slices are too short"
    if moved:
        reason = moved[0].reason
    if moved and len(judged) > 1:
        reason = f"in {len(moved)} of {len(judged)} slices; in one, {reason}"
    return Steady(
        judged=bool(judged),
        reached=reached,
        rounds=ROUNDS,
        range_share=worst.range_share if worst else None,
        slope_share=worst.slope_share if worst else None,
        reason=None if reached else reason,
    )


def is_bound_by_work(run: RunRecord) -> bool:
    """Whether the run ends when all is done: by passes, or by clients with files of their own."""
    if run.load is not None:
        return run.load.passes is not None
    return not isinstance(run.job, ClientsJob) or run.job.phase.kind != "mix"


def not_steady(run: RunRecord, result: LoadResult) -> str | None:
    """The rate was still moving while it was measured, or changed for good."""
    verdict = steady_of(run, result)
    if verdict.reached or not verdict.judged:
        return None
    return verdict.reason or "no reason was given"
