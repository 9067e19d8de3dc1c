"""What is mounted: /proc/PID/mountinfo, parsed (proc_pid_mountinfo(5)).

Works where mountinfo lacks / (chroot, container): then a path's mount is simply not known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
    """One line of mountinfo; `device` is "major:minor"."""

    device: str
    root: str
    mount_point: str
    options: str
    file_system: str
    source: str
    super_options: str

    @property
    def all_options(self) -> str:
        """Options of the mount and of the file system, each once, in the kernel's order."""
        both = [*self.options.split(","), *self.super_options.split(",")]
        return ",".join(dict.fromkeys(option for option in both if option))


def parse_mountinfo(text: str) -> list[Mount]:
    """Mounts in the order they were made; lines that do not parse are left out."""
    found = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        head, tail = before.split(" "), after.split(" ")
        if separator and len(head) >= 6 and len(tail) >= 3:
            root, point = _plain(head[3]), _plain(head[4])
            found.append(Mount(head[2], root, point, head[5], tail[0], _plain(tail[1]), tail[2]))
    return found


def mounts(process: str = "self") -> list[Mount]:
    """What a process sees mounted; empty where it cannot be read."""
    try:
        text = (_PROC / process / "mountinfo").read_text(errors="surrogateescape")
    except OSError:
        return []
    return parse_mountinfo(text)


def mounts_everywhere() -> Iterator[tuple[str, Mount]]:
    """(process id, mount) of every mount namespace that can be seen, each namespace once."""
    seen: set[str] = set()
    processes = [entry.name for entry in _PROC.iterdir() if entry.name.isdecimal()]
    for process in ["self", *processes]:
        try:
            namespace = str((_PROC / process / "ns" / "mnt").readlink())
        except OSError:
            continue
        if namespace not in seen:
            seen.add(namespace)
            for mount in mounts(process):
                yield process, mount


def mount_at(path: str | Path) -> Mount | None:
    """The topmost mount exactly at `path`."""
    found = [mount for mount in mounts() if mount.mount_point == str(path)]
    return found[-1] if found else None


def mount_holding(path: str | Path) -> Mount | None:
    """The mount that `path` lies on, or None where that is not visible."""
    real = os.path.realpath(path)
    best: Mount | None = None
    for mount in mounts():
        point = mount.mount_point.rstrip("/")
        holds = real == point or real.startswith(point + "/")
        if holds and (best is None or len(point) >= len(best.mount_point.rstrip("/"))):
            best = mount
    return best


def in_memory(path: str | Path) -> str:
    """The type of the memory file system that `path` lies on; empty where it is another."""
    mount = mount_holding(path)
    return mount.file_system if mount and mount.file_system in MEMORY_FILE_SYSTEMS else ""


def _plain(text: str) -> str:
    """Undo the kernel's octal escapes of blanks."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)
