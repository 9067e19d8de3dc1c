"""Scans of what only some kernels mount: names without case, quotas, a real-time device.

In the rig's guest, whose kernel of Debian has them all, by its own engine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from fsgauge.engine.wire import ScanResult
from fsgauge.rig.vm import rig
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.scan.consequences import consequences
from fsgauge.scan.numbers import numbers_of
from fsgauge.study.parse import load_study
from tests.rigs.conftest import MEBIBYTE
from tests.rigs.scanning import said
from tests.rigs.virtual import machines

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("guest")]
SECONDS = 900.0
"""Emulated, on a busy machine."""
BEGIN = 'modprobe loop; cd "$FOLDER"; mkdir -p at; umount at 2>/dev/null || true; rm -f *.img'
PYTHON = "PYTHONHOME=/lab/python LD_LIBRARY_PATH=/lab/lib /lab/python/bin/python3 -s -c"
SCAN = "LD_LIBRARY_PATH=/lab/lib /lab/bin/fsgauge-engine"
FULL_OF_XFS = """
import ctypes, struct, sys
device, kind = sys.argv[1].encode(), {"user": (0, 1), "project": (2, 2)}[sys.argv[2]]
room = struct.pack("<bbHI7Q", 1, kind[1], 8, 4321, 8 << 11, 0, 0, 0, 0, 0, 0).ljust(112, b"\\0")
c = ctypes.CDLL(None, use_errno=True)
done = c.syscall(179, 0x5804 << 8 | kind[0], device, 4321, room)
assert done == 0, ctypes.get_errno()
"""
FULL_OF_EXT4 = """
import ctypes, struct, sys
room = struct.pack("<8QI", 8 << 10, 0, 0, 0, 0, 0, 0, 0, 1).ljust(72, b"\\0")
c = ctypes.CDLL(None, use_errno=True)
done = c.syscall(179, 0x800008 << 8, sys.argv[1].encode(), 4321, room)
assert done == 0, ctypes.get_errno()
"""
"""A limit of 8 MiB for the user or project 4321, by quotactl(2)."""
WITHOUT_CASE = """
import fcntl, os, struct, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
fcntl.ioctl(folder, 0x40086602, struct.pack("q", 0x40080000))
"""
"""FS_IOC_SETFLAGS with FS_CASEFOLD_FL and FS_EXTENT_FL."""
FILLED = """
import os, sys
os.setgid(4321); os.setuid(4321)
try:
    with open(sys.argv[1] + "/mine", "wb", buffering=0) as file:
        for _ in range(20):
            file.write(bytes(1 << 20)); os.fsync(file.fileno())
except OSError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def stood(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemOverNodes]:
    place = tmp_path_factory.mktemp("machine")
    overrides = [f"storage.directory={place}"]
    study = load_study("overhead", overrides, ["ext4"], "loop:3GiB", 1, baseline="ext4")
    with rig.VmRig().started(study) as session, session.standing(study.systems[0]) as stood:
        yield stood
        stood.run(0, f"{BEGIN}; losetup -D", SECONDS)
    assert machines(place) == []


def made(name: str, mebibytes: int) -> str:
    """Words that make a device, `$name`."""
    return f"truncate -s {mebibytes}M {name}.img; {name}=$(losetup --find --show $PWD/{name}.img)"


def scanned(stood: SystemOverNodes, *words: str, path: str = "$PWD/at") -> ScanResult:
    """What the guest's engine says of a path after such words in bash."""
    job = json.dumps({"format": 1, "kind": "scan", "path": "PATH", "top": 20, "map_order": 3})
    begin, _, end = job.partition("PATH")
    asked = f"printf '%s' '{begin}'\"{path}\"'{end}' | {SCAN}"
    text = "; ".join([BEGIN, *words, f"{asked} | tail -n 1"])
    last = stood.run(0, text, SECONDS).splitlines()[-1]
    return ScanResult.model_validate(json.loads(last)["result"])


