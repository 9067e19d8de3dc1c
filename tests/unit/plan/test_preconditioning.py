"""What preconditioning costs: hours and endurance in the plan, and that it is asked for."""

from __future__ import annotations

import pytest

from fsgauge.cli.plan_lines import time_and_bytes
from fsgauge.plan.preview import PlanDescription, describe
from fsgauge.plan.turns import make_plan
from fsgauge.study.parse import load_study

TIB = 1 << 40


def described(*overrides: str) -> PlanDescription:
    study = load_study("overhead", list(overrides), storage="/dev/disk/by-id/nvme-x", seed=1)
    return describe(make_plan(study, size_bytes=TIB), study, size_bytes=TIB)


def test_twice_the_capacity_is_written_once_more_than_without() -> None:
    plain, snia = described(), described("storage.precondition=snia")
    assert snia.written_bytes_estimate - plain.written_bytes_estimate >= 2 * TIB
    assert snia.shortest_seconds > plain.shortest_seconds + 2 * TIB / (2 << 30)
    assert snia.longest_seconds > plain.longest_seconds + 2 * TIB / (100 << 20)
    assert snia.shortest_seconds < snia.expected_seconds < snia.longest_seconds


def test_hours_and_endurance_are_printed() -> None:
    facts = described("storage.precondition=snia")
    lines = time_and_bytes(facts)
    (line,) = [line for line in lines if line.startswith("endurance ")]
    terabytes = float(line.split()[3])
    assert terabytes == pytest.approx(facts.written_bytes_estimate / 1e12, rel=0.01)
    assert f"{facts.written_bytes_estimate / TIB:.3g} times the 1 TiB of the device" in line
    assert "drive writes a day" in line
    assert not any("endurance" in line for line in time_and_bytes(described()))
