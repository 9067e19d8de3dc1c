"""What doctor says of noise: how many blocks a small effect takes, or that none are enough."""

from __future__ import annotations

from fsgauge.cli.doctor import _noise


def said(near_percent: float, apart_percent: float) -> str:
    first, second = _noise(near_percent, apart_percent, "/var/tmp")
    assert f"{near_percent:.1f} % one right" in first and f"{apart_percent:.1f} % 4" in first
    return second.strip()


def test_a_quiet_machine_needs_few_blocks_of_either_design() -> None:
    found = said(0.5, 1.0)
    assert found.startswith("to detect 5 % takes ") and found.endswith("with plan.side_by_side")
    assert "more than" not in found


def test_what_hides_an_effect_is_said_once() -> None:
    assert said(90.0, 95.0) == "too noisy to detect 5 %: it would take more than 1,000 blocks"


def test_only_what_stands_apart_may_be_too_noisy() -> None:
    found = said(0.5, 95.0)
    assert found.startswith("to detect 5 % takes more than 1,000 blocks with systems one by one, ")
