"""How much slower a machine is than on a quiet host, and what its limits make of it."""

from __future__ import annotations

import pytest

from fsgauge.rig.vm.slowness import MOST, QUIET_SECONDS, load_words, slowness_of, worked_seconds


@pytest.mark.parametrize(
    ("work_seconds", "times"),
    [(0.0, 1.0), (QUIET_SECONDS / 2, 1.0), (3 * QUIET_SECONDS, 3.0), (99 * QUIET_SECONDS, MOST)],
)
def test_limits_grow_with_the_work_and_never_shrink(work_seconds: float, times: float) -> None:
    assert slowness_of(work_seconds) == pytest.approx(times)


def test_the_work_is_timed() -> None:
    assert worked_seconds() > 0


def test_the_load_is_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (30.24, 1.0, 1.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert load_words() == "load 30.2 on 2 processors"
