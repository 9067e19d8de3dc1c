"""Folders that are an overlay and a bind mount: what a plan says of them, and files on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from tests.rigs.conftest import Scene, run

pytestmark = pytest.mark.root


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """A plain folder, the same bound elsewhere, and an overlay on the same disk."""
    made = {name: tmp_path / name for name in ("plain", "bound", "layers")}
    parts = {name: tmp_path / name for name in ("lower", "upper", "work")}
    for folder in (*made.values(), *parts.values()):
        folder.mkdir()
    options = ",".join(f"{name}dir={folder}" for name, folder in parts.items())
    with ExitStack() as stack:
        for command in (
            ("mount", "--bind", str(made["plain"]), str(made["bound"])),
            ("mount", "-t", "overlay", "overlay", "-o", options, str(made["layers"])),
        ):
            run(*command)
            stack.callback(run, "umount", command[-1])
        yield made


def study_of(folders: dict[str, Path]) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "s",
            "question": "Why?",
            "storage": {"kind": "path", "path": str(folders["plain"]), "size": 16 << 20},
            "system": [
                {"name": name, "kind": "mounted", "path": str(folder)}
                for name, folder in folders.items()
            ],
            "workload": {"kind": "overhead", "files": 2},
            "plan": {"seed": 1},
        }
    )


@pytest.mark.usefixtures("dropped_caches")
def test_an_overlay_and_a_bind_mount(folders: dict[str, Path], scene: Scene, rig: HostRig) -> None:
    study = study_of(folders)
    assert rig.refusals(study) == []
    seen = rig.folders(study)
    below = seen.facts["plain"].details["file system"]
    assert seen.facts["bound"].details["file system"] == below
    assert seen.facts["layers"].details["file system"] == "overlay"
    assert f"upperdir={folders['plain'].parent / 'upper'}" in seen.facts["layers"].mount_options
    assert any("plain and bound are on one file system" in each for each in seen.cautions)
    assert not any("layers are on one file system" in each for each in seen.cautions)
    with rig.systems(study) as systems:
        assert f"layers: {folders['layers']} (overlay over {below}" in systems.base.facts.sentence
        for system in study.systems:
            with systems.prepare(study, system) as prepared:
                assert len(list(folders[system.name].iterdir())) == 1
                assert systems.settle(prepared)[0].startswith("synced; ")
    assert [list(folder.iterdir()) for folder in folders.values()] == [[], [], []]
    assert scene.left() == []


@pytest.mark.usefixtures("dropped_caches")
def test_direct_io_is_tried_where_the_system_is_already_there(
    folders: dict[str, Path], scene: Scene, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A node of the virtual rig mounts at its folder in each turn: before, the folder is the
    guest's own, whose direct I/O says nothing of what is measured."""
    monkeypatch.setattr("fsgauge.rig.host.working_set.direct_in_cache", lambda *_: "all pages")
    study = study_of(folders)
    for remounts, found in ((False, dict.fromkeys(folders, "all pages")), (True, {})):
        with HostRig(engine, remounts=remounts).systems(study) as systems:
            assert systems.base.facts.cached_direct == found
    assert scene.left() == []