def test_names_without_case(stood: SystemOverNodes) -> None:
    found = scanned(
        stood,
        made("disk", 64),
        "mke2fs -q -t ext4 -O casefold $disk; mount $disk at; mkdir at/F",
        f"{PYTHON} '{WITHOUT_CASE}' at/F",
        "for i in 1 2 3 4 5; do head -c 300000 /dev/urandom > at/F/Name$i; done; sync -f at",
        "test -e at/F/nAME1",
    )
    assert (found.counts.files, found.counts.folders, found.problems) == (5, 3, [])


QUOTAS = {
    "ext4": "mke2fs -q -t ext4 -O quota,project $disk; mount -o usrquota,prjquota $disk at",
    "xfs": "mkfs.xfs -q $disk; mount -o uquota,pquota $disk at",
}
COUNTED = {
    "ext4": "mke2fs -q -t ext4 -O quota,project $disk; mount $disk at",
    "xfs": "mkfs.xfs -q $disk; mount -o uqnoenforce $disk at",
}


def filled(stood: SystemOverNodes, kind: str, make: str) -> ScanResult:
    """A file of 20 MiB begun by who may have 8."""
    file_system, _, of = kind.partition(" ")
    limit = FULL_OF_EXT4 if file_system == "ext4" else FULL_OF_XFS
    project = "mkdir at/own; chmod 777 at/own; xfs_io -c 'chproj -R 4321' -c 'chattr +P' at/own"
    folder = "$PWD/at/own" if of == "project" else "$PWD/at"
    return scanned(
        stood,
        "modprobe quota_v2 || true",
        made("disk", 384),
        f"{make}; chmod 777 at; {project if of == 'project' else ':'}",
        f"{PYTHON} '{limit}' $disk {of or 'user'}",
        f"{PYTHON} '{FILLED}' \"{folder}\"; sync -f at",
        path=folder,
    )


@pytest.mark.parametrize("kind", ["ext4", "xfs user", "xfs project"])
def test_a_quota_that_is_used_up_is_the_first_sentence(stood: SystemOverNodes, kind: str) -> None:
    file_system, _, of = kind.partition(" ")
    found = filled(stood, kind, QUOTAS[file_system])
    rule, first = consequences(found)[0]
    assert (rule.name, first.level) == ("quota", "stop"), first
    assert f"{of or 'user'} 4321 has its 8 MiB" in first.sentence
    assert found.counts.files == 1, "quota files are none"


@pytest.mark.parametrize("kind", ["ext4", "xfs user"])
def test_limits_that_do_not_hold_are_none(stood: SystemOverNodes, kind: str) -> None:
    """Use is counted, and nobody is stopped."""
    found = filled(stood, kind, COUNTED[kind.partition(" ")[0]])
    assert found.counts.extent_bytes >= 20 * MEBIBYTE
    assert found.room.full_quotas == []


@pytest.mark.parametrize("path", ["at", "at/late"])
def test_files_on_a_real_time_device_are_counted_and_drawn_nowhere(
    stood: SystemOverNodes, path: str
) -> None:
    """Below `late`, statfs(2) counts that device, and not the one that is told of."""
    found = scanned(
        stood,
        made("disk", 384),
        made("late", 256),
        "mkfs.xfs -q -r rtdev=$late $disk; mount -o rtdev=$late $disk at",
        "mkdir at/late; xfs_io -c 'chattr +t' at/late",
        "dd if=/dev/zero of=at/late/film bs=1M count=100 status=none",
        "dd if=/dev/zero of=at/usual bs=1M count=3 status=none; sync -f at",
        path=f"$PWD/{path}",
    )
    is_whole = path == "at"
    assert (found.counts.files, found.problems) == (1 + is_whole, [])
    assert found.counts.extent_bytes == (100 + 3 * is_whole) * MEBIBYTE
    codes = {note.code for note in found.notes}
    assert {"realtime_device", "no_map"} <= codes and found.map is None
    numbers = numbers_of(found)
    assert numbers["size_bytes"] == 384 * MEBIBYTE
    used = numbers["used_percent"]
    assert used is not None and used < 30, "the film's 100 MiB lie elsewhere"
    assert (found.room.counted is not None) == is_whole
    assert not {"unseen", "full", "quota"} & said(found).keys()
    assert is_whole or "df" not in said(found)
