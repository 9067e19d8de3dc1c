"""What the doctor finds, with an engine that answers from memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.ledger import ledger_folder
from fsgauge.rig.host import doctor
from fsgauge.rig.host.doctor import diagnose, system_standings
from fsgauge.system import Support


@pytest.fixture(autouse=True)
def _own_ledgers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_folder, "ledger_folder", lambda: tmp_path / "ledgers")


def standings(
    monkeypatch: pytest.MonkeyPatch, support: Support, user: int
) -> dict[str, tuple[str, str]]:
    monkeypatch.setattr(doctor, "support_of", lambda kind, load_module: support)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    return {found.name: (found.standing, found.next) for found in system_standings()}


def test_systems_that_work(monkeypatch: pytest.MonkeyPatch) -> None:
    found = standings(monkeypatch, Support(True, True, ""), 0)
    assert set(found.values()) == {("works", ""), ("modelled", "")}
    assert {found["vxfs"], found["ext4-6.18"]} == {("modelled", "")}
    assert found["ext4"] == found["raw"] == ("works", "")


def test_systems_that_miss_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    found = standings(monkeypatch, Support(True, False, "apt-get install x"), 0)
    assert found["xfs"] == ("needs", "apt-get install x")
    assert found["raw"] == ("works", "")


def test_systems_that_the_kernel_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = standings(monkeypatch, Support(False, True, ""), 0)
    assert found["btrfs"][0] == "impossible"
    assert found["mounted"][0] == "works"


def test_an_ordinary_user_has_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    found = standings(monkeypatch, Support(True, True, ""), 1000)
    assert found["ext4"][0] == found["raw"][0] == "needs"
    assert found["mounted"][0] == "works"


def test_an_engine_that_is_broken_is_a_problem_not_an_end(tmp_path: Path) -> None:
    def run(job: object, on_event: object) -> object:
        raise RigError("the engine is not installed", next="make setup")

    found = diagnose(run, tmp_path)  # type: ignore[arg-type]
    assert found.engine is None and found.noise_percent is None
    assert found.problems == ["engine: the engine is not installed; make setup"]
    assert found.systems
