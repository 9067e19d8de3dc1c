"""What doctor and runs leave for the next plan, by storage, the study's own first; what a race is
refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.machine.facts.noise import KeptNoise, file_system_at, keep_noise, kept_noise
from fsgauge.machine.ledger.ledger_folder import STATE_VARIABLE
from fsgauge.rig.host.rig import HostRig, place_of
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv(STATE_VARIABLE, str(folder))
    return folder


def study(name: str = "overhead", directory: str = "/var/tmp") -> Study:
    return load_study(name, [f'storage.directory="{directory}"'])


def of_doctor(percent: float, at: float) -> KeptNoise:
    return KeptNoise(percent, "", 0, "/var/tmp", at)


def test_nothing_is_known_before_anything_was_measured() -> None:
    assert HostRig().last_noise(study()) is None


def test_doctor_is_asked_where_no_run_measured() -> None:
    keep_noise(file_system_at("/var/tmp"), of_doctor(4.0, 100.0))
    found = HostRig().last_noise(study())
    assert found is not None and found.noise_percent == 4.0 and found.study == ""


def test_a_run_of_the_study_comes_first_then_whatever_was_last() -> None:
    place = place_of(study())
    HostRig().keep_noise(study(), 2.0, 8, "results/a")
    keep_noise(place, of_doctor(9.0, 1e12))
    own = HostRig().last_noise(study())
    assert own is not None and (own.noise_percent, own.blocks) == (2.0, 8)
    other = HostRig().last_noise(study("writers"))
    assert other is not None and other.noise_percent == 9.0


def test_other_storage_is_other_storage() -> None:
    keep_noise("files /dev/other /other", of_doctor(4.0, 100.0))
    assert HostRig().last_noise(study()) is None
    assert HostRig().last_noise(load_study("overhead", storage="ram:1GiB")) is None
    assert place_of(load_study("overhead", storage="ram:1GiB")) == "memory"


def test_a_study_has_one_entry_a_storage() -> None:
    for percent in (1.0, 2.0, 3.0):
        HostRig().keep_noise(study(), percent, 8, "results/a")
    assert [kept.noise_percent for kept in kept_noise(place_of(study()))] == [3.0]


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"place": "x"}]', '{"a": 1}', "null"])
def test_a_damaged_file_is_as_none(state: Path, content: str) -> None:
    HostRig().keep_noise(study(), 2.0, 8, "results/a")
    (state / "noise.json").write_text(content)
    assert HostRig().last_noise(study()) is None
    HostRig().keep_noise(study(), 3.0, 8, "results/a")
    assert HostRig().last_noise(study()) is not None


def test_a_folder_that_others_can_write_is_not_used(state: Path) -> None:
    state.mkdir(mode=0o777)
    state.chmod(0o777)
    HostRig().keep_noise(study(), 2.0, 8, "results/a")
    assert list(state.iterdir()) == []


def test_no_file_system_is_made_for_a_program_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`fsgauge choose -- nosuch` tried 48 of them, for minutes, before it said so."""
    monkeypatch.setattr("fsgauge.rig.host.rig.ScratchImage", None)
    raced = load_study("command", ['workload.program=["nosuch"]'])
    refused = HostRig().refused_alone(raced)
    assert list(refused) == [each.name for each in raced.systems]
    assert all("nosuch is not installed" in error.what for [error] in refused.values())
