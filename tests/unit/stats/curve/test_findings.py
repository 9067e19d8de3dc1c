"""Findings of a load curve."""

from __future__ import annotations

from tests.synthetic_curve import Queue, make_curve, read


def findings(queues: dict[str, Queue], **more: float) -> dict[str, str]:
    return {each.code: each.sentence for each in read(make_curve(queues, **more)).findings}


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
