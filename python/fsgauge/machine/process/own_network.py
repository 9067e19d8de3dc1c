"""Isolation of a server: a network namespace with a loopback device, and an unused user ID.

The namespace lives as long as a process in it or our descriptor of it, so a killed fsgauge leaves
none. Only the thread that enters is in it, with the processes that it starts meanwhile.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import os
import pwd
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fsgauge.errors import RigError
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC, last_error

T = TypeVar("T")

_CLONE_NEWNET = 0x4000_0000
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_OF_THIS_THREAD = "/proc/thread-self/ns/net"
_SETTINGS = Path("/proc/sys/net")
_TAKEN_OVER = ("core/somaxconn", "core/[rw]mem_*", "ipv4/tcp_*", "ipv4/ip_local_*")


@dataclass(frozen=True)
class OwnNetwork:
    """Made with `own_network`; `resident` is its thread, which begins what must die with us."""

    descriptor: int
    resident: ThreadPoolExecutor

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Within, sockets, counters and new processes of this thread are those of this network."""
        with closing(os.open(_OF_THIS_THREAD, os.O_RDONLY | os.O_CLOEXEC)) as home:
            try:
                _enter(self.descriptor)
                yield
            finally:
                _enter(home)

    def from_within(self, begin: Callable[[], T]) -> T:
        """What `begin` gives in a thread that is in this network and lives as long as it. A child
        that is to die with its parent dies when the thread that began it ends."""
        try:
            asked = self.resident.submit(begin)
        except RuntimeError as error:  # its thread has ended
            raise RigError(
                "the server's network is gone", cause=str(error), next="fsgauge doctor --systems"
            ) from error
        return asked.result()


@contextmanager
def own_network() -> Iterator[OwnNetwork]:
    """A network with this machine's settings for TCP; RigError where there can be none."""
    settings = _settings()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="own-network") as resident:
        try:
            descriptor = resident.submit(_made, settings).result()
        except OSError as error:
            raise _no_network(error) from error
        with closing(descriptor):
            yield OwnNetwork(descriptor, resident)


def _made(settings: dict[str, str]) -> int:
    """Runs in the resident thread, which stays within."""
    if LIBC.unshare(_CLONE_NEWNET) != 0:
        raise last_error()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asked = struct.pack("16sH22x", b"lo", 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(asking, _SIOCGIFFLAGS, asked), 16)
        fcntl.ioctl(asking, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | _IFF_UP))
    for name, value in settings.items():
        _take_over(_SETTINGS / name, value)
    return os.open(_OF_THIS_THREAD, os.O_RDONLY | os.O_CLOEXEC)


def _settings() -> dict[str, str]:
    """A new network begins with the kernel's defaults: what was set on this machine is kept."""
    found = {}
    for pattern in _TAKEN_OVER:
        for path in _SETTINGS.glob(pattern):
            with suppress(OSError):  # some can only be written
                found[str(path.relative_to(_SETTINGS))] = path.read_text()
    return found


def _take_over(path: Path, value: str) -> None:
    with suppress(OSError):  # some are the machine's alone and not there, or cannot be written
        if path.read_text() != value:
            path.write_text(value)


def _enter(descriptor: int) -> None:
    if LIBC.setns(descriptor, _CLONE_NEWNET) != 0:
        raise last_error()


def _no_network(error: OSError) -> RigError:
    causes = {
        errno.EPERM: "this process is not allowed to: it belongs to an ordinary user, or runs in"
        " a container without CAP_SYS_ADMIN",
        errno.EINVAL: "this kernel was built without network namespaces (CONFIG_NET_NS)",
        errno.ENOSPC: "/proc/sys/user/max_net_namespaces allows no more",
        errno.ENOSYS: "the system call unshare is not available",
    }
    return RigError(
        f"cannot create a network namespace for the server: {error.strerror}",
        cause=causes.get(error.errno or 0, "the kernel refuses a network namespace"),
        next="try it: unshare --net true; run outside the container, or without --serve",
    )


_NUMBERS = range(58_000, 49_999, -1)
"""Below what systemd gives to users without a name (60001 to 60577, 61184 to 65519)."""
_PROC = Path("/proc")


def unused_user_id() -> int:
    """The first that no user, group or process has; also unused as a group ID."""
    taken = _of_processes()
    for number in _NUMBERS:
        if number not in taken and not _has_a_name(number):
            return number
    raise RigError(
        f"no user ID from {min(_NUMBERS)} to {max(_NUMBERS)} is free for a server",
        next="getent passwd; getent group",
    )


def _of_processes() -> set[int]:
    found = set()
    for entry in os.scandir(_PROC):
        if entry.name.isdecimal():
            with suppress(OSError):  # it just ended
                found.add(entry.stat().st_uid)
    return found


def _has_a_name(number: int) -> bool:
    with suppress(KeyError):
        return bool(pwd.getpwuid(number))
    with suppress(KeyError):
        return bool(grp.getgrgid(number))
    return False
