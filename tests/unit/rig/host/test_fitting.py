"""Two folders of anyone are compared at the first try: the size and direct I/O give way."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ProbeResult
from fsgauge.plan.cost import require_files_fit
from fsgauge.rig.host import direct
from fsgauge.rig.host import rig as fitting
from fsgauge.rig.host.rig import changes_for_folders
from fsgauge.rig.rig import Change
from fsgauge.storage import path as path_storage
from fsgauge.study.parse import load_study


class Probing(Engine):
    """An engine that finds direct I/O in some folders."""

    def __init__(self, *without: str) -> None:
        self.without = without

    def run(self, job: object, *_: object, **__: object) -> ProbeResult:  # type: ignore[override]
        direct = getattr(job, "directory", "") not in self.without
        return ProbeResult.model_construct(direct=direct, direct_alignment_bytes=512)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two folders, on a disk as far as anyone looks."""
    found = [str(tmp_path / name) for name in ("a", "b")]
    for each in found:
        Path(each).mkdir()
    monkeypatch.setattr(direct, "in_memory", lambda _: "")
    return found


def changes(folders: list[str], engine: Engine, study: str = "overhead") -> list[Change]:
    return changes_for_folders(load_study(study, systems=folders), lambda: engine)


def leave(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    class Room:
        f_bavail, f_frsize = free_bytes // 4096, 4096

    monkeypatch.setattr(path_storage.os, "statvfs", lambda _: Room)
    monkeypatch.setattr(path_storage, "left_by_quota", lambda _: SimpleNamespace(size_bytes=None))


def test_nothing_gives_way_where_all_is_there(
    folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(monkeypatch, 100 << 30)
    assert changes(folders, Probing()) == []


def test_the_size_is_cut_to_what_is_free(
    folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(monkeypatch, 532 << 20)
    [change] = changes(folders, Probing())
    assert change.override == "storage.size=478MiB"
    assert change.why == f"{folders[0]} has no room for 2 GiB, so 478 MiB of each folder is used"
    assert load_study("overhead", [change.override], systems=folders).storage.model_dump()[
        "size"
    ] == (478 << 20)


def test_a_load_that_does_not_fit_is_smaller(
    folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The size was cut, and then refused: 590 clients need more than that."""
    leave(monkeypatch, 100 << 20)
    found = changes(folders, Probing(), "connections")
    assert [each.key for each in found] == ["storage.size", "workload.clients"]
    assert found[1].why.startswith("590 clients with ") and "90 MiB" in found[1].why
    fits = load_study("connections", [each.override for each in found], systems=folders)
    require_files_fit(fits, 90 << 20)


def test_a_folder_with_hardly_any_room_is_refused_as_before(
    folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(monkeypatch, 8 << 20)
    assert changes(folders, Probing()) == []


@pytest.mark.parametrize(
    ("study", "override"),
    [
        ("overhead", "workload.direct=false"),
        ("writers", 'workload.access=["buffered"]'),
        ("aging", "workload.direct=false"),
    ],
)
def test_all_are_buffered_where_one_has_no_direct_io(
    folders: list[str], monkeypatch: pytest.MonkeyPatch, study: str, override: str
) -> None:
    leave(monkeypatch, 100 << 30)
    [change] = changes(folders, Probing(folders[1]), study)
    assert change.override == override
    assert folders[1] in change.why
    load_study(study, [change.override], systems=folders)


def test_folders_that_are_not_there_and_made_systems_change_nothing(tmp_path: Path) -> None:
    assert os.path.lexists(tmp_path)
    assert fitting.changes_for_folders(load_study("overhead"), Engine) == []
