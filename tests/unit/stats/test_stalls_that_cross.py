"""A run in which the storage stalls across a boundary is honest: no check calls it a bug.

A queue is simulated as the engine counts it: what ends in the measured part counts there with its
whole latency; what is in flight is an integral over that part; at the end all that is in flight
counts until it is answered, and the part lasts as long.
"""

from __future__ import annotations

import heapq
import random

import pytest

from fsgauge.engine.wire import BlockSize, Drain, Interval, IntervalCount, LoadJob, LoadResult
from fsgauge.record.records import RunRecord
from fsgauge.stats.advice import RUN_CHECKS, advice_for, situation_of
from fsgauge.stats.run_checks import bytes_match, gaps_in_series, littles_law
from tests.synthetic import histogram_of, make_study
from tests.synthetic.setting import with_result

SECOND_NS = 10**9
WARM_UP_NS, DURATION_NS, INTERVAL_NS = 2 * SECOND_NS, 10 * SECOND_NS, SECOND_NS
END_NS = WARM_UP_NS + DURATION_NS
STALLS = {
    "none": 100 * SECOND_NS,
    "across the end of the warm-up": WARM_UP_NS - SECOND_NS // 2,
    "across an interval": WARM_UP_NS + 3 * SECOND_NS + SECOND_NS // 3,
    "across several intervals": WARM_UP_NS + 5 * SECOND_NS + 1,
    "across the end": END_NS - SECOND_NS // 4,
}
STALL_NS = 2_700_000_000


def simulated(stall_at_ns: int, depth: int, seed: int) -> tuple[RunRecord, LoadResult]:
    """A queue kept full; the storage answers nothing for 2.7 s from `stall_at_ns` on."""
    chance = random.Random(seed)
    flying: list[tuple[int, int]] = []

    def submit(at_ns: int) -> None:
        done = at_ns + round(chance.lognormvariate(15, 0.8))
        if stall_at_ns <= done < stall_at_ns + STALL_NS:
            done = stall_at_ns + STALL_NS + chance.randrange(1_000_000)
        heapq.heappush(flying, (done, at_ns))

    for _ in range(depth):
        submit(chance.randrange(1_000_000))
    latencies: dict[int, int] = {}
    in_flight_ns, last_ns = 0, []
    counts = [[0, 0] for _ in range(END_NS // INTERVAL_NS)]
    while flying:
        done, start = heapq.heappop(flying)
        if done < END_NS:
            submit(done)
        else:
            last_ns.append(done)
        in_flight_ns += max(0, done - max(start, WARM_UP_NS))
        if done >= WARM_UP_NS:
            latencies[done - start] = latencies.get(done - start, 0) + 1
        place = min(done // INTERVAL_NS, len(counts) - 1)
        counts[place][0] += 1
        counts[place][1] += done - start
    drained_ns = sum(last - END_NS for last in last_ns) // depth
    elapsed_ns = DURATION_NS + drained_ns
    run = make_study(
        patterns=("randread",), block_sizes=(4096,), queue_depths=(depth,), blocks=1
    ).runs[0]
    assert run.result is not None and run.result.read is not None and isinstance(run.job, LoadJob)
    histogram = histogram_of(latencies)
    read = run.result.read.model_copy(
        update={
            "operations": histogram.operations,
            "size_bytes": 4096 * histogram.operations,
            "service_latency": histogram,
        }
    )
    intervals = [
        Interval(
            start_ns=at * INTERVAL_NS,
            elapsed_ns=INTERVAL_NS + (drained_ns if at == len(counts) - 1 else 0),
            warm_up=at * INTERVAL_NS < WARM_UP_NS,
            read=IntervalCount(operations=n, size_bytes=4096 * n, latency_sum_ns=total),
            write=IntervalCount(operations=0, size_bytes=0, latency_sum_ns=0),
        )
        for at, (n, total) in enumerate(counts)
    ]
    result = run.result.model_copy(
        update={
            "elapsed_ns": elapsed_ns,
            "warm_up_ns": WARM_UP_NS,
            "read": read,
            "in_flight_mean": in_flight_ns / elapsed_ns,
            "intervals": intervals,
            "drain": Drain(operations=depth, elapsed_ns=max(last_ns) - END_NS, unanswered=0),
        }
    )
    job = run.job.model_copy(
        update={"queue_depth": depth, "block_sizes": [BlockSize(size_bytes=4096)]}
    )
    return with_result(run.model_copy(update={"job": job}), result), result


@pytest.mark.parametrize("stall", STALLS)
@pytest.mark.parametrize("depth", [1, 32])
def test_no_check_of_identities_doubts_a_stall(stall: str, depth: int) -> None:
    for seed in range(5):
        run, result = simulated(STALLS[stall], depth, seed)
        assert littles_law(run, result) is None
        assert bytes_match(run, result) is None
        assert gaps_in_series(run, result) is None


def test_without_a_stall_a_wrong_count_is_still_found() -> None:
    run, result = simulated(STALLS["none"], 32, 1)
    wrong = result.model_copy(update={"in_flight_mean": 1.5 * result.in_flight_mean})
    assert littles_law(run, wrong) is not None
    wrong = result.model_copy(update={"in_flight_mean": 0.5 * result.in_flight_mean})
    assert littles_law(run, wrong) is not None


def test_a_record_that_did_not_count_what_stalled_at_its_end_is_not_called_wrong() -> None:
    """Engines before `drain` lost it: the queue was full, and no latency says so."""
    run, result = simulated(STALLS["across the end"], 32, 1)
    assert result.read is not None
    body = {1_000_000: 100}
    histogram = histogram_of(body)
    lost = result.model_copy(
        update={
            "drain": None,
            "in_flight_mean": 32.0,
            "elapsed_ns": DURATION_NS,
            "read": result.read.model_copy(
                update={"operations": 100, "size_bytes": 409600, "service_latency": histogram}
            ),
        }
    )
    assert littles_law(run, lost) is None
    assert littles_law(run, lost.model_copy(update={"in_flight_mean": 40.0})) is not None


def test_only_identities_are_called_bugs() -> None:
    """What a stall can do to a run asks for another run, not for a report."""
    study = make_study(blocks=1)
    situation = situation_of(study.study.study, study.before, 1, study.runs)
    bugs = {c.code for c in RUN_CHECKS if "report it" in advice_for(c.code, situation)}
    assert bugs == {"run.little", "run.bytes"}
