"""The real command line in a process of its own, with an engine that does no I/O."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import commands
from tests.command_server import BLANK_PICTURES
from tests.patience import patience

Run = Callable[..., subprocess.CompletedProcess[str]]

ENGINE = Path(__file__).with_name("begin_engine.py")

# The fake engine is a script for `env python3`, started thousands of times: the interpreter of the
# tests, not one found by a launcher such as pyenv's, which takes ten times as long to begin.
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.fixture
def fsgauge(tmp_path: Path) -> Run:
    """Run `fsgauge ARGUMENTS` in an empty folder; nothing is checked."""

    def run(*arguments: str, mode: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "FSGAUGE_ENGINE": str(ENGINE),
            "FSGAUGE_STATE": str(tmp_path / "state"),
            "FSGAUGE_KEEP_CACHES": "1",  # hundreds of runs would each read Python from disk anew
            "FSGAUGE_FAKE_ENGINE_MODE": mode,
            BLANK_PICTURES: "1",
            **more,
        }
        return commands.fsgauge(
            *arguments, folder=tmp_path, environment=environment, seconds=patience(120)
        )

    return run


def is_planned(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a plan was printed whole; what this machine refuses (no root, no room) is its own."""
    return done.returncode == 0 or ("\nrefused " in done.stdout and done.returncode == 2)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder for path storage."""
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def in_a_folder(place: Path, workload: str) -> Path:
    """A study of one folder in two blocks, with this [workload]."""
    file = place.parent / "mine.toml"
    file.write_text(
        f"""format = 1
question = "What does it cost here?"
[storage]
kind = "path"
path = "{place}"
size = "32 MiB"
[[system]]
name = "here"
kind = "mounted"
[workload]
{workload}
[plan]
blocks = 2
seed = 7
"""
    )
    return file


@pytest.fixture
def small(place: Path) -> list[str]:
    return small_in(place)


def small_in(place: Path) -> list[str]:
    """The words of a study on path storage in which nothing takes long."""
    return [
        "run",
        "demo-user",
        "--storage",
        f"path:{place}",
        "--set",
        "storage.size=16MiB",
        "--set",
        "plan.blocks=3",
        "--seed",
        "7",
        "--quiet",
    ]
