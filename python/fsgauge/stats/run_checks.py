"""What can be wrong with one run, seen from its own numbers.

Each check takes a run that was measured and gives None or the evidence in words. They are
identities and limits that hold for every honest run, so a failed one is shown, never dropped.

- A device that stalls is a result. An engine that was stopped, frozen, starved, or whose clock
  jumped has measured itself: such a run is kept, and marked.
- The kernel may merge neighbours that come together and must split what is too long, or lies in
  several pieces. Then a cell of "4 KiB" did not measure requests of 4 KiB. The device's counters
  say which, where past the page cache all operations of a run have one size and one direction.
"""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.engine import wire
from fsgauge.record.factors import factors_of
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.units import count, format_duration, format_size

LITTLE_TOLERANCE = 0.05
EDGE_STALL_NS = 100_000_000
FULL_QUEUE = 0.9
ENGINE_SHARE_LIMIT = 0.20
CLOCK_SHARE_LIMIT = 0.05
ACHIEVED_RATE = 0.95

Check = Callable[[RunRecord, wire.LoadResult], str | None]


def operations(result: wire.LoadResult) -> int:
    return sum(part.operations for part in wire.sides_of(result))


def refused(result: wire.LoadResult) -> int:
    """Operations that a full file system refused: they took time, and are in no other count."""
    return sum(part.refused for part in wire.sides_of(result))


def latency_concurrency(result: wire.LoadResult) -> float | None:
    """Operations in flight as rate times mean latency says (Little's law)."""
    if result.elapsed_ns == 0 or operations(result) == 0:
        return None
    return sum(part.service_latency.sum_ns for part in wire.sides_of(result)) / result.elapsed_ns


def littles_law(run: RunRecord, result: wire.LoadResult) -> str | None:
    """Rate times mean latency must be what was counted in flight, independently.

    An operation counts in the window in which it ends, with its whole latency: those that were in
    flight when the warm-up ended bring up to `max_ns` each from before it. Hence the second term
    of the tolerance: it makes the check weak for short runs, where an edge weighs much. What is
    in flight at the end counts whole, and the window lasts as long; only what had no answer
    was counted in flight alone. An engine that did not count what it left at the end (`drain`) may
    have left a stall there, which fills the queue and is in no latency.
    Of many clients see `stats.connections.littles_law`.
    """
    if run.load is None or (result.drain is not None and result.drain.unanswered):
        return None
    if refused(result):
        return None
    expected = latency_concurrency(result)
    if expected is None or result.in_flight_mean <= 0:
        return None
    full = run.load.queue_depth * jobs_at_work(run.load.jobs, result)
    if result.drain is None and expected < result.in_flight_mean <= full:
        return None
    longest_ns = max(
        EDGE_STALL_NS, *(part.service_latency.max_ns for part in wire.sides_of(result))
    )
    edges = run.load.queue_depth * run.load.jobs * longest_ns / result.elapsed_ns
    if abs(expected - result.in_flight_mean) <= LITTLE_TOLERANCE * result.in_flight_mean + edges:
        return None
    return f"rate x latency {expected:.2f}, counted {result.in_flight_mean:.2f} in flight"


def queue_not_full(run: RunRecord, result: wire.LoadResult) -> str | None:
    """Without a pace, the engine keeps the queue full; else the load was less than asked. A job
    that has ended asks for nothing more, and one that waits for fsync has nothing in flight. One
    operation at a time is no queue: what is between two of them is the engine's share."""
    load = run.load
    if load is None or load.queue_depth <= 1:
        return None
    syncs = load.sync.kind in ("fsync", "fdatasync")
    asked = load.queue_depth * jobs_at_work(load.jobs, result)
    if syncs or load.rate is not None or result.in_flight_mean >= FULL_QUEUE * asked:
        return None
    return f"{result.in_flight_mean:.1f} of {asked:.4g} in flight"


def jobs_at_work(jobs: int, result: wire.LoadResult) -> float:
    """How many jobs there were on average: those that end by themselves leave early."""
    own_ns = [job.elapsed_ns for job in result.jobs if job.elapsed_ns is not None]
    if result.elapsed_ns == 0 or len(own_ns) != len(result.jobs) or not own_ns:
        return jobs
    return sum(own_ns) / result.elapsed_ns


def bytes_match(run: RunRecord, result: wire.LoadResult) -> str | None:
    """With one block size, bytes are operations times that size."""
    load = run.load
    if load is None or len(load.block_sizes) != 1 or load.write_block_sizes or load.operations:
        return None
    size_bytes = load.block_sizes[0].size_bytes
    expected = operations(result) * size_bytes
    counted = sum(part.size_bytes for part in wire.sides_of(result))
    return None if counted == expected else f"{counted} B counted, {expected} B expected"


