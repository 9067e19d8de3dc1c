"""The kernel's cpio form, by its own description (Documentation/driver-api/early-userspace)."""

from __future__ import annotations

import gzip

from fsgauge.rig.vm.build.kernel import initramfs


def entries(archive: bytes) -> list[tuple[str, int, bytes]]:
    """Name, mode and bytes of each entry, read as the kernel does."""
    found, at = [], 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name_length, size = fields[11], fields[6]
        name = archive[at + 110 : at + 110 + name_length - 1].decode()
        data_at = at + 110 + name_length
        data_at += -data_at % 4
        if name == "TRAILER!!!":
            return found
        found.append((name, fields[1], archive[data_at : data_at + size]))
        at = data_at + size
        at += -at % 4


def test_it_holds_folders_first_and_every_file() -> None:
    files = {"init": b"#!/bin/sh\n", "bin/busybox": b"x" * 5}
    found = entries(gzip.decompress(initramfs(files, ("bin", "proc"))))
    assert [name for name, _, _ in found] == ["bin", "proc", "bin/busybox", "init"]
    assert {name: data for name, _, data in found if data} == files
    assert {oct(mode) for _, mode, _ in found} == {"0o40755", "0o100755"}


def test_equal_files_give_equal_archives() -> None:
    assert initramfs({"a": b"1", "b": b"2"}, ()) == initramfs({"b": b"2", "a": b"1"}, ())
