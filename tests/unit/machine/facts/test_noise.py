"""Noise as the doctor measures it, on an engine whose rates are given."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.engine.wire import LayoutJob
from fsgauge.errors import RigError
from fsgauge.machine.facts import noise
from fsgauge.machine.ledger import ledger_folder


@pytest.fixture(autouse=True)
def _own_ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: tmp_path / "ledgers")
    monkeypatch.setattr(noise.wire, "LoadResult", SimpleNamespace)


@pytest.fixture(autouse=True, name="waits")
def _waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(noise, "sleep", found.append)
    return found


def noise_from(operations: list[int], directory: Path) -> noise.HostNoise:
    given: Iterator[int] = iter(operations)

    def run(job: Any, on_event: object) -> Any:
        if isinstance(job, LayoutJob):
            return None
        read = SimpleNamespace(operations=next(given))
        return SimpleNamespace(read=read, elapsed_ns=300_000_000)

    return noise.measured_noise(run, directory, direct=True)


def test_side_by_side_it_is_how_far_a_run_and_the_next_differ(tmp_path: Path) -> None:
    found = noise_from([1000, 1100] * 6, tmp_path)
    assert found.next_percent == pytest.approx(100 * math.log(1.1))


def test_one_by_one_it_is_how_far_runs_seconds_apart_differ(tmp_path: Path) -> None:
    """A disk that is slower for seconds: a run is like its neighbour, and not like later ones."""
    found = noise_from([1000, 1000, 1000, 1000, 1000, 1000, 800, 800, 800, 800, 800, 800], tmp_path)
    assert found.next_percent == 0
    assert found.apart_percent > 100 * math.log(1 / 0.8) * 0.7


def test_where_noise_has_no_memory_both_are_alike() -> None:
    chance = random.Random(7)
    found = [
        noise.noise_of([[chance.gauss(0, 0.03) for _ in (0, 1)] for _ in range(6)])
        for _ in range(400)
    ]
    near = statistics.fmean(each.next_percent**2 for each in found)
    apart = statistics.fmean(each.apart_percent**2 for each in found)
    assert near == pytest.approx(18, rel=0.1) and apart == pytest.approx(18, rel=0.1)


def test_pairs_are_two_seconds_apart(tmp_path: Path, waits: list[float]) -> None:
    noise_from([1000] * 12, tmp_path)
    assert len(waits) == 6 and sum(waits) > 25  # no time passes here: 0, 2, 4, 6, 8 and 10 s


def test_a_run_without_an_answer_is_an_error_and_no_traceback(tmp_path: Path) -> None:
    """The doctor ended with "math domain error" on a machine whose disk stood still."""
    with pytest.raises(RigError, match="no read was answered"):
        noise_from([1000, 0, 900, 1000, 1050, 950, 1000, 1010, 1000, 990, 1000, 1010], tmp_path)
