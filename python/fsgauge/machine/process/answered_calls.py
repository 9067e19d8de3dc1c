"""System calls of a program that this process answers, instead of the kernel (seccomp_unotify(2)).

A program asks for a device by itself: mkfs opens it exclusively, mount and umount let go of it. The
filter below hands such calls to this process, which may give the program a descriptor of its own,
or make the call in its place; all others go on as they are. The program may be static, a script
or a helper that another one starts. Needs Linux 5.9 and CAP_SYS_ADMIN, as mount does.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from fsgauge.errors import RigError
from fsgauge.plain_files.opening import closing
from fsgauge.programs.libc import LIBC

CallName = Literal["open", "block size", "mount", "umount"]


@dataclass(frozen=True)
class _Numbers:
    """Of one architecture: its own number (linux/audit.h) and those of its calls."""

    machine: int
    seccomp: int
    mount: int
    umount: int
    control: int
    open_at: int
    open: int | None


_NUMBERS = {
    "x86_64": _Numbers(0xC000003E, 317, 165, 166, 16, 257, 2),
    "aarch64": _Numbers(0xC00000B7, 277, 40, 39, 29, 56, None),
}
SET_BLOCK_SIZE = 0x40081271
"""BLKBSZSET of ioctl(2), which only a claim may (linux/fs.h)."""
_FSOPEN, _OPENAT2 = 430, 437
"""The same everywhere. They are refused as unknown: programs then use mount(2) and openat(2)."""

_INSTRUCTION = struct.Struct("=HBBI")
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _NOTIFY, _UNKNOWN = 0x7FFF0000, 0x7FC00000, 0x00050000 | errno.ENOSYS
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
"""struct seccomp_data (linux/seccomp.h); of an argument the lower half, which comes first."""


def _program(numbers: _Numbers) -> bytes:
    """The filter: exclusive opens of what is there already, the setting of a device's block size,
    mount and umount2 are handed over."""

    def equal(value: int, answer: int) -> list[bytes]:
        return [_INSTRUCTION.pack(_EQUAL, 0, 1, value), _INSTRUCTION.pack(_RETURN, 0, 0, answer)]

    def exclusive(number: int, flags_argument: int) -> list[bytes]:
        return [
            _INSTRUCTION.pack(_EQUAL, 0, 5, number),
            _INSTRUCTION.pack(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * flags_argument),
            _INSTRUCTION.pack(_ANY_BIT, 2, 0, os.O_CREAT),
            _INSTRUCTION.pack(_ANY_BIT, 0, 1, os.O_EXCL),
            _INSTRUCTION.pack(_RETURN, 0, 0, _NOTIFY),
            _INSTRUCTION.pack(_RETURN, 0, 0, _ALLOW),
        ]

    lines = [
        _INSTRUCTION.pack(_LOAD, 0, 0, _MACHINE_AT),
        _INSTRUCTION.pack(_EQUAL, 1, 0, numbers.machine),
        _INSTRUCTION.pack(_RETURN, 0, 0, _ALLOW),
        _INSTRUCTION.pack(_LOAD, 0, 0, _NUMBER_AT),
        *equal(numbers.mount, _NOTIFY),
        *equal(numbers.umount, _NOTIFY),
        *equal(_FSOPEN, _UNKNOWN),
        *equal(_OPENAT2, _UNKNOWN),
        _INSTRUCTION.pack(_EQUAL, 0, 4, numbers.control),
        _INSTRUCTION.pack(_LOAD, 0, 0, _ARGUMENTS_AT + 8),
        *equal(SET_BLOCK_SIZE, _NOTIFY),
        _INSTRUCTION.pack(_RETURN, 0, 0, _ALLOW),
        *exclusive(numbers.open_at, 2),
        *(exclusive(numbers.open, 1) if numbers.open is not None else ()),
        _INSTRUCTION.pack(_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(lines)


_SET_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND, _ADD_DESCRIPTOR = 0xC0502100, 0xC0182101, 0x40182103
_CALL = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_ADDED = struct.Struct("=QIIII")
_GO_ON = 1
_AT_FDCWD = 0xFFFFFF9C
_LONGEST_TEXT_BYTES = 4096
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True)
class AskedCall:
    """A call of the program, which waits for its answer.

    `path` is what is opened, set, mounted (the source) or unmounted, as this process reaches it. A
    mount has its place, type and options too. `flags` are those of the call, or the block size.
    """

    name: CallName
    path: str
    flags: int
    directory: str = ""
    file_system: str = ""
    options: str = ""


@dataclass(frozen=True)
class Given:
    """The answer of an open: a descriptor of this process, which is the program's from now on."""

    descriptor: int


