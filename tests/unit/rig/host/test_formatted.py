"""A file system with blocks larger than a page does not mount: that is named as the cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.device.device_claim import Claim
from fsgauge.machine.process.tool import Said
from fsgauge.record.machine import NO_STORAGE
from fsgauge.rig.host import formatted
from fsgauge.rig.host.formatted import beyond_page_bytes
from fsgauge.storage.base import Base
from fsgauge.study.model import System
from fsgauge.system import find_kind
from fsgauge.system.kind import FileSystem

WORDS = "mount: wrong fs type, bad option, bad superblock"


@pytest.mark.parametrize(
    ("mkfs", "size_bytes"),
    [
        ("", None),
        ("-b 4096", None),
        ("-b 65536", 65536),
        ("-b65536 -m 0", 65536),
        ("-m 0 -b 65536 -O ^has_journal", 65536),
        ("-b size=64k", 65536),
        ("-b size=4096 -s size=16k", 16384),
        ("-d agcount=8 -i size=65536", None),
        ("-i 65536", None),
        ("-n 65536", None),
        ("--sectorsize 65536", 65536),
        ("--sectorsize=64K", 65536),
    ],
)
def test_sizes_beyond_a_page(mkfs: str, size_bytes: int | None) -> None:
    assert beyond_page_bytes(mkfs, 4096) == size_bytes


class Refusing(Claim):
    def mount(self, command: list[str], *, seconds: float, is_quiet: bool) -> Said:
        return Said(tuple(command), 32, "", WORDS)


def refused(mkfs: str, tmp_path: Path) -> FsgaugeError:
    base = Base("/dev/x", None, 1 << 30, NO_STORAGE, claim=Refusing())
    kind = find_kind("ext4")
    assert isinstance(kind, FileSystem)
    with pytest.raises(FsgaugeError) as error:
        formatted._mount(kind, System(name="e", kind="ext4", mkfs=mkfs), base, tmp_path, 1.0)
    assert WORDS in error.value.details
    return error.value


def test_the_error_of_the_mount_names_it(tmp_path: Path) -> None:
    large = refused("-b 67108864", tmp_path)
    assert isinstance(large, InputError)
    assert "blocks of 64 MiB" in large.cause and "memory pages of" in large.cause
    assert "in the system's mkfs" in large.next
    other = refused("-m 0", tmp_path)
    assert isinstance(other, RigError) and other.next == "dmesg | tail"
    assert "too small for it, or the kernel lacks" in other.cause
