"""Fleets of processes of this machine, with an engine that does no I/O but waits for its start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import commands
from tests.patience import patience

ENGINE = Path(__file__).with_name("fleet_engine.py")
Run = Callable[..., "subprocess.CompletedProcess[str]"]

os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def environment_of(tmp_path: Path, **more: str) -> dict[str, str]:
    """What fsgauge and its hosts run with."""
    return os.environ | {
        "FSGAUGE_ENGINE": str(ENGINE),
        "FSGAUGE_FLEET_ENGINE_CLI": str(ENGINE.parents[1] / "cli"),
        "FSGAUGE_STATE": str(tmp_path / "state"),
        "FSGAUGE_KEEP_CACHES": "1",
        **more,
    }


@pytest.fixture
def fsgauge(tmp_path: Path) -> Run:
    """Run `fsgauge ARGUMENTS` in an empty folder; nothing is checked."""

    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        environment = environment_of(tmp_path, **more)
        return commands.fsgauge(
            *arguments, folder=tmp_path, environment=environment, seconds=patience(300)
        )

    return run


def hosts_file(tmp_path: Path, *names: str) -> Path:
    """A fleet of processes of this machine, each with a folder of its own."""
    text = 'launcher = "local"\nlead = "500 ms"\n'
    for name in names:
        folder = tmp_path / "disks" / name
        folder.mkdir(parents=True, exist_ok=True)
        text += f'\n[[host]]\nname = "{name}"\npath = "{folder}"\n'
    path = tmp_path / "hosts.toml"
    path.write_text(text)
    return path


def on_one_folder(tmp_path: Path, *names: str) -> tuple[str, str]:
    """A hosts file whose hosts all have the study's folder, and that folder."""
    place = tmp_path / "disks" / "shared"
    place.mkdir(parents=True)
    text = 'launcher = "local"\nlead = "500 ms"\n'
    path = tmp_path / "hosts.toml"
    path.write_text(text + "".join(f'\n[[host]]\nname = "{name}"\n' for name in names))
    return str(path), str(place)


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """A study in which nothing takes long, of one system and its twin."""
    place = tmp_path / "disks"
    place.mkdir(exist_ok=True)
    return [
        *("overhead", "--rig", "fleet", "--storage", f"path:{place}"),
        *("--system", "mounted", "--set", "storage.size=16MiB", "--set", "plan.blocks=3"),
        *("--set", "workload.duration=100ms", "--set", "workload.warm_up=0s"),
        *("--set", 'workload.patterns=["randread"]', "--set", "workload.queue_depths=[1]"),
        *("--set", 'workload.block_sizes=["4KiB"]', "--set", "workload.direct=false"),
        *("--seed", "7", "--quiet"),
    ]
