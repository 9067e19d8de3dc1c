"""A point of a sweep is simulated in the folder that was checked, whatever has its name by then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.attack.test_sweeps_and_bisections import STUDY


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
    child = [sys.executable, "-m", "fsgauge.cli.sweep_point", str(descriptor), str(named)]
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
