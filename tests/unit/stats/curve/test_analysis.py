"""The curves themselves, and their knees."""

from __future__ import annotations

import pytest

from fsgauge.stats.curve.model import CurveResults
from tests.synthetic_curve import QUEUES, Queue, make_curve

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