Answer = Callable[[AskedCall], "Given | int | None"]
"""Gives a descriptor; or what the call ended with, 0 or an error number; or None: it goes on."""


class AnsweredCalls:
    """The calls of one program and of all that it starts, answered by `answer` in a thread. What
    `answer` raises ends the context, and the program's call fails with EBUSY."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._ours, self._its = socket.socketpair()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        numbers = _NUMBERS.get(platform.machine())
        if numbers is None:
            raise _not_here(f"not known for {platform.machine()}")
        self._numbers = numbers
        self._filter = ctypes.create_string_buffer(_program(numbers))
        size = (len(self._filter) - 1) // _INSTRUCTION.size
        self._header = struct.pack("@HP", size, ctypes.addressof(self._filter))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._its.close()
        if self._thread is not None:
            self._thread.join(_PATIENCE_SECONDS)
        self._ours.close()
        if error is None and self._error is not None:
            raise self._error

    def arrange(self) -> None:
        """In the child, before it becomes the program."""
        number = self._numbers.seccomp
        listener = LIBC.syscall(number, _SET_FILTER, _NEW_LISTENER, self._header)
        if listener < 0:
            self._its.send(str(ctypes.get_errno()).encode())
            os._exit(1)
        socket.send_fds(self._its, [b"0"], [listener])

    def begin(self) -> None:
        """Once the program is there; RigError where the kernel cannot hand its calls over."""
        self._ours.settimeout(_PATIENCE_SECONDS)
        said, descriptors, *_ = socket.recv_fds(self._ours, 16, 1)
        if not descriptors:
            raise _not_here(os.strerror(int(said)))
        self._thread = threading.Thread(target=self._serve, args=descriptors, daemon=True)
        self._thread.start()

    def _serve(self, listener: int) -> None:
        with closing(listener):
            poll = select.poll()
            poll.register(listener, select.POLLIN)
            poll.register(self._ours, select.POLLIN)
            while True:
                for ready, events in poll.poll():
                    if ready != listener or events & select.POLLHUP:
                        return
                    self._one(listener)

    def _one(self, listener: int) -> None:
        asked = bytearray(_CALL.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, asked)
        except OSError:  # the program was killed meanwhile
            return
        identity, process, _, number, _, _, *arguments = _CALL.unpack(asked)
        try:
            answer = self._answer(self._read(process, number, arguments))
        except BaseException as error:
            self._error, answer = error, errno.EBUSY
        try:
            reply = _ANSWER.pack(identity, 0, 0, _GO_ON)
            if isinstance(answer, Given):
                added = bytearray(_ADDED.pack(identity, 0, answer.descriptor, 0, os.O_CLOEXEC))
                value = fcntl.ioctl(listener, _ADD_DESCRIPTOR, added)
                reply = _ANSWER.pack(identity, value, 0, 0)
            elif answer is not None:
                reply = _ANSWER.pack(identity, 0, -answer, 0)
            fcntl.ioctl(listener, _SEND, reply)
        except OSError:  # as above
            return
        finally:
            if isinstance(answer, Given):
                os.close(answer.descriptor)

    def _read(self, process: int, number: int, arguments: list[int]) -> AskedCall:
        with closing(os.open(f"/proc/{process}/mem", os.O_RDONLY | os.O_CLOEXEC)) as memory:

            def text(address: int) -> str:
                read = os.pread(memory, _LONGEST_TEXT_BYTES, address) if address else b""
                return os.fsdecode(read.partition(b"\0")[0])

            def place(address: int, folder: int = _AT_FDCWD) -> str:
                at = "cwd" if folder & 0xFFFFFFFF == _AT_FDCWD else f"fd/{folder}"
                return str(Path(f"/proc/{process}/{at}") / text(address))

            first, second, third, flags, data, _ = arguments
            if number == self._numbers.mount:
                return AskedCall(
                    "mount", place(first), flags, place(second), text(third), text(data)
                )
            if number == self._numbers.umount:
                return AskedCall("umount", place(first), second)
            if number == self._numbers.control:
                size = int.from_bytes(os.pread(memory, 4, third), sys.byteorder)
                return AskedCall("block size", f"/proc/{process}/fd/{first}", size)
            if number == self._numbers.open:
                return AskedCall("open", place(first), second)
            return AskedCall("open", place(second, first), third)


def _not_here(why: str) -> RigError:
    return RigError(
        f"the kernel does not let fsgauge hand a claimed device to mkfs and mount: {why}",
        cause="an old kernel (before 5.9), a container's seccomp profile, or another supervisor",
        next="uname -r; run it on the machine itself, or with --storage loop:8GiB",
    )
