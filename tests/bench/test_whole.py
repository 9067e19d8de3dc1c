"""All benches in 25 minutes: what is left is shared, and what was not reached comes first next."""

import time

import pytest

from whole import BENCH_SECONDS, Allowance, oldest_first


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_long_bench_costs_those_behind_it(clock: list[float]) -> None:
    allowance = Allowance(4, minutes=1)
    assert allowance.for_next() == BENCH_SECONDS, "a quarter of a minute is more than is needed"
    clock[0] += 45
    assert allowance.for_next() == 5, "a third of what is left"
    clock[0] += 5
    assert allowance.for_next() == 5
    clock[0] += 11
    assert allowance.for_next() == 0


def test_what_was_not_reached_comes_first() -> None:
    rows = [
        {"name": "null-depth-1", "at": "2026-11-28T10:00:00Z"},
        {"name": "scan-speed", "at": "2026-11-28T10:01:00Z"},
        {"name": "scan-memory", "at": "2026-11-27T10:00:00Z"},
    ]
    names = ["null-depth-1", "scan", "mix", "commits"]
    assert oldest_first(names, rows) == ["mix", "commits", "null-depth-1", "scan"]
    assert oldest_first(names, []) == names
