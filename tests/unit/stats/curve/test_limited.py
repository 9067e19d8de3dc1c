"""What stands in the way just above the limit."""

from __future__ import annotations

import pytest

from fsgauge.stats.curve.model import CurveResults
from tests.synthetic_curve import Queue, make_curve

LOAD = "randread-4KiB-depth32"


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
