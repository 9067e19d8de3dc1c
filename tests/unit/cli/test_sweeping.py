"""The time of a sweep in its plan: all points, with what each takes beside its lives."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fsgauge.cli.sweeping import BESIDE_SECONDS, _points_code, of_sweep
from fsgauge.plan.around import Tried
from fsgauge.plan.preview import PlanDescription, describe
from fsgauge.plan.turns import make_plan
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study
from fsgauge.sweep.folder import Sweep
from tests.attack.test_sweeps_and_bisections import STUDY

FILE = """\
format = 1
question = "How long do reads stay fast?"
[storage]
kind = "simulated"
size = "128 MiB"
[[system]]
name = "first-fit"
[workload]
kind = "churn"
fills = ["80 %"]
tests = ["read"]
[plan]
blocks = 3
seed = 7
"""
SWEEP = """\
[sweep]
years = [0, 1, 4]
rewrites_a_year = 0.5
profiles = ["size_sigma=2", "size_sigma=1"]
"""


def study(text: str) -> Study:
    return parse_study(text, "years.toml", "years")


class Tries:
    """A rig whose blocks take a second for each time that a tree is written; twice that for one
    profile."""

    tries_blocks = True

    def size_bytes(self, study: Study) -> int:
        return 128 << 20

    def tried(self, study: Study) -> Tried | None:
        keys = study.workload.model_dump()
        seconds = keys["storage_age"] * (2 if keys["size_sigma"] == 1 else 1)
        return Tried(seconds, seconds / 2, seconds * 2, "tried", trial_seconds=0.25)


RIG = cast(Rig, Tries())


def described(swept: Study) -> PlanDescription:
    size_bytes = RIG.size_bytes(swept)
    return describe(make_plan(swept, size_bytes=size_bytes), swept, size_bytes=size_bytes)


def test_a_plan_counts_every_point_with_its_trial_and_its_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The time was that of one study times points; a sweep took a multiple of it."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    swept = study(FILE + SWEEP)
    found = of_sweep(described(swept), swept, RIG)
    # 3 blocks of 1, 1.5 and 3 seconds, twice that with the other profile, on two processors
    lives_seconds = 3 * (1 + 1.5 + 3) * 3
    assert found.expected_seconds == pytest.approx(
        (lives_seconds + 6 * (0.25 + BESIDE_SECONDS)) / 2
    )
    assert found.longest_seconds == pytest.approx(2 * found.expected_seconds)
    assert "all 6 points with their reports, 2 at a time" in found.time_basis
    assert found.written_bytes_estimate > 3 * described(swept).written_bytes_estimate


def test_of_many_profiles_the_first_three_are_tried() -> None:
    profiles = ", ".join(f'"median_size={each} KiB"' for each in (4, 8, 12, 16))
    swept = study(f"{FILE}[sweep]\nyears = [0]\nprofiles = [{profiles}]\n")
    found = of_sweep(described(swept), swept, RIG)
    assert "all 4 points" in found.time_basis
    assert "turns of 3 points were tried" in found.time_basis


def test_the_plan_of_no_sweep_is_as_it_was() -> None:
    alone = study(FILE)
    assert of_sweep(described(alone), alone, RIG) == described(alone)


def test_a_point_works_in_the_folder_that_it_gets(tmp_path: Path) -> None:
    """Whoever owns a folder above it can give its name to another one."""
    named, moved = tmp_path / "001", tmp_path / "moved"
    named.mkdir()
    (named / "point.toml").write_text(STUDY.replace("[sweep]\nyears = [0, 1]\n", ""))
    descriptor = os.open(named, os.O_RDONLY | os.O_DIRECTORY)
    named.rename(moved)
    named.mkdir()
    (named / "point.toml").write_text("another study")
    words = ["run", str(named / "point.toml"), "--rig", "simulator", "--results", str(named)]
    child = [sys.executable, "-m", "fsgauge.cli.sweeping", str(descriptor), str(named)]
    ended = subprocess.run(
        [*child, *words, "--yes", "--quiet"],
        pass_fds=[descriptor],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(descriptor)
    assert ended.returncode == 0, ended.stderr
    assert [each.name for each in named.iterdir()] == ["point.toml"]
    (study,) = moved.glob("s-*/study.json")
    assert str(named / "point.toml") in study.read_text()  # as it was called


def test_a_sweep_ends_with_the_gravest_of_its_points() -> None:
    def point(*, valid: bool, compared: bool = True) -> SimpleNamespace:
        report = {
            "sureness": {"valid": valid},
            "systems": ["ext4", "xfs"],
            "comparisons": [{}] * compared,
            "layouts": None,
        }
        return SimpleNamespace(report=lambda: report)

    def code(*points: SimpleNamespace) -> int:
        return _points_code(cast(Sweep, SimpleNamespace(points=points)))

    unfinished = SimpleNamespace(report=lambda: None)
    assert code(point(valid=True), unfinished) == 3
    assert code(point(valid=True), point(valid=False), point(valid=True, compared=False)) == 1
    assert code(point(valid=True), point(valid=True, compared=False)) == 3
    assert code(unfinished) == 3