def errors(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """I/O that was tried again; what clients gave up is a finding of its own."""
    failed = sum(part.errors for part in wire.sides_of(result))
    return f"{failed} errors" if failed else None


def engine_share(result: wire.LoadResult) -> float | None:
    """The engine's own part of the measured time of its threads, 0 to 1."""
    threads: float = max(result.cpu.threads, 1)
    if result.clients is None:  # else jobs are clients, and few threads carry them
        threads = jobs_at_work(max(result.cpu.threads, 1), result)
    if result.elapsed_ns == 0 or threads == 0:
        return None
    own_ns = result.self_measure.null_ns_per_operation * wire.timed_operations(result)
    return own_ns / (result.elapsed_ns * threads)


def engine_heavy(_run: RunRecord, result: wire.LoadResult) -> str | None:
    share = engine_share(result)
    return f"{100 * share:.0f} %" if share is not None and share > ENGINE_SHARE_LIMIT else None


def clock_share(result: wire.LoadResult) -> float | None:
    """One reading of the clock as a share of the mean service time, which holds about one."""
    total_ns = sum(part.service_latency.sum_ns for part in wire.sides_of(result))
    if total_ns == 0:
        return None
    return result.self_measure.clock_ns_per_read * operations(result) / total_ns


def clock_heavy(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """Reading the clock took a part of the latency that it measured."""
    share = clock_share(result)
    if share is None or share <= CLOCK_SHARE_LIMIT:
        return None
    cost_ns, clock = result.self_measure.clock_ns_per_read, result.self_measure.clock
    return f"{cost_ns:.0f} ns a reading ({clock}), {100 * share:.0f} % of the mean latency"


def debug_engine(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """A debug build is slow by itself."""
    return result.engine.version if result.engine.profile == "debug" else None


def passes_cut(run: RunRecord, result: wire.LoadResult) -> str | None:
    """A run that its passes should have ended was ended by its time."""
    if run.load is None or run.load.passes is None or result.ended != "duration":
        return None
    if factors_of(run.cell).may_end_by_time:
        return None
    return f"ended after {result.elapsed_ns / 1e9:.0f} s"


def rate_offered(run: RunRecord) -> float | None:
    """Operations a second, or files of clients, that were due of each machine's load; None without
    a pace."""
    rate = run.job.rate if isinstance(run.job, wire.LoadJob | wire.ClientsJob) else None
    return rate.operations_per_second if rate is not None else None


def done_at_pace(result: wire.LoadResult) -> int:
    """What a pace counts: operations, or files of clients."""
    return operations(result) if result.clients is None else result.clients.files


def rate_missed(run: RunRecord, result: wire.LoadResult) -> str | None:
    """Under a pace: less was done than was offered, or much was never begun. A run's end leaves a
    few that were due."""
    rate, done = rate_offered(run), done_at_pace(result) + refused(result)
    if rate is None or result.elapsed_ns == 0:
        return None
    achieved = done * 1e9 / _paced_ns(result) / rate
    dropped = sum(part.backlog_dropped for part in wire.sides_of(result))
    asked = done + dropped
    if achieved >= ACHIEVED_RATE and dropped <= (1 - ACHIEVED_RATE) * asked:
        return None
    more = f", {count(dropped, 'operation')} dropped" if dropped else ""
    return f"{100 * achieved:.0f} % of the pace{more}"


def _paced_ns(result: wire.LoadResult) -> float:
    """How long a pace was kept. Each client has moments and files of its own, and the last to end
    is late by chance: the mean of all."""
    own = [job.elapsed_ns for job in result.jobs if job.elapsed_ns]
    if result.clients is None or not own:
        return result.elapsed_ns
    return sum(own) / len(own)


def gaps_in_series(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """Intervals must follow one another; a hole means that the machine stood still."""
    intervals = Intervals.of(result.intervals)
    start_ns, elapsed_ns = intervals.column("start_ns"), intervals.column("elapsed_ns")
    missing_ns = start_ns[1:] - start_ns[:-1] - elapsed_ns[:-1]
    holes = missing_ns[missing_ns > elapsed_ns[:-1]]
    return f"nothing was reported for {holes[0] / 1e9:.1f} s" if len(holes) else None


LATE_START_NS = 100_000_000
STARVED_SHARE = 0.20
CLOCK_ERROR_NS = 10_000_000
CLOCK_ERROR_SHARE = 0.001
LATE_ANSWER_NS = 100_000_000
LATE_ANSWER_SHARE = 0.05


def paused(_run: RunRecord, result: wire.LoadResult) -> str | None:
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


def pace_missed_in_pause(run: RunRecord, result: wire.LoadResult) -> str | None:
    """The pace was missed, and pauses of the engine were seen: they are asked first."""
    missed, pause = rate_missed(run, result), paused(run, result)
    return f"{missed}; the engine {pause}" if missed and pause else None


def pace_missed(run: RunRecord, result: wire.LoadResult) -> str | None:
    """The pace was missed, and no pause of the engine was seen."""
    return None if paused(run, result) else rate_missed(run, result)


def starved_share(result: wire.LoadResult) -> float | None:
    """The share of the time in which a thread was ready to run and had no processor: of all threads
    and processes together, with the fsync and close that a job asked for at its end.

    A thread reads how long it waited a moment after its last operation. Of a write of some
    milliseconds into memory that moment may be longer than the work, so a share ends at 1.
    """
    pauses = result.pauses
    threads_ns = wire.elapsed_with_finish_ns(result) * max(result.cpu.threads, 1)
    if pauses is None or pauses.starved_ns is None or not threads_ns:
        return None
    return min(1.0, pauses.starved_ns / threads_ns)


def starved(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """The load's threads waited for processors more than a fifth of the time."""
    share = starved_share(result)
    return f"{100 * share:.0f} % of the time" if share and share > STARVED_SHARE else None


def clock_jumped(_run: RunRecord, result: wire.LoadResult) -> str | None:
    """The engine's clock and the machine's do not agree on how long the run was."""
    error_ns = result.pauses.clock_error_ns if result.pauses else 0
    allowed_ns = CLOCK_ERROR_NS + CLOCK_ERROR_SHARE * result.elapsed_ns
    if abs(error_ns) <= allowed_ns:
        return None
    return f"{format_duration(abs(error_ns))} {'more' if error_ns > 0 else 'less'} on the machine's"


def unanswered(_run: RunRecord, result: wire.LoadResult) -> str | None:
    left = result.drain.unanswered if result.drain else 0
    return f"{left} without an answer" if left else None


def late_answers(run: RunRecord, result: wire.LoadResult) -> str | None:
    """The storage took long for what was in flight when the time was up."""
    late_ns = result.drain.elapsed_ns if result.drain else 0
    if late_ns < max(LATE_ANSWER_NS, LATE_ANSWER_SHARE * result.elapsed_ns):
        return None
    if paused(run, result) is not None:
        return None
    return f"the last answer came {format_duration(late_ns)} after the end"


REQUEST_TOLERANCE = 0.10


def mean_request_bytes(device: DeviceRun, *, writes: bool) -> float | None:
    """Of the requests that the device completed in one direction; None where there were none."""
    requests = device.write_requests if writes else device.read_requests
    size_bytes = device.write_bytes if writes else device.read_bytes
    return size_bytes / requests if requests else None


def requests_merged(run: RunRecord, _result: wire.LoadResult) -> str | None:
    found = _request_and_operation(run)
    if found is None or found[0] <= (1 + REQUEST_TOLERANCE) * found[1]:
        return None
    return _request_words(*found)


def requests_split(run: RunRecord, result: wire.LoadResult) -> str | None:
    """The device got smaller requests, and no others beside them that could explain it."""
    found = _request_and_operation(run)
    if found is None or found[0] >= (1 - REQUEST_TOLERANCE) * found[1]:
        return None
    moved_bytes, asked_bytes = _moved_bytes(run), _asked_bytes(result)
    if abs(moved_bytes - asked_bytes) > REQUEST_TOLERANCE * asked_bytes:
        return None  # a journal's writes, or blocks that the file system looked up
    return _request_words(*found)


def _request_and_operation(run: RunRecord) -> tuple[float, int] | None:
    """The mean request and the size of an operation, where the two can be compared."""
    load, device = run.load, run.device
    if load is None or device is None or not load.direct or len(load.block_sizes) != 1:
        return None
    if load.read_percent not in (0, 100) or load.companions:
        return None
    mean_bytes = mean_request_bytes(device, writes=load.read_percent == 0)
    return None if mean_bytes is None else (mean_bytes, load.block_sizes[0].size_bytes)


def _moved_bytes(run: RunRecord) -> int:
    assert run.load is not None and run.device is not None  # noqa: S101 - compared before
    return run.device.write_bytes if run.load.read_percent == 0 else run.device.read_bytes


def _asked_bytes(result: wire.LoadResult) -> int:
    """By the load, warm-up included: the device did not know which was which."""
    intervals = Intervals.of(result.intervals)
    sizes = intervals.column("read_size_bytes") + intervals.column("write_size_bytes")
    return int(sizes.sum())


def _request_words(mean_bytes: float, block_bytes: int) -> str:
    mean, block = format_size(round(mean_bytes)), format_size(block_bytes)
    return f"{mean} on average for operations of {block}"
