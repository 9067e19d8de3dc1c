"""The files of a machine as QEMU inherits them: by descriptors, whoever's they are."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.rig.vm import qemu
from fsgauge.rig.vm.qemu import Descriptors, Disk, MachineSpec, Qemu, command, opened
from tests.unit.rig.vm.machine import fake_node


@pytest.fixture
def spec(tmp_path: Path) -> MachineSpec:
    made = fake_node(tmp_path, "", "disk0").spec
    (tmp_path / "log").touch()
    return replace(made, disks=(replace(made.disks[0], log=tmp_path / "log"),))


def test_no_file_has_its_own_name_on_the_command_line(spec: MachineSpec, tmp_path: Path) -> None:
    with opened(spec, tmp_path / "console") as (files, descriptors):
        words = command(Qemu("/usr/bin/qemu", "7.2"), "tcg", spec, files, Descriptors(90, 91))
        names = {each: str(Path(f"/proc/self/fd/{each}").readlink()) for each in descriptors}
        assert str(tmp_path) not in " ".join(words)
        disk = files.disks[0]
        assert names[int(disk.image.name)] == str(tmp_path / "disk0")
        assert disk.log is not None and names[int(disk.log.name)] == str(tmp_path / "log")
        for path in (files.kernel, files.initramfs):
            # QEMU closes what it is given as a set, and opens these by their names afterwards.
            assert f"fd={path.name},set={path.name}" not in words
            assert path.read_bytes() == b""
        for path in (files.root, files.modules, files.lab, files.console, disk.image, disk.log):
            assert f"fd={path.name},set={path.name}" in words
    assert not [each for each in descriptors if Path(f"/proc/self/fd/{each}").exists()]
    assert words[words.index("-sandbox") + 1].count("=deny") == 4


def test_a_link_in_the_place_of_a_file_is_not_followed(spec: MachineSpec, tmp_path: Path) -> None:
    (tmp_path / "disk0").unlink()
    (tmp_path / "disk0").symlink_to("/etc/passwd")
    with pytest.raises(OSError), opened(spec, tmp_path / "console"):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="root's machines are another user's")
def test_the_user_of_a_machine_may_read_its_kernel(spec: MachineSpec, tmp_path: Path) -> None:
    """Built with umask 077 it is root's alone, and QEMU opens it anew."""
    spec.kernel.image.chmod(0o600)
    with opened(spec, tmp_path / "console"):
        assert stat.S_IMODE(spec.kernel.image.stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "console").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("mode", "group", "has"),
    [
        (0o666, 0, True),
        (0o660, 105, True),
        (0o660, 0, False),
        (0o600, 105, False),
        (0o640, 105, False),
    ],
)
def test_root_lets_machines_into_the_group_of_kvm_and_never_into_its_own(
    mode: int, group: int, has: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / "kvm"
    device.touch()
    device.chmod(mode)
    if os.geteuid() != 0:
        pytest.skip("gives the file to a group")
    os.chown(device, 0, group)
    monkeypatch.setattr(qemu, "KVM", device)
    assert qemu.has_kvm() is has
    assert qemu.kvm_groups() == ((group,) if group else ())
    device.unlink()
    assert not qemu.has_kvm() and qemu.kvm_groups() == ()


def test_a_disk_keeps_what_it_is(spec: MachineSpec, tmp_path: Path) -> None:
    shared = replace(spec, disks=(Disk("s", tmp_path / "disk0", is_shared=True),))
    with opened(shared, tmp_path / "console") as (files, _):
        assert (files.disks[0].serial, files.disks[0].is_shared) == ("s", True)
