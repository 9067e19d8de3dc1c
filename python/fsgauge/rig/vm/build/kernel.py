"""A stock kernel of the distribution, made ready for a guest: ELF file, modules, first stage."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.rig.vm.build.closure import run_packaged, squashed
from fsgauge.rig.vm.recipe import GUEST, Recipe

_FILE, _FOLDER = stat.S_IFREG | 0o755, stat.S_IFDIR | 0o755
_TRAILER = "TRAILER!!!"


def initramfs(files: dict[str, bytes], folders: tuple[str, ...]) -> bytes:
    archive = bytearray()
    entries = [(name, _FOLDER, b"") for name in folders]
    entries += [(name, _FILE, data) for name, data in sorted(files.items())]
    for number, (name, mode, data) in enumerate(entries, start=1):
        archive += _entry(number, name, mode, data)
    archive += _entry(0, _TRAILER, 0, b"")
    return gzip.compress(bytes(archive), compresslevel=6, mtime=0)


def _entry(number: int, name: str, mode: int, data: bytes) -> bytes:
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = [number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(f"{field:08x}".encode() for field in fields)
    head += name.encode() + b"\0"
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


_ELF = b"\x7fELF"
_PROGRAMS = {b"\x28\xb5\x2f\xfd": ("zstd", "-o"), b"\x02\x21\x4c\x18": ("lz4", "")}
"""By the first bytes of what they unpack, with the option before the name of their output."""
_FOLDERS = ("bin", "proc", "sys", "dev", "mod", "new", "images")


def make_kernel(tree: Path, busybox: Path, tools: Path, wanted: Recipe, place: Path) -> list[str]:
    """Kernel, modules and first stage from an unpacked package; gives the names of its modules.
    `place` gets vmlinux, modules.squashfs and initramfs.gz."""
    version = version_of(tree)
    (place / "vmlinux").write_bytes(_unpacked(tree / "boot" / f"vmlinuz-{version}", tools, place))
    base = tree / "lib" / "modules" / version
    run_packaged(tools, "kmod", ["-b", str(tree), version], called="depmod")
    found = Modules(base)
    chosen = found.with_needed([*wanted.early_modules, *wanted.modules])
    stage = place / "modules" / "lib" / "modules" / version
    for name in chosen:
        found.copy(name, stage / found.path_of[name].partition(".ko")[0], tools)
    for name in ("modules.builtin", "modules.order", "modules.builtin.modinfo"):
        if (base / name).exists():
            shutil.copy2(base / name, stage / name)
    run_packaged(tools, "kmod", ["-b", str(place / "modules"), version], called="depmod")
    squashed(tools, stage, place / "modules.squashfs")
    (place / "initramfs.gz").write_bytes(_first_stage(found, busybox, wanted, stage))
    shutil.rmtree(place / "modules")
    return sorted({*chosen, *found.built_in})


def version_of(tree: Path) -> str:
    versions = [path.name for path in (tree / "lib" / "modules").iterdir()]
    if len(versions) != 1 or not (tree / "boot" / f"vmlinuz-{versions[0]}").is_file():
        raise RigError(
            "the package is not a whole kernel: it has no vmlinuz with its modules",
            cause="a package that only depends on others, or one without modules",
            next="apt-cache search linux-image",
        )
    return versions[0]


class Modules:
    def __init__(self, base: Path) -> None:
        self._base = base
        self.path_of: dict[str, str] = {}
        self._needs: dict[str, list[str]] = {}
        for line in (base / "modules.dep").read_text().splitlines():
            path, _, needed = line.partition(":")
            self.path_of[_name(path)] = path
            self._needs[_name(path)] = [_name(each) for each in needed.split()]
        for line in (base / "modules.softdep").read_text().splitlines():
            words = line.split()
            if words[:1] == ["softdep"]:
                wanted = [_name(each) for each in words[2:] if not each.endswith(":")]
                self._needs.setdefault(_name(words[1]), []).extend(wanted)
        builtin = (base / "modules.builtin").read_text().split()
        self.built_in = {_name(each) for each in builtin}

    def with_needed(self, names: Iterable[str]) -> list[str]:
        found: list[str] = []
        seen: set[str] = set()

        def add(name: str) -> None:
            if name in seen or name not in self.path_of:
                return
            seen.add(name)
            for each in self._needs.get(name, []):
                add(each)
            found.append(name)

        for name in names:
            add(_name(name))
        return found

    def copy(self, name: str, place: Path, tools: Path) -> None:
        source, target = self._base / self.path_of[name], place.with_name(f"{place.name}.ko")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".xz":
            target.write_bytes(lzma.decompress(source.read_bytes()))
        elif source.suffix == ".zst":
            run_packaged(tools, "zstd", ["-dqf", str(source), "-o", str(target)])
        else:
            shutil.copy2(source, target)


def _first_stage(found: Modules, busybox: Path, wanted: Recipe, stage: Path) -> bytes:
    early = found.with_needed(wanted.early_modules)
    files = {"init": (GUEST / "init").read_bytes(), "bin/busybox": busybox.read_bytes()}
    for name in early:
        path = stage / f"{found.path_of[name].partition('.ko')[0]}.ko"
        files[f"mod/{name}.ko"] = path.read_bytes()
    files["early"] = "".join(f"{name}\n" for name in early).encode()
    return initramfs(files, _FOLDERS)


def _name(path: str) -> str:
    return path.rpartition("/")[2].partition(".ko")[0].replace("-", "_")


def _unpacked(image: Path, tools: Path, scratch: Path) -> bytes:
    """The kernel's ELF file out of its self-extracting image, which takes seconds if emulated.
    Fields of the header are those of Documentation/x86/boot.rst."""
    data = image.read_bytes()
    if data[0x202:0x206] != b"HdrS":
        raise _another_package(f"{image.name} is not a kernel that QEMU can start")
    setup_sectors = data[0x1F1] or 4
    offset, length = struct.unpack_from("<II", data, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = data[start : start + length]
    if payload[:4] == _ELF:
        found = payload
    elif payload[:2] == b"\x1f\x8b":
        found = gzip.decompress(payload[:-4])
    elif payload[:6] == b"\xfd7zXZ\0":
        found = lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(payload)
    elif payload[:3] == b"BZh":
        found = bz2.BZ2Decompressor().decompress(payload)
    elif payload[:4] in _PROGRAMS:
        found = _by_program(payload, tools, scratch)
    else:
        found = b""
    if found[:4] != _ELF:
        raise _another_package(f"{image.name} is packed in a way that is not known")
    return found


def _another_package(what: str) -> RigError:
    return RigError(
        what,
        cause="the package is for another architecture, or much newer than this fsgauge",
        next="apt-cache search linux-image; fsgauge rig build --kernel PACKAGE",
    )


def _by_program(payload: bytes, tools: Path, scratch: Path) -> bytes:
    """The last 4 bytes, which the kernel's build appends, are not the program's."""
    program, to = _PROGRAMS[payload[:4]]
    packed, plain = scratch / "payload.packed", scratch / "payload"
    packed.write_bytes(payload[:-4])
    run_packaged(tools, program, ["-dqf", str(packed), *filter(None, [to]), str(plain)])
    found = plain.read_bytes()
    packed.unlink()
    plain.unlink()
    return found
