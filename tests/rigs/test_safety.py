"""A device that holds anything, anywhere in its tree, is refused with all that was found."""

from __future__ import annotations

import os
import struct
import subprocess
import time
import zlib
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RefusedError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.device.device_tree import contents_of
from fsgauge.rig.host.rig import HostRig
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene, attach, run
from tests.rigs.on_device import agreed, device_of, file_of, study_on, write_at
from tests.rigs.partitions import partition_table

pytestmark = pytest.mark.root


def refusal(rig: HostRig, scene: Scene, device: str) -> str:
    """What is said when someone consents to the destruction of a device that is not empty."""
    before = file_of(device).read_bytes()
    with pytest.raises(RefusedError) as error:
        agreed(rig, scene, device)
    assert error.value.exit_code == 2
    assert file_of(device).read_bytes() == before, "nothing was written"
    return error.value.render()


def lvm_label() -> bytes:
    """The second sector of an LVM2 physical volume, with its checksum (format_text/layout.h)."""
    uuid = b"abcdefABCDEFabcdefABCDEFabcdef01"
    after_crc = struct.pack("<I8s32sQ", 32, b"LVM2 001", uuid, 64 * MEBIBYTE).ljust(492, b"\0")
    crc = ~zlib.crc32(after_crc, ~0xF597A6CF & 0xFFFFFFFF) & 0xFFFFFFFF
    return struct.pack("<8sQI", b"LABELONE", 1, crc) + after_crc


def raid_superblock() -> bytes:
    """Version 1.2 superblock of a RAID member, with its checksum (md_p.h)."""
    block = bytearray(256)
    struct.pack_into("<III", block, 0, 0xA92B4EFC, 1, 0)
    block[16:32] = bytes(range(16))
    block[32:37] = b"night"
    struct.pack_into("<Q", block, 144, 8)
    total = sum(struct.unpack("<64I", block))
    struct.pack_into("<I", block, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(block)


@pytest.mark.parametrize(
    ("offset", "data", "words"),
    [
        (512, lvm_label(), "LVM member"),
        (4096, raid_superblock(), 'RAID member "night"'),
        (0, b"LUKS\xba\xbe\x00\x01".ljust(592, b"\0"), "LUKS"),
        (0, partition_table([(1, 32)]), "partition table (dos)"),
    ],
    ids=["lvm", "raid", "luks", "mbr"],
)
def test_signatures(
    offset: int, data: bytes, words: str, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop()
    write_at(device, offset, data)
    said = refusal(rig, scene, device)
    assert words in said
    assert f"error: {device} holds data, so it is left alone" in said


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (["mkfs.ext4", "-q", "-L", "home"], 'ext4 "home"'),
        (["mkswap"], "swap"),
        (["mkfs.btrfs", "-q", "-L", "a b"], "btrfs"),
    ],
    ids=["ext4", "swap", "btrfs"],
)
def test_made_by_tools(
    make: list[str], words: str, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop(128 * MEBIBYTE)
    run(*make, device)
    assert words in refusal(rig, scene, device)


def with_partition(make_loop: MakeLoop) -> str:
    """A device with a partition that the kernel was told of, so that no table is needed."""
    device = make_loop(64 * MEBIBYTE, "--partscan")
    run("addpart", device, "1", "2048", "65536")
    deadline = time.monotonic() + 10
    while not Path(f"{device}p1").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return device


def test_a_file_system_in_a_partition(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    device = with_partition(make_loop)
    run("mkfs.ext4", "-q", "-L", "inner", f"{device}p1")
    assert f'{device}p1  ext4 "inner"' in refusal(rig, scene, device)


def test_an_empty_partition_is_a_finding_too(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = with_partition(make_loop)
    assert f"{device}p1  partition" in refusal(rig, scene, device)


def test_mounted_here_and_in_another_namespace(
    make_loop: MakeLoop, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    here, there = make_loop(), make_loop()
    point = tmp_path / "point"
    point.mkdir()
    for device in (here, there):
        run("mkfs.ext4", "-q", device)
    run("mount", here, str(point))
    try:
        with pytest.raises(RefusedError) as error:
            rig.check(study_on(scene, here), Consent(("x",)))
        assert f"mounted at {point}" in error.value.render()
    finally:
        run("umount", str(point))
    # In a chroot "/" is no mount point: `unshare --propagation private` would fail there.
    private = "mount --make-rprivate / 2>/dev/null"
    script = f"{private}; mount {there} '{point}' && echo ready && read -r _"
    command = ["unshare", "--mount", "--propagation", "unchanged", "sh", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout and process.stdout.readline() == b"ready\n"
            with pytest.raises(RefusedError) as error:
                rig.check(study_on(scene, there), Consent(("x",)))
            assert f"mounted at {point}" in error.value.render()
        finally:
            process.communicate(b"\n", timeout=patience(30))


def test_in_use_without_a_signature(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    device = make_loop()
    holder = os.open(device, os.O_RDONLY | os.O_EXCL)
    try:
        assert "in use by another program" in refusal(rig, scene, device)
    finally:
        os.close(holder)


def test_a_loop_over_the_device(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    device = make_loop()
    upper = attach(Path(device))
    try:
        assert f"{upper}  device made on it" in refusal(rig, scene, device)
    finally:
        run("losetup", "--detach", upper)


def test_consent_names_the_device(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    device = make_loop()
    name = str(file_of(device))
    for wrong in (None, "SERIAL-OF-ANOTHER", device):
        with pytest.raises(RefusedError) as error:
            rig.check(study_on(scene, device), Consent((wrong,) if wrong else ()))
        assert f"next: --destroy {name}" in error.value.render()
    study = agreed(rig, scene, device)
    with rig.systems(study) as systems:
        assert systems.base.device == device
        with systems.prepare(study, study.systems[0]) as prepared:
            assert prepared.facts.mount_source == device
        with pytest.raises(RefusedError, match="lock"):
            other = HostRig(rig._engine)
            other._destroy = Consent((name,))
            with other.systems(study):
                pass
    assert contents_of(device_of(device)) == [], "the device is given back empty"
    assert scene.left() == []


def test_no_usable_device(make_loop: MakeLoop, scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    small, fixed = make_loop(1 * MEBIBYTE), make_loop(64 * MEBIBYTE, "--read-only")
    too_small_for_xfs = make_loop(64 * MEBIBYTE)
    for device, words in (
        ("/dev/no-such-device", "there is no device"),
        (str(tmp_path / "plain"), "not a block device"),
        (small, "at least"),
        (fixed, "read-only"),
    ):
        with pytest.raises(InputError) as error:
            rig.check(study_on(scene, device), Consent(("x",)))
        assert words in error.value.render()
    with pytest.raises(InputError, match="at least"):
        rig.check(study_on(scene, too_small_for_xfs, "xfs"), Consent(("x",)))
