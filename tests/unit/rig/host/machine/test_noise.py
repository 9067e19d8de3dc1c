"""Noise as the doctor measures it, on an engine whose rates are given."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.host.ledger import ledger_folder
from fsgauge.rig.host.machine import noise
from fsgauge.wire import LayoutJob


@pytest.fixture(autouse=True)
def _own_ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: tmp_path / "ledgers")
    monkeypatch.setattr(noise, "LoadResult", SimpleNamespace)


def percent_of(operations: list[int], directory: Path) -> float:
    given: Iterator[int] = iter(operations)

    def run(job: Any, on_event: object) -> Any:
        if isinstance(job, LayoutJob):
            return None
        read = SimpleNamespace(operations=next(given))
        return SimpleNamespace(read=read, elapsed_ns=300_000_000)

    return noise.noise_percent(run, directory, direct=True)


def test_it_is_how_far_two_runs_differ(tmp_path: Path) -> None:
    operations = [1000, 1100, 900, 1000, 1050, 950, 1000, 1010]
    spread = statistics.stdev(math.log(each) for each in operations)
    assert percent_of(operations, tmp_path) == pytest.approx(100 * math.sqrt(2) * spread)


def test_a_run_without_an_answer_is_an_error_and_no_traceback(tmp_path: Path) -> None:
    """The doctor ended with "math domain error" on a machine whose disk stood still."""
    with pytest.raises(RigError, match="no read was answered"):
        percent_of([1000, 0, 900, 1000, 1050, 950, 1000, 1010], tmp_path)
