"""What kept the engine itself from its work in a run, and what had no answer when the time was up.

A device that stalls is a result. An engine that was stopped, frozen, starved, or whose clock jumped
has measured itself: such a run is kept, and marked.
"""

from __future__ import annotations

from fsgauge.engine.wire import LoadResult, elapsed_with_finish_ns
from fsgauge.record.records import RunRecord
from fsgauge.stats import run_checks
from fsgauge.units import format_duration

LATE_START_NS = 100_000_000
STARVED_SHARE = 0.20
CLOCK_ERROR_NS = 10_000_000
CLOCK_ERROR_SHARE = 0.001
LATE_ANSWER_NS = 100_000_000
LATE_ANSWER_SHARE = 0.05


def paused(_run: RunRecord, result: LoadResult) -> str | None:
    """The engine's process did not run, or began late."""
    pauses = result.pauses
    if pauses is None:
        return None
    found = []
    if pauses.total_ns:
        longest, start = pauses.longest_ns, pauses.longest_start_ns or 0
        found.append(
            f"stopped for {format_duration(pauses.total_ns)}, the longest time for"
            f" {format_duration(longest)}, {format_duration(start)} after the start"
        )
    if pauses.late_start_ns >= LATE_START_NS:
        found.append(f"began {format_duration(pauses.late_start_ns)} late")
    return "; ".join(found) or None


def pace_missed_in_pause(run: RunRecord, result: LoadResult) -> str | None:
    """The pace was missed, and pauses of the engine were seen: they are asked first."""
    missed, pause = run_checks.rate_missed(run, result), paused(run, result)
    return f"{missed}; the engine {pause}" if missed and pause else None


def pace_missed(run: RunRecord, result: LoadResult) -> str | None:
    """The pace was missed, and no pause of the engine was seen."""
    return None if paused(run, result) else run_checks.rate_missed(run, result)


def starved_share(result: LoadResult) -> float | None:
    """The share of the time in which a thread was ready to run and had no processor: of all threads
    and processes together, with the fsync and close that a job asked for at its end.

    A thread reads how long it waited a moment after its last operation. Of a write of some
    milliseconds into memory that moment may be longer than the work, so a share ends at 1.
    """
    pauses = result.pauses
    threads_ns = elapsed_with_finish_ns(result) * max(result.cpu.threads, 1)
    if pauses is None or pauses.starved_ns is None or not threads_ns:
        return None
    return min(1.0, pauses.starved_ns / threads_ns)


def starved(_run: RunRecord, result: LoadResult) -> str | None:
    """The load's threads waited for processors more than a fifth of the time."""
    share = starved_share(result)
    return f"{100 * share:.0f} % of the time" if share and share > STARVED_SHARE else None


def clock_jumped(_run: RunRecord, result: LoadResult) -> str | None:
    """The engine's clock and the machine's do not agree on how long the run was."""
    error_ns = result.pauses.clock_error_ns if result.pauses else 0
    allowed_ns = CLOCK_ERROR_NS + CLOCK_ERROR_SHARE * result.elapsed_ns
    if abs(error_ns) <= allowed_ns:
        return None
    return f"{format_duration(abs(error_ns))} {'more' if error_ns > 0 else 'less'} on the machine's"


def unanswered(_run: RunRecord, result: LoadResult) -> str | None:
    """Operations had no answer long after the end."""
    left = result.drain.unanswered if result.drain else 0
    return f"{left} without an answer" if left else None


def late_answers(run: RunRecord, result: LoadResult) -> str | None:
    """The storage took long for what was in flight when the time was up."""
    late_ns = result.drain.elapsed_ns if result.drain else 0
    if late_ns < max(LATE_ANSWER_NS, LATE_ANSWER_SHARE * result.elapsed_ns):
        return None
    if paused(run, result) is not None:
        return None
    return f"the last answer came {format_duration(late_ns)} after the end"
