"""Few files of a large tree: those that are asked for, and what they are linked with.

The tree is another system's root, so an absolute link in it leads to a place in the tree. Programs
that the build runs come out of such a tree too, with its own libraries: they need not be installed,
and are of the same version wherever a guest is built.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said, run_tool

_MAGIC = b"\x7fELF"
_CLASS_64, _LITTLE = 2, 1
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRINGS, _RPATH, _RUNPATH, _END = 1, 5, 15, 29, 0


@dataclass(frozen=True)
class Linked:
    """Names as in the file; `folders` may begin with $ORIGIN."""

    libraries: tuple[str, ...]
    folders: tuple[str, ...] = ()


def linked(path: Path) -> Linked | None:
    """None for a file that is not a 64-bit little-endian ELF; empty for one linked statically."""
    with path.open("rb") as file:
        head = file.read(64)
        if head[:4] != _MAGIC or len(head) < 64 or head[4:6] != bytes([_CLASS_64, _LITTLE]):
            return None
        data = head + file.read()
    headers_at, size, count = (
        struct.unpack_from("<Q", data, 32)[0],
        *struct.unpack_from("<HH", data, 54),
    )
    segments = [
        struct.unpack_from("<IIQQQQQQ", data, headers_at + size * number) for number in range(count)
    ]
    dynamic = next((each for each in segments if each[0] == _DYNAMIC), None)
    if dynamic is None:
        return Linked(())
    entries = [
        struct.unpack_from("<qQ", data, dynamic[2] + at) for at in range(0, dynamic[5] - 15, 16)
    ]
    ends = next((at for at, (tag, _) in enumerate(entries) if tag == _END), len(entries))
    entries = entries[:ends]
    address = next((value for tag, value in entries if tag == _STRINGS), None)
    strings_at = next(
        (
            each[2] + address - each[3]
            for each in segments
            if address is not None and each[0] == _LOAD and each[3] <= address < each[3] + each[5]
        ),
        None,
    )
    if strings_at is None:
        return Linked(())

    def text(offset: int) -> str:
        at = strings_at + offset
        return data[at : data.index(b"\0", at)].decode()

    paths = [text(value) for tag, value in entries if tag in (_RPATH, _RUNPATH)]
    return Linked(
        tuple(text(value) for tag, value in entries if tag == _NEEDED),
        tuple(folder for each in paths for folder in each.split(":") if folder),
    )


LOADER = "usr/lib64/ld-linux-x86-64.so.2"
_LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib", "usr/lib64")
_PROGRAMS = ("usr/bin", "usr/sbin")
_MOST_LINKS = 20
_TOP = ("bin", "sbin", "lib", "lib64")


class Closure:
    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._files: set[str] = set()
        self._links: set[str] = set()

    def add(self, names: Iterable[str]) -> None:
        """Files and folders by their paths in the tree, with what they need. A name may have
        wildcards, as in usr/lib/glusterfs/[0-9]*."""
        todo = [path for name in names for path in self._meant(name)] + [LOADER]
        while todo:
            todo += self._add_one(todo.pop())

    def libraries(self) -> list[str]:
        paths = map(Path, self._files | self._links)
        usual = [path for path in paths if str(path.parent) in _LIBRARIES]
        return sorted({path.name for path in usual if ".so" in path.name})

    def copy(self, place: Path) -> None:
        """Write files and links; other names of collected programs (mkfs.ext4) are links too."""
        self._add_other_names()
        for top in _TOP:
            (place / "usr" / top).mkdir(parents=True, exist_ok=True)
            (place / top).symlink_to(f"usr/{top}")
        for name in sorted(self._files):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self._tree / name, place / name)
        for name in sorted(self._links - set(_TOP)):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            if not (place / name).is_symlink() and not (place / name).exists():
                (place / name).symlink_to((self._tree / name).readlink())

    def _meant(self, name: str) -> list[str]:
        if not any(letter in name for letter in "*?["):
            return [name]
        found = [str(each.relative_to(self._tree)) for each in self._tree.glob(name)]
        return found or [name]

    def _add_one(self, name: str) -> list[str]:
        found = self._resolved(name)
        if found in self._files:
            return []
        path = self._tree / found
        if path.is_dir():
            return [str(each.relative_to(self._tree)) for each in path.iterdir()]
        if not path.is_file():
            raise RigError(
                f"the packages of the guest do not have {name}",
                cause="the recipe names a file that this distribution has elsewhere, or not",
                next="report it with the name of the distribution",
            )
        self._files.add(found)
        needs = linked(path)
        if needs is not None:
            origin = str(Path(found).parent)
            own = (each.replace("$ORIGIN", origin).lstrip("/") for each in needs.folders)
            folders = [*(_normal(Path(each)) for each in own), *_LIBRARIES]
            return [self._library(each, name, folders) for each in needs.libraries]
        with path.open("rb") as file:
            first = file.readline(256)
        if first.startswith(b"#!"):
            return [first[2:].split()[0].decode()]
        return []

    def _library(self, library: str, of: str, folders: Iterable[str]) -> str:
        for folder in folders:
            if os.path.lexists(self._tree / folder / library):
                return f"{folder}/{library}"
        raise RigError(
            f"the library {library} of {of} is in no package of the guest",
            cause="the distribution moved it to another package",
            next="report it with the name of the distribution",
        )

    def _resolved(self, name: str) -> str:
        todo = name.lstrip("/")
        for _ in range(_MOST_LINKS):
            at, parts = Path(), Path(todo).parts
            for number, part in enumerate(parts):
                step = at / part
                if (self._tree / step).is_symlink():
                    self._links.add(str(step))
                    base = self._led_to(step)
                    todo = _normal(base.joinpath(*parts[number + 1 :]))
                    break
                at = step
            else:
                return str(at)
        raise RigError(
            f"{name} is a loop of links in the packages of the guest",
            cause="packages of two releases were mixed",
            next="fsgauge rig remove --all; fsgauge rig build",
        )

    def _led_to(self, link: Path) -> Path:
        target = (self._tree / link).readlink()
        return Path(str(target).lstrip("/")) if target.is_absolute() else link.parent / target

    def _add_other_names(self) -> None:
        for folder in _PROGRAMS:
            for path in sorted((self._tree / folder).iterdir()):
                if not path.is_symlink():
                    continue
                if _normal(self._led_to(Path(folder, path.name))) in self._files:
                    self._links.add(f"{folder}/{path.name}")


def _normal(path: Path) -> str:
    found: list[str] = []
    for part in path.parts:
        if part == "..":
            del found[-1:]
        else:
            found.append(part)
    return "/".join(found)


_SECONDS = 900.0
_LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
"""The file itself: its usual name is a link to that of this machine."""


def run_packaged(tools: Path, program: str, words: Sequence[str], *, called: str = "") -> Said:
    """Run a program of the tools' folder, by its own loader; RigError where it fails. `called` is
    the name under which it is started, where that decides what it does (kmod)."""
    libraries = ":".join(str(tools / each) for each in ("usr/lib/x86_64-linux-gnu", "usr/lib"))
    command = [
        *(str(tools / _LOADER), "--library-path", libraries),
        *("--argv0", called or program, str(tools / "usr" / "bin" / program), *words),
    ]
    said = run_tool(command, seconds=_SECONDS)
    if said.exit_code:
        raise RigError(
            f"{called or program} failed while the guest was built",
            details=tuple(said.words.splitlines()[-4:]),
            cause="the disk of the cache is full, or a package is damaged",
            next="df -h ~/.cache",
        )
    return said


def squashed(tools: Path, folder: Path, image: Path) -> None:
    """A folder as a read-only image; equal folders give equal images."""
    run_packaged(
        tools,
        "mksquashfs",
        [
            *(str(folder), str(image), "-noappend", "-all-root", "-no-xattrs", "-quiet"),
            *("-no-progress", "-comp", "zstd", "-Xcompression-level", "6", "-b", "128K"),
            *("-mkfs-time", "0"),
        ],
    )
