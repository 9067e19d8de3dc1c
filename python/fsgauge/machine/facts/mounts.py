"""What is mounted: /proc/PID/mountinfo, parsed (proc_pid_mountinfo(5)); what an NFS server of this
machine exports, and how; mount(2) and umount2(2), made by this process itself; and what the kernel
says meanwhile: its reason for a refused mount is only in its log.

Works where mountinfo lacks / (chroot, container): then a path's mount is simply not known.
"""

from __future__ import annotations

import ctypes
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.facts.pseudo_files import lines_of
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC

_PROC = Path("/proc")
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True)
class Mount:
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


def mount_of(descriptor: int, process: int | str = "self") -> str:
    """The mount that an open file or folder of a process is on, as fdinfo has it; "" where it has
    none. Raises OSError."""
    facts = (_PROC / str(process) / "fdinfo" / str(descriptor)).read_text(encoding="ascii")
    return next((line for line in facts.splitlines() if line.startswith("mnt_id:")), "")


def in_memory(path: str | Path) -> str:
    """The type of the memory file system that `path` lies on; empty where it is another."""
    mount = mount_holding(path)
    return mount.file_system if mount and mount.file_system in MEMORY_FILE_SYSTEMS else ""


def swaps() -> set[str]:
    return {_plain(line.split()[0]) for line in lines_of("/proc/swaps")[1:] if line.split()}


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)


_ETAB = Path("/var/lib/nfs/etab")
_LOCAL = re.compile(r"localhost|127\.[0-9.]+|::1|\[::1\]")
_CLIENT = re.compile(r"[^\s()]*\(([^()]*)\)")


def export_facts(host: str, path: str, table: Path = _ETAB) -> dict[str, str]:
    """{"export options": "rw,async"} of the export that holds `path`; {} where it is not known. Of
    several clients with different options, those of each are joined."""
    if not _LOCAL.fullmatch(host) and host not in (socket.gethostname(), socket.getfqdn()):
        return {}
    held: dict[str, list[str]] = {}
    for line in lines_of(table):
        exported, _, clients = line.strip().partition("\t")
        if exported and (path == exported or path.startswith(exported.rstrip("/") + "/")):
            held.setdefault(exported, []).extend(_CLIENT.findall(clients))
    if not held:
        return {}
    options = held[max(held, key=len)]
    return {"export options": ",".join(dict.fromkeys(options))} if options else {}


READ_ONLY, REMOUNT = 1, 32
OF_WHAT_IS_MOUNTED = REMOUNT | 4096 | 8192 | 0xE0000
"""Also bind, move and propagation: a call with one of these opens no device."""

LIBC.mount.argtypes = (*[ctypes.c_char_p] * 3, ctypes.c_ulong, ctypes.c_char_p)
LIBC.umount2.argtypes = (ctypes.c_char_p, ctypes.c_int)


def mount(source: str, directory: str, file_system: str, flags: int, options: str) -> int:
    """mount(2), or remount with the flag for that; gives 0 or an error number."""
    texts = [os.fsencode(text) for text in (source, directory, file_system)]
    failed: int = LIBC.mount(*texts, flags, os.fsencode(options) or None)
    return ctypes.get_errno() if failed else 0


def umount(directory: str, flags: int = 0) -> int:
    failed: int = LIBC.umount2(os.fsencode(directory), flags)
    return ctypes.get_errno() if failed else 0


_RECORD_BYTES = 8192
_LINES_LIMIT = 10_000


class KernelLog:
    """Reads on from where it was opened; silent where /dev/kmsg cannot be read."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def lines_about(self, device: str, driver: str) -> list[str]:
        """Messages since the last call about a device, else of its driver about none; at most five.
        An unknown option is refused before the driver knows the device, so that line names none."""
        lines = list(self._lines())
        named = [line for line in lines if re.search(rf"\b{re.escape(device)}\b", line)]
        unnamed = [line for line in lines if re.match(rf"{re.escape(driver)}\b[^(]*$", line, re.I)]
        return (named or unnamed)[-5:]

    def _lines(self) -> Iterator[str]:
        for _ in range(_LINES_LIMIT):
            if self._descriptor is None:
                return
            try:
                record = os.read(self._descriptor, _RECORD_BYTES)
            except BlockingIOError:
                return
            except BrokenPipeError:
                continue  # older records were overwritten; the next read goes on after them
            except OSError:
                return  # a record longer than any the kernel makes, or a log that went away
            yield from record.decode(errors="replace").partition(";")[2].splitlines()[:1]


@contextmanager
def kernel_log() -> Iterator[KernelLog]:
    try:
        descriptor = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(descriptor, 0, os.SEEK_END)
    except OSError:
        yield KernelLog(None)
        return
    with closing(descriptor):
        yield KernelLog(descriptor)
