"""How much of its wall time a study is under load; the rest is set-up, syncs, engine starts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from fsgauge.engine.wire import LoadJob
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.units import grouped


def load_ns(run: RunRecord) -> int:
    """Warm-up, measured time, and the syncs that count as the run's; 0 of a run that failed. Of
    several machines that of the first: they run at once."""
    if not run.parts:
        return 0
    slices = run.parts[0].slices
    warm_up_ns = sum(each.result.warm_up_ns for each in slices)
    if isinstance(run.job, LoadJob) and run.job.steady_window_ns is None:
        # a warm-up of its own, before slices that pay for their syncs
        warm_up_ns = max(warm_up_ns, run.job.warm_up_ns)
    return warm_up_ns + sum(each.result.elapsed_ns + (each.sync_ns or 0) for each in slices)


def end_unix_ns(run: RunRecord) -> int:
    if not run.parts:
        return run.started_unix_ns
    last = run.parts[0].slices[-1]
    took_ns = last.start_ns + last.result.warm_up_ns + last.result.elapsed_ns + (last.sync_ns or 0)
    return run.started_unix_ns + took_ns


def under_load_percent(turns: Sequence[TurnRecord], runs: Sequence[RunRecord]) -> float | None:
    """Percent of the time from the first system's making to the end of the last run; None without.
    A pause between two blocks that is longer than either is that of a study that was resumed."""
    begun = grouped((turn.block, turn.started_unix_ns) for turn in turns)
    ended = grouped((run.block, end_unix_ns(run)) for run in runs)
    spans = sorted((min(begun[block]), max(ended[block])) for block in begun.keys() & ended.keys())
    wall_ns = sum(end - begin for begin, end in spans)
    for (begin, end), (next_begin, next_end) in itertools.pairwise(spans):
        between_ns = next_begin - end
        wall_ns += between_ns if between_ns <= max(end - begin, next_end - next_begin) else 0
    return 100 * sum(map(load_ns, runs)) / wall_ns if wall_ns > 0 else None
