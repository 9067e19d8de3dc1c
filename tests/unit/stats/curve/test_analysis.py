"""The curves themselves, and their knees."""

from __future__ import annotations

import pytest

from fsgauge.stats.curve.model import CurveResults
from tests.synthetic_curve import QUEUES, make_curve, read

LOAD = "randread-4KiB-depth32"
FOUND = CurveResults.of(read(make_curve(noise=0.0, p99_noise=0.02)))


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
