"""Processes of a fleet that are killed or interrupted while they measure.

Slow because they are real: each host loads dask, and is started again where it was killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.store import read_results
from fsgauge.store.folder import opened_results
from fsgauge.store.journal import read_journal
from tests.fleet.conftest import hosts_file
from tests.fleet.control import Running, is_gone, running
from tests.fleet.test_run import left_behind, results_of
from tests.patience import patience

SECONDS = "0.4"
TWO_BLOCKS = ("--set", "plan.blocks=2")


def begun(study: Running) -> list[int]:
    """Hosts once a run is on disk, and the next one goes on."""
    study.wait_until(lambda: bool(study.runs()))
    study.wait_until(lambda: len(study.engines()) >= 2)
    return study.hosts()


@contextmanager
def on_two_hosts(small: list[str], folder: Path, seconds: str = SECONDS) -> Iterator[Running]:
    """A study of two blocks, whose engines take so long."""
    file = str(hosts_file(folder, "a", "b"))
    words = ["run", *small, "--hosts", file, *TWO_BLOCKS]
    with running(folder, words, FSGAUGE_FLEET_ENGINE_SECONDS=seconds) as study:
        yield study


def ended(study: Running, code: int = 0) -> str:
    """What it said; it ended by itself."""
    _, said = study.process.communicate(timeout=patience(240))
    assert study.process.returncode == code, said
    return str(said)


def voided(directory: Path) -> list[str]:
    with opened_results(directory) as folder:
        return [str(line["because"]) for line in read_journal(folder) if line["event"] == "void"]


def test_a_killed_host_is_started_again(small: list[str], tmp_path: Path) -> None:
    with on_two_hosts(small, tmp_path) as study:
        os.kill(begun(study)[1], signal.SIGKILL)
        said = ended(study)
    assert "b: its connection was closed" in said
    directory = results_of(tmp_path)
    (because,) = voided(directory)
    assert because == "b: its connection was closed"
    stored = read_results(directory)
    assert len(stored.runs) == 4 and all(len(run.parts) == 2 for run in stored.runs)
    assert list(directory.glob("records-abandoned/001/*"))
    assert left_behind(tmp_path) == []


def test_a_killed_engine_costs_the_block_alone(small: list[str], tmp_path: Path) -> None:
    with on_two_hosts(small, tmp_path) as study:
        begun(study)
        os.kill(study.engines()[0], signal.SIGKILL)
        ended(study)
    (because,) = voided(results_of(tmp_path))
    assert "the engine ended without a result (signal SIGKILL)" in because
    assert left_behind(tmp_path) == []


SOMAXCONN = Path("/proc/sys/net/core/somaxconn")


@pytest.mark.root
def test_settings_of_a_killed_host_are_set_back(small: list[str], tmp_path: Path) -> None:
    """By the ledger of that host, before it is prepared again; and after the study."""
    file = str(hosts_file(tmp_path, "a"))
    before = SOMAXCONN.read_text()
    other = str(int(before) + 1)
    setting = f"system.mounted.tunables.{SOMAXCONN}={other}"
    words = ["run", *small, "--hosts", file, *TWO_BLOCKS, "--set", setting]
    with running(tmp_path, words, FSGAUGE_FLEET_ENGINE_SECONDS=SECONDS) as study:
        study.wait_until(lambda: bool(study.runs()) and bool(study.engines()))
        study.wait_until(lambda: SOMAXCONN.read_text().strip() == other)
        os.kill(study.hosts()[0], signal.SIGKILL)
        ended(study)
    assert SOMAXCONN.read_text() == before
    stored = read_results(results_of(tmp_path))
    assert all(turn.facts.tunables == {str(SOMAXCONN): other} for turn in stored.turns)
    assert left_behind(tmp_path) == []


def test_hosts_clean_up_when_the_coordinator_is_killed(small: list[str], tmp_path: Path) -> None:
    with on_two_hosts(small, tmp_path, seconds="20") as study:
        study.wait_until(lambda: len(study.engines()) >= 2)
        hosts, engines = study.hosts(), study.engines()
        study.process.kill()
        ends = time.monotonic() + 15
        while time.monotonic() < ends and not all(map(is_gone, hosts + engines)):
            time.sleep(0.1)
        assert all(map(is_gone, hosts + engines))
    assert left_behind(tmp_path) == []


def test_ctrl_c_ends_hosts_and_keeps_what_was_measured(small: list[str], tmp_path: Path) -> None:
    with on_two_hosts(small, tmp_path) as study:
        hosts = begun(study)
        study.process.send_signal(signal.SIGINT)
        said = ended(study, 130)
        assert all(map(is_gone, hosts))
    assert "fsgauge resume" in said
    assert left_behind(tmp_path) == []
