"""`fsgauge report DIR --set workload.disk.KEY=VALUE`: another disk's predictions, without measuring
again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.programs import find_engine
from tests.synthetic_aging import SYSTEMS, make_aging

from .conftest import Run

TWO = {name: SYSTEMS[name] for name in ("ext4 1 MiB", "ext4 8 MiB")}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return make_aging(levels=(5,), blocks=3, systems=TWO, maps=False).write(tmp_path / "aging")


def test_a_disk_of_ones_own(fsgauge: Run, results: Path) -> None:
    engine = {"FSGAUGE_ENGINE": str(find_engine())}  # what predicts, not the one of the other tests
    usual = fsgauge("report", str(results), **engine)
    assert usual.returncode == 0, usual.stderr
    disk_of_ones_own = ("--set", "workload.disk.window=16", "--set", "workload.disk.position=90 %")
    changed = fsgauge("report", str(results), *disk_of_ones_own, **engine)
    assert changed.returncode == 0, changed.stderr
    found = json.loads((results / "report.json").read_text(encoding="utf-8"))
    disk = {each["name"]: each["value"] for each in found["own"]["disk"] if not each["is_default"]}
    assert disk == {"window": 16, "position": 90.0}
    measured, _, predicted = changed.stdout.partition("A model, not a measurement")
    assert predicted and usual.stdout.startswith(measured)
    assert not usual.stdout.endswith(predicted)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("disk.windw=16", "did you mean"),
        ("disk.outer_rate=200", "200 MB/s"),
        ("disk.seek_full=1 ms", "a longer seek does not take less time"),
        ("streams=8", "records stay as they were measured"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    fsgauge: Run, results: Path, change: str, said: str
) -> None:
    done = fsgauge("report", str(results), "--set", f"workload.{change}")
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert not (results / "report.html").exists()
