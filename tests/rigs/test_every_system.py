"""Every kind of system is made, mounted, filled with the same bytes, and leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.engine.wire import BlockTarget, FilesTarget
from fsgauge.errors import InputError, RefusedError, RigError
from fsgauge.machine.facts.mounts import mount_at
from fsgauge.machine.ledger import traces
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import PathStorage, RamStorage, System
from fsgauge.system import FileSystem, support_of, system_kinds
from tests.rigs.conftest import MEBIBYTE, Scene

pytestmark = pytest.mark.root
FILE_SYSTEMS = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]


@pytest.mark.parametrize("kind", FILE_SYSTEMS, ids=lambda kind: kind.name)
def test_is_made_mounted_filled_and_gone(kind: FileSystem, scene: Scene, rig: HostRig) -> None:
    if not support_of(kind, load_module=True).usable:
        pytest.skip(
            f"{kind.name} is not supported here; fsgauge doctor --systems says what is missing"
        )
    study = scene.study({"name": kind.name})
    rig.check(study, None)
    with rig.systems(study) as systems:
        for _turn in range(2):
            with systems.prepare(study, study.systems[0]) as prepared:
                target = prepared.target
                assert isinstance(target, FilesTarget)
                mount = mount_at(target.directory)
                assert mount is not None and mount.file_system == kind.driver
                for index in range(target.count):
                    file = Path(target.directory) / f"{target.prefix}{index:04d}"
                    assert file.stat().st_size == target.file_size_bytes
                    assert file.stat().st_blocks * 512 >= target.file_size_bytes
                    with file.open("rb") as data:
                        assert len(set(data.read(4096))) > 100
                assert prepared.layout.size_bytes == target.count * target.file_size_bytes
                assert prepared.facts.mkfs_command[0] == kind.mkfs
                assert prepared.facts.mount_options.startswith("rw")
                assert prepared.facts.details
                assert systems.settle(prepared)[0].startswith("synced; ")
            assert mount_at(target.directory) is None
    assert scene.left() == []


@pytest.mark.usefixtures("dropped_caches")
@pytest.mark.parametrize("name", ["raw", "ext4"])
def test_root_empties_the_machines_caches(name: str, scene: Scene, rig: HostRig) -> None:
    study = scene.study({"name": name})
    with (
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]) as prepared,
    ):
        assert systems.settle(prepared) == ["synced; page, dentry and inode caches dropped"]


def test_all_systems_carry_the_bytes_that_fit_the_smallest(scene: Scene, rig: HostRig) -> None:
    """ext4 with half of its blocks reserved leaves the least: everyone gets what it can hold."""
    study = scene.study(
        {"name": "raw"}, {"name": "ext2"}, {"name": "tight", "kind": "ext4", "mkfs": "-m 50"}
    )
    sizes = {}
    with rig.systems(study) as systems:
        for system in study.systems:
            with systems.prepare(study, system) as prepared:
                target = prepared.target
                sizes[system.name] = prepared.layout.size_bytes
                if isinstance(target, BlockTarget):
                    assert target.size_bytes == prepared.layout.size_bytes
                    assert target.path == systems.base.device
    assert len(set(sizes.values())) == 1
    assert 40 * MEBIBYTE < sizes["raw"] < 80 * MEBIBYTE
    assert scene.left() == []


def test_copy_on_write_has_room_to_overwrite_everything(scene: Scene, rig: HostRig) -> None:
    """Found with btrfs filled to 90 %: random writes ended in ENOSPC within five seconds."""
    sizes = []
    for patterns in (["randread"], ["randwrite"]):
        study = scene.study({"name": "btrfs"}, patterns=patterns)
        with rig.systems(study) as systems:
            sizes.append(systems.working_set.file_size_bytes)
    assert sizes[1] == pytest.approx(sizes[0] / 2, rel=0.05)


def test_each_turn_starts_from_a_blank_device(scene: Scene, rig: HostRig) -> None:
    study = scene.study({"name": "raw"}, {"name": "ext4"})
    with rig.systems(study) as systems:
        assert systems.base.device is not None
        with systems.prepare(study, study.systems[0]) as prepared:
            target = prepared.target
            assert isinstance(target, BlockTarget)
            with Path(systems.base.device).open("rb") as device:
                assert any(device.read(4096))
                device.seek(target.size_bytes - 4096)
                assert any(device.read(4096)), "the region is filled to its end"
                assert not any(device.read(4096)), "nothing is written beyond it"
        with systems.prepare(study, study.systems[1]) as prepared:
            assert prepared.start_state[0] == "whole device discarded"
            file = scene.scratch.rglob("storage.img")
            used = next(iter(file)).stat().st_blocks * 512
            assert used < prepared.layout.size_bytes * 1.5, "the raw turn's blocks were given back"


def test_a_preallocated_file_stays_allocated(scene: Scene, rig: HostRig) -> None:
    """The discard before each turn punches holes in the file, so it is allocated again."""
    study = scene.study({"name": "ext4"}, storage={"preallocate": True})
    with rig.systems(study) as systems:
        file = next(iter(scene.scratch.rglob("storage.img")))
        with systems.prepare(study, study.systems[0]):
            used_bytes = file.stat().st_blocks * 512
            assert used_bytes >= file.stat().st_size == systems.working_set.size_bytes
    assert scene.left() == []


def test_memory_as_storage(scene: Scene, rig: HostRig) -> None:
    storage = RamStorage(size=320 * MEBIBYTE)
    study = scene.study({"name": "ext4"}).model_copy(update={"storage": storage})
    rig.check(study, None)
    with (
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]) as prepared,
    ):
        assert prepared.layout.files == 3
        assert systems.base.facts.device_chain[1]["file_system"] == "tmpfs"
    assert scene.left() == []


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ({"name": "xfs", "mkfs": "-d agcount=99999999"}, "agcount"),
        ({"name": "ext4", "mkfs": "-O no_such_feature"}, "no_such_feature"),
        ({"name": "ext2", "mount": "orlov,dax=always"}, "dax"),
        ({"name": "xfs", "mount": "logbufs=99"}, "logbuf"),
        ({"name": "btrfs", "mount": "compress=nonsense"}, "compress"),
        ({"name": "ext4", "tunables": {"queue/nr_requests": "banana"}}, "banana"),
        ({"name": "ext4", "tunables": {"queue/no_such_thing": "1"}}, "no_such_thing"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_refused_option_says_why_and_leaves_nothing(
    system: dict[str, object], words: str, scene: Scene, rig: HostRig
) -> None:
    study = scene.study(system)
    rig.check(study, None)
    with pytest.raises(InputError) as error, rig.systems(study):
        pass
    assert words in error.value.render()
    assert error.value.exit_code == 2
    assert scene.left() == []


def test_a_device_among_the_options_is_refused_before_anything(scene: Scene, rig: HostRig) -> None:
    for system in (
        {"name": "ext4", "mkfs": "/dev/vda"},
        {"name": "xfs", "mkfs": "-l logdev=/dev/vda"},
        {"name": "xfs", "mount": "logdev=/dev/vda"},
    ):
        with pytest.raises(RefusedError):
            rig.check(scene.study(system), None)


def test_tunables_are_set_and_set_back(scene: Scene, rig: HostRig) -> None:
    study = scene.study({"name": "ext4", "tunables": {"queue/read_ahead_kb": "64"}})
    with rig.systems(study) as systems:
        path = Path(f"/sys/block/{Path(str(systems.base.device)).name}/queue/read_ahead_kb")
        before = path.read_text()
        with systems.prepare(study, study.systems[0]) as prepared:
            assert path.read_text().strip() == "64"
            assert prepared.facts.tunables == {str(path): "64"}
        assert path.read_text() == before


def test_an_error_within_a_turn_leaves_nothing(scene: Scene, rig: HostRig) -> None:
    study = scene.study({"name": "ext4"})
    with (
        pytest.raises(ZeroDivisionError),
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]),
    ):
        raise ZeroDivisionError
    assert scene.left() == []


def test_a_busy_mount_names_its_holder(
    scene: Scene, rig: HostRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "_PATIENCE_SECONDS", 0.3)
    study = scene.study({"name": "ext4"})
    held = []
    with (
        pytest.raises(RigError) as error,
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]) as prepared,
    ):
        target = prepared.target
        assert isinstance(target, FilesTarget)
        held.append((Path(target.directory) / "fsgauge-0000").open("rb"))
    assert error.value.what.endswith("cannot be unmounted")
    assert f"(process {os.getpid()})" in error.value.cause
    held[0].close()
    assert any("unmounted" in sentence for sentence in clean_up_after_the_dead())
    assert scene.left() == []


def test_path_storage_touches_nothing_but_its_own_folder(scene: Scene, rig: HostRig) -> None:
    (scene.scratch / "precious").write_text("mine")
    study = scene.study({"name": "raw"}).model_copy(
        update={
            "storage": PathStorage(path=str(scene.scratch), size=16 * MEBIBYTE),
            "systems": [System(name="here", kind="mounted")],
        }
    )
    rig.check(study, None)
    with (
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]) as prepared,
    ):
        assert prepared.layout.files == 3
        assert "synced" in systems.settle(prepared)[0]
    assert [path.name for path in scene.scratch.iterdir()] == ["precious"]
