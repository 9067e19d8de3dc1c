"""The doctor on this machine, with the real engine: a file of its own, gone afterwards."""

from __future__ import annotations

from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.rig.host.doctor import diagnose
from tests.rigs.conftest import Scene


def test_noise_is_measured_and_nothing_stays(scene: Scene, engine: Engine) -> None:
    found = diagnose(engine.run, Path(scene.scratch))
    assert found.problems == []
    assert found.engine is not None and found.engine.clock_ns_per_read > 0
    assert found.noise_percent is not None and found.noise_percent > 0
    assert found.noise_apart_percent is not None and found.noise_apart_percent > 0
    assert scene.left() == []
