"""The load of a disclosure sheet: what was asked of the storage, through which caches, how steady.
Values that differ between cells are listed, each once, in the order of the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from fsgauge.engine.wire import ClientsJob, LoadJob
from fsgauge.record.preconditioning import RANGE_SHARE, ROUNDS, SLOPE_SHARE
from fsgauge.record.records import RunRecord
from fsgauge.report import words
from fsgauge.stats.results import Results
from fsgauge.stats.steadiness import steady_of
from fsgauge.stats.storage_findings import file_set_bytes, reads_through_cache
from fsgauge.store import StoredStudy
from fsgauge.units import format_bandwidth, format_duration, format_rate, format_size, some_of

Rows = list[tuple[str, str | None]]
"""Names and values of a sheet; None was not recorded."""

J = TypeVar("J", LoadJob, ClientsJob)
_MOST_VALUES = 8


def load_rows(stored: StoredStudy) -> Rows:
    """What drove the storage: plain loads, then clients on a file set."""
    loads = [run.job for run in stored.runs if isinstance(run.job, LoadJob)]
    clients = [run.job for run in stored.runs if isinstance(run.job, ClientsJob)]
    machines = {part.machine for run in stored.runs for part in run.parts}
    rows: Rows = [("machines that drive the load", str(len(machines) or 1))]
    if loads:
        rows += _of_loads(loads)
    if clients:
        rows += _of_clients(clients)
    if not loads and not clients:
        rows.append(("load", None))
    return rows


def _of_loads(jobs: Sequence[LoadJob]) -> Rows:
    return [
        ("access", _each(jobs, lambda job: job.access.kind)),
        ("reads", _each(jobs, lambda job: f"{job.read_percent} %")),
        (
            "block sizes",
            _values(
                format_size(size.size_bytes)
                for job in jobs
                for size in (*job.block_sizes, *job.write_block_sizes)
            ),
        ),
        ("threads or processes", _each(jobs, lambda job: str(job.jobs))),
        ("outstanding by each", _each(jobs, lambda job: str(job.queue_depth))),
        ("interface", "; ".join(dict.fromkeys(f"{job.interface}, {_way(job)}" for job in jobs))),
        ("data pattern", _each(jobs, lambda job: job.data.kind)),
        ("sync by the load", _each(jobs, _sync)),
        ("pace", _each(jobs, _pace)),
        ("warm-up", _each(jobs, _warm_up)),
        ("a run ends after", _each(jobs, _end)),
    ]


def _warm_up(job: LoadJob) -> str:
    return format_duration(job.warm_up_ns) + (" at most" if job.steady_window_ns else "")


def _way(job: LoadJob) -> str:
    return "direct" if job.direct else "buffered"


def _sync(job: LoadJob) -> str:
    every = getattr(job.sync, "every", None)
    writes = "write" if every == 1 else f"{every} writes"
    return job.sync.kind if every is None else f"{job.sync.kind} after every {writes}"


def _pace(job: LoadJob | ClientsJob) -> str:
    if job.rate is None:
        return "none: as fast as answers come"
    unit = "IOPS" if isinstance(job, LoadJob) else "files/s"
    return format_rate(job.rate.operations_per_second, unit)


def _end(job: LoadJob) -> str:
    if job.passes is not None:
        return f"{job.passes} of its passes, or {format_duration(job.duration_ns)}"
    limit = f", or {format_size(job.size_limit_bytes)}" if job.size_limit_bytes else ""
    return format_duration(job.duration_ns) + limit


def _of_clients(jobs: Sequence[ClientsJob]) -> Rows:
    return [
        ("phases", _each(jobs, lambda job: job.phase.kind)),
        ("clients", _each(jobs, lambda job: f"{job.clients:,}")),
        ("outstanding by each", _each(jobs, lambda job: str(job.outstanding))),
        ("files of each client", _each(jobs, lambda job: f"{job.files.files_per_client:,}")),
        ("record size", _each(jobs, lambda job: format_size(job.files.record_size_bytes))),
        ("reached over", _each(jobs, lambda job: job.target.kind)),
        ("data pattern", _each(jobs, lambda job: job.data.kind)),
        ("fsync", _each(jobs, lambda job: "before each close" if job.fsync else "none")),
        ("pace", _each(jobs, _pace)),
        (
            "a run ends",
            _each(
                jobs, lambda job: f"with its work, or after {format_duration(job.time_limit_ns)}"
            ),
        ),
    ]


def _each(jobs: Sequence[J], text: Callable[[J], str]) -> str:
    return _values(map(text, jobs))


def _values(texts: Iterable[str]) -> str:
    return some_of(list(dict.fromkeys(texts)), _MOST_VALUES)


def cache_rows(stored: StoredStudy) -> Rows:
    """The file set against the memory that could hold it."""
    environment = stored.before
    size_bytes = file_set_bytes(stored.turns, stored.runs, stored.steps)
    memory_bytes = environment.below.memory_bytes
    against = None
    if size_bytes is not None and memory_bytes:
        against = f"{words.percent(100 * size_bytes / memory_bytes)} of {format_size(memory_bytes)}"
    cached = any(reads_through_cache(run) for run in stored.runs)
    moved = [_moved(run) for run in stored.runs]
    return [
        ("file set", format_size(size_bytes) if size_bytes is not None else None),
        ("against host memory", against),
        ("reads through page cache", "yes" if cached else "no"),
        ("caches before each run", _values(run.caches for run in stored.runs) or None),
        ("most moved by a run", format_size(max(moved)) if moved else None),
        ("fastest run", _fastest(stored.runs)),
        ("cache in the device", None),
    ]


def _moved(run: RunRecord) -> int:
    result = run.result
    sides = (result.read, result.write) if result is not None else ()
    return sum(side.size_bytes for side in sides if side is not None)


def _fastest(runs: Sequence[RunRecord]) -> str | None:
    rates = [
        _moved(run) * 1e9 / run.result.elapsed_ns
        for run in runs
        if run.result is not None and run.result.elapsed_ns
    ]
    return format_bandwidth(max(rates)) if rates else None


def steady_rows(results: Results, runs: Sequence[RunRecord]) -> Rows:
    """SNIA's window, and how the runs were judged by it."""
    sure = results.sureness
    verdicts = [steady_of(run, run.result) for run in runs if run.result is not None]
    ranges = [each.range_share for each in verdicts if each.range_share is not None]
    slopes = [each.slope_share for each in verdicts if each.slope_share is not None]
    window = (
        f"{ROUNDS} rounds of equal length in the measured part of each run: range at most"
        f" {100 * RANGE_SHARE:.0f} % of the mean, fitted line within {100 * SLOPE_SHARE:.0f} %"
        " (SNIA PTS 2.0.2), and no lasting change of 5 %"
    )
    judged = f"{sure.runs_steady} of {sure.runs_judged_steady} runs judged"
    if sure.runs_by_passes:
        judged += f"; {sure.runs_by_passes} end with their work and are not asked"
    return [
        ("window", window),
        ("reached", judged if sure.runs_judged_steady or sure.runs_by_passes else None),
        ("widest range", words.percent(100 * max(ranges)) if ranges else None),
        ("steepest line", words.percent(100 * max(slopes)) if slopes else None),
    ]
