"""The curves themselves, and their knees."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from fsgauge.engine.wire import LoadJob, LoadResult
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.stats.curve.analysis import _round_ns
from fsgauge.stats.curve.model import CurveResults
from tests.synthetic_curve import DEPTH, LIMIT_MS, QUEUES, Queue, make_curve, served

LOAD = "randread-4KiB-depth32"
FOUND = CurveResults.of(make_curve(noise=0.0, p99_noise=0.02).results())


def test_points_follow_the_planted_curve_up_to_the_limit() -> None:
    assert FOUND is not None
    for system, queue in QUEUES.items():
        own = [each for each in FOUND.points if each.system == system]
        assert [each.rate for each in own] == sorted({each.rate for each in own})
        for point in own:
            if point.rate < 0.9 * queue.limit():
                planted_ns = 1e6 * queue.base_ms / (1 - point.rate / queue.most)
                assert point.latency.value == pytest.approx(planted_ns, rel=0.1)
        assert own[-1].rate > queue.limit()


def test_the_knee_is_at_half_of_what_such_a_queue_serves() -> None:
    assert FOUND is not None
    for system, queue in QUEUES.items():
        each = FOUND.capacity(LOAD, system)
        assert each is not None and each.knee is not None
        assert each.knee.value == pytest.approx(queue.most / 2, rel=0.2)


def findings(queues: dict[str, Queue], **more: float) -> dict[str, str]:
    return {each.code: each.sentence for each in make_curve(queues, **more).results().findings}


def test_a_first_point_over_the_limit() -> None:
    found = findings({"ext4": Queue(50_000.0), "xfs": Queue(50_000.0, 6.0)})
    assert "xfs was above 5 ms at the least rate already: 600 IOPS." in found["curve.first_over"]


def test_rates_that_were_not_offered() -> None:
    found = findings({"ext4": Queue(50_000.0), "xfs": Queue(200_000.0, offers=60_000.0)})
    assert "the engine was late, not the system" in found["curve.not_offered"]
    assert "xfs passed 5 ms at no rate" in found["curve.unreached"]


def test_too_few_operations_for_the_quantile() -> None:
    found = findings({"ext4": Queue(2_000.0), "xfs": Queue(2_000.0)}, duration_s=0.3)
    assert "the 1,000 operations that p99 needs" in found["curve.few_operations"]


@pytest.mark.parametrize(
    ("queue", "by", "words"),
    [
        (Queue(50_000.0), "queue", "all 32 places are taken"),
        (Queue(50_000.0, busy=0.97), "processors", "no time left"),
        (Queue(3_000.0, base_ms=6.0, service_ms=5.5), "service", "their own time is above 5 ms"),
    ],
)
def test_each(queue: Queue, by: str, words: str) -> None:
    found = CurveResults.of(make_curve({"ext4": queue, "xfs": queue}, blocks=3).results())
    assert found is not None
    each = found.capacity(LOAD, "xfs")
    assert each is not None and each.limited_by == by
    assert words in each.limited_words


def test_longer_runs_are_proposed_with_their_length() -> None:
    """ "--set workload.duration=..." is no command."""
    slow = {"ext4": Queue(2_000.0), "xfs": Queue(2_000.0)}
    results = make_curve(slow, duration_s=0.3).results()
    (few,) = [each for each in results.findings if each.code == "curve.few_operations"]
    assert "(--set workload.duration=1200ms)" in few.advice


FAST = Queue(50_000.0)


def helps(slow: Queue, **study: Any) -> str:
    results = make_curve({"ext4": FAST, "xfs": slow}, **study).results()
    found = CurveResults.of(results)
    assert found is not None
    (each,) = [capacity for capacity in found.capacities if capacity.system == "xfs"]
    assert each.state == "less than"
    return each.helps


def test_longer_runs_where_their_operations_were_too_few_for_less() -> None:
    slow = Queue(50_000.0, base_ms=1.5 * LIMIT_MS)
    assert helps(slow) == "lower rates: --set workload.duration=8s"
    longer = make_curve({"ext4": FAST, "xfs": slow}, duration_s=8.0, p99_noise=0.0, noise=0.0)
    first = make_curve({"ext4": FAST, "xfs": slow}, p99_noise=0.0, noise=0.0)
    rates = [
        min(run.cell.pace.rate for run in each.runs if run.cell.pace) for each in (longer, first)
    ]
    assert rates[0] == pytest.approx(rates[1] / 4, rel=0.1)


def half_writes(job: LoadJob, queue: Queue, shift: float, factor: float) -> LoadResult:
    pace = job.rate and job.rate.model_copy(
        update={"operations_per_second": job.rate.operations_per_second / 2}
    )
    half = replace(queue, most=queue.most / 2)
    reads = served(job.model_copy(update={"rate": pace}), half, shift, factor)
    return reads.model_copy(update={"write": reads.read})


def test_of_a_mix_the_operations_count_that_the_limit_is_of() -> None:
    """More blocks were proposed, which offer the same rates: half of the operations are writes."""
    mix = OverheadWorkload(
        patterns=["randrw"],
        block_sizes=[4096],
        queue_depths=[DEPTH],
        read_percent=50,
        duration=2 * 10**9,
        warm_up=0,
    )
    slow = Queue(50_000.0, base_ms=1.5 * LIMIT_MS)
    assert helps(slow, workload=mix, serve=half_writes) == (
        "lower rates: --set workload.duration=8s"
    )


def test_a_higher_limit_where_operations_themselves_take_longer() -> None:
    found = helps(Queue(50_000.0, base_ms=3 * LIMIT_MS, service_ms=20.0))
    limit = re.fullmatch(r"a higher limit: --set 'plan.latency_limit=(\d+) ms'", found)
    assert limit is not None and int(limit[1]) >= 3 * LIMIT_MS


@pytest.mark.parametrize(
    ("seen_ms", "limit_ms"), [(6.0, 20), (2.4, 5), (2.5, 5), (0.3, 1), (50.0, 100), (51.0, 200)]
)
def test_a_limit_is_round_and_well_above_what_was_seen(seen_ms: float, limit_ms: float) -> None:
    assert _round_ns(seen_ms * 1e6) == pytest.approx(limit_ms * 1e6)
