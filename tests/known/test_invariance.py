"""Known answers: what must not depend on names, units or speed of the machine."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fsgauge.record.records import Plan
from fsgauge.stats.contrast import Contrast, Value, ratio_of
from fsgauge.stats.samples import Samples, collect
from tests.synthetic import ONE_CELL, make_study

CELL = "randread-4KiB-depth32"
SMALL: dict[str, Any] = {"systems": {"ext4": "ext4", "xfs": "xfs"}, **ONE_CELL}


def planted() -> Samples:
    study = make_study(**SMALL, effect=lambda system, cell: 0.8 if system == "xfs" else 1.0)
    return collect(study.study.plan, study.runs)


def contrast(samples: Samples, system: str) -> Contrast:
    baseline = samples.plan.baseline
    return Contrast(Value("iops", CELL, system), Value("iops", CELL, baseline))


def test_scaling_every_value_changes_no_ratio() -> None:
    """A machine that is 1000 times as fast, or a unit that is 1000 times as small."""
    samples = planted()
    scaled = Samples(samples.plan)
    for key, values in samples.logs.items():
        scaled.logs[key] = {turn: value + math.log(1000) for turn, value in values.items()}
    before = ratio_of(contrast(samples, "xfs"), samples)
    after = ratio_of(contrast(scaled, "xfs"), scaled)
    assert before is not None and after is not None
    assert after.ratio == pytest.approx(before.ratio, rel=1e-12)
    assert (after.low, after.high) == pytest.approx((before.low, before.high), rel=1e-9)


def test_swapping_baseline_and_system_inverts_the_ratio() -> None:
    """With one turn of each in a block there is no mean to take, so the inverse is exact."""
    samples = planted()
    turns = [turn for turn in samples.plan.turns if not turn.again]
    there = Samples(samples.plan.model_copy(update={"turns": turns}), samples.logs)
    swapped: Plan = there.plan.model_copy(update={"baseline": "xfs"})
    back = Samples(swapped, samples.logs)
    forward = ratio_of(contrast(there, "xfs"), there)
    inverse = ratio_of(contrast(back, "ext4"), back)
    assert forward is not None and inverse is not None
    assert forward.low is not None and inverse.high is not None
    assert forward.ratio * inverse.ratio == pytest.approx(1, rel=1e-12)
    assert forward.low * inverse.high == pytest.approx(1, rel=1e-9)


def test_the_order_of_records_changes_nothing() -> None:
    study = make_study(**SMALL)
    forwards = collect(study.study.plan, study.runs)
    backwards = collect(study.study.plan, list(reversed(study.runs)))
    assert forwards.logs == backwards.logs
