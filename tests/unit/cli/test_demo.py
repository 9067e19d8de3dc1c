"""What the demo compares for a user who cannot make file systems: never a folder with itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.cli import demo
from fsgauge.cli.asked_study import AskedStudy
from fsgauge.errors import InputError
from fsgauge.machine.folder import places
from fsgauge.machine.folder.places import WritablePlaces
from fsgauge.study.model import Study


def compared(
    monkeypatch: pytest.MonkeyPatch, on_disk: list[str], in_memory: str
) -> tuple[AskedStudy, Study]:
    found = WritablePlaces(on_disk, in_memory)
    monkeypatch.setattr(places, "writable_places", lambda *_: found)
    chosen = demo._for_user()
    return chosen, replace(chosen, seed=1).on(None)


def test_disks_are_compared_with_memory_which_differs_for_certain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen, study = compared(monkeypatch, ["/var/tmp", "/home/me"], "/dev/shm")
    assert chosen.study == "demo-memory"
    assert [system.path for system in study.systems] == ["/var/tmp", "/home/me", "/dev/shm"]


def test_without_memory_disks_are_compared_with_direct_io(monkeypatch: pytest.MonkeyPatch) -> None:
    _, study = compared(monkeypatch, ["/var/tmp", "/home/me", "/data/x"], "")
    assert [system.path for system in study.systems] == ["/var/tmp", "/home/me", "/data/x"]
    assert [system.name for system in study.systems] == ["/var/tmp", "/home/me", "/data/x"]
    assert study.workload.direct is True


def test_a_home_without_the_usual_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    _, study = compared(monkeypatch, ["/home/me", "/data/x"], "")
    assert [system.path for system in study.systems] == ["/home/me", "/data/x"]
    assert study.storage.path == "/home/me"


@pytest.mark.parametrize(
    ("disk", "memory"),
    [("/var/tmp", "/dev/shm"), ("/home/me", "/dev/shm"), ("/var/tmp", "/run/user/7")],
)
def test_one_disk_is_compared_with_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], disk: str, memory: str
) -> None:
    chosen, study = compared(monkeypatch, [disk], memory)
    assert chosen.study == "demo-memory"
    assert [(s.name, s.path) for s in study.systems] == [(disk, disk), (memory, memory)]
    assert (study.workload.sync, study.workload.access) == ("fdatasync", ["buffered"])
    assert study.storage.path == disk
    assert disk in capsys.readouterr().err


@pytest.mark.parametrize(("on_disk", "in_memory"), [([], "/dev/shm"), (["/var/tmp"], ""), ([], "")])
def test_nothing_to_compare_is_said(
    monkeypatch: pytest.MonkeyPatch, on_disk: list[str], in_memory: str
) -> None:
    with pytest.raises(InputError, match="no two file systems") as refusal:
        compared(monkeypatch, on_disk, in_memory)
    assert "sudo fsgauge demo" in refusal.value.next


def test_places_are_on_file_systems_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This folder and its parent are one file system, so one of them is left out."""
    monkeypatch.setattr(places, "_fit", lambda *_: True)
    monkeypatch.chdir(tmp_path)
    found = places.writable_places(str(tmp_path.parent), 4096).on_disk
    devices = [Path(place).stat().st_dev for place in found]
    assert found[0] == str(tmp_path.parent)
    assert len(set(devices)) == len(devices)


@pytest.mark.parametrize(
    ("disk", "memory", "storage"),
    [(9.0, 3.0, "ram:1 GiB"), (9.0, 5.0, None), (2.0, 30.0, None), (9.0, None, None)],
)
def test_root_s_demo_takes_memory_where_it_is_far_quieter_and_says_what_it_tried(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    disk: float,
    memory: float | None,
    storage: str | None,
) -> None:
    def tried(directory: Path, *, direct: bool) -> float | None:
        return disk if direct else memory

    monkeypatch.setattr(demo, "_noise_percent", tried)
    monkeypatch.setattr(demo, "_has_memory", lambda size_bytes: True)
    assert demo._on_the_quieter(AskedStudy("demo")).storage == storage
    said = capsys.readouterr().err
    if memory is not None:
        assert f"{disk:.1f} % on /var/tmp and {memory:.1f} % in memory" in said
        assert said.count("runs in memory") == (storage is not None)


def test_without_memory_to_spare_the_disk_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_has_memory", lambda size_bytes: False)
    monkeypatch.setattr(demo, "_noise_percent", lambda directory, *, direct: 9.0)
    assert demo._on_the_quieter(AskedStudy("demo")).storage is None
