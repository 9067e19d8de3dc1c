"""A kernel out of its self-extracting image, and modules with what they need."""

from __future__ import annotations

import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.errors import RigError
from fsgauge.rig.vm.build import kernel
from fsgauge.rig.vm.build.kernel import Modules, _unpacked, initramfs, version_of

ELF = b"\x7fELF" + bytes(range(200)) * 50


def image(payload: bytes) -> bytes:
    """A bzImage by Documentation/x86/boot.rst: 2 setup sectors, the payload 64 bytes after them."""
    head = bytearray(3 * 512)
    head[0x1F1] = 2
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<II", head, 0x248, 64, len(payload))
    return bytes(head) + bytes(64) + payload + b"after it"


def with_length(data: bytes) -> bytes:
    """The build appends the unpacked length, except to xz."""
    return data + struct.pack("<I", len(ELF))


@pytest.mark.parametrize(
    "pack",
    [lambda data: with_length(gzip.compress(data)), lambda data: data, lzma.compress],
    ids=["gzip", "plain", "xz"],
)
def test_the_elf_file_is_found_however_it_is_packed(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "vmlinuz").write_bytes(image(pack(ELF)))
    assert _unpacked(tmp_path / "vmlinuz", tmp_path, tmp_path) == ELF


def test_what_a_program_unpacks_is_given_to_it_without_the_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's cloud kernels are packed by lz4, which was given to zstd."""

    def run(_: Path, program: str, words: list[str]) -> None:
        assert program == "lz4"
        assert Path(words[1]).read_bytes() == b"\x02\x21\x4c\x18packed"
        Path(words[-1]).write_bytes(ELF)

    monkeypatch.setattr(kernel, "run_packaged", run)
    (tmp_path / "vmlinuz").write_bytes(image(with_length(b"\x02\x21\x4c\x18packed")))
    assert _unpacked(tmp_path / "vmlinuz", tmp_path, tmp_path) == ELF
    assert [each.name for each in tmp_path.iterdir()] == ["vmlinuz"]


def test_one_packed_in_another_way_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "vmlinuz").write_bytes(image(with_length(b"\x89LZO packed")))
    with pytest.raises(RigError, match="packed in a way that is not known"):
        _unpacked(tmp_path / "vmlinuz", tmp_path, tmp_path)


def test_another_file_is_no_kernel(tmp_path: Path) -> None:
    (tmp_path / "vmlinuz").write_bytes(bytes(4096))
    with pytest.raises(RigError, match="not a kernel that QEMU can start"):
        _unpacked(tmp_path / "vmlinuz", tmp_path, tmp_path)


def test_a_package_without_a_kernel_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib/modules/6.1.0-amd64").mkdir(parents=True)
    with pytest.raises(RigError, match="not a whole kernel"):
        version_of(tmp_path)
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1.0-amd64").touch()
    assert version_of(tmp_path) == "6.1.0-amd64"


@pytest.fixture
def modules(tmp_path: Path) -> Modules:
    (tmp_path / "kernel").mkdir()
    (tmp_path / "modules.dep").write_text(
        "kernel/ext4.ko: kernel/jbd2.ko kernel/mbcache.ko\n"
        "kernel/jbd2.ko:\nkernel/mbcache.ko:\nkernel/crc32c-intel.ko.xz:\nkernel/unused.ko:\n"
    )
    (tmp_path / "modules.softdep").write_text("softdep ext4 pre: crc32c_intel\n# a comment\n")
    (tmp_path / "modules.builtin").write_text("kernel/fs/ext2.ko\n")
    (tmp_path / "kernel/jbd2.ko").write_bytes(b"module")
    (tmp_path / "kernel/crc32c-intel.ko.xz").write_bytes(lzma.compress(b"packed module"))
    return Modules(tmp_path)


def test_a_module_comes_after_what_it_needs(modules: Modules) -> None:
    assert modules.with_needed(["ext4"]) == ["jbd2", "mbcache", "crc32c_intel", "ext4"]
    assert modules.with_needed(["crc32c-intel", "none"]) == ["crc32c_intel"]
    assert modules.built_in == {"ext2"}


def test_modules_are_copied_uncompressed(modules: Modules, tmp_path: Path) -> None:
    modules.copy("crc32c_intel", tmp_path / "out" / "crc32c-intel", tmp_path)
    assert (tmp_path / "out/crc32c-intel.ko").read_bytes() == b"packed module"
    modules.copy("jbd2", tmp_path / "out" / "jbd2", tmp_path)
    assert (tmp_path / "out/jbd2.ko").read_bytes() == b"module"


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
