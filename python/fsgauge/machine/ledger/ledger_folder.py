"""The folder of ledgers: where it is, its locks, and what a ledger file says. A ledger is NDJSON:
the owner, then traces as they are made and undone."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fsgauge.errors import RigError, quoted
from fsgauge.plain_files import cause_of, write_all
from fsgauge.plain_files.opening import closing

if TYPE_CHECKING:  # every command looks whether there is a ledger, and hardly one reads any
    from pydantic import TypeAdapter

    from fsgauge.machine.folder.marked_folder import Owner
    from fsgauge.machine.ledger.traces import AnyTrace, LostDeviceTrace, Trace

SUFFIX = ".ledger"
_LOCK_SECONDS = 30.0
_LARGEST_BYTES = 64 << 20
_WRITABLE_BY_OTHERS = 0o022
_ROOTS_LEDGERS = Path("/var/lib/fsgauge")
STATE_VARIABLE = "FSGAUGE_STATE"
"""A folder for what is remembered between commands, where it should not be the usual one."""
ROOTS_MOUNTS = Path("/run/fsgauge")


def ledger_folder() -> Path:
    """Where ledgers are: a place of this user's alone, which outlives a reboot where it can.
    Ordinary users have theirs by machine, since a home may be shared between machines."""
    if os.geteuid() == 0:
        return _first_usable([_ROOTS_LEDGERS, ROOTS_MOUNTS])
    machine = re.sub(r"[^A-Za-z0-9.-]", "-", os.uname().nodename) or "machine"
    states = [_named_by("XDG_STATE_HOME", ""), _named_by("HOME", ".local/state")]
    places = [state / "fsgauge" / machine for state in states if state is not None]
    runtime = _named_by("XDG_RUNTIME_DIR", "fsgauge")
    places += [runtime] if runtime is not None else []
    shared = Path(f"/tmp/fsgauge-{os.geteuid()}")  # noqa: S108 - used only where it is this user's
    return _first_usable([*places, shared])


def ledgers() -> list[Path]:
    """Of runs that live and of dead ones; RigError as for `private_folder`."""
    return sorted(private_folder().glob(f"*{SUFFIX}")) if ledger_folder().is_dir() else []


def mount_folder(ledgers: Path) -> Path:
    """Where mount points are made, for this user alone: in memory, or beside the ledgers."""
    return _made_private(ROOTS_MOUNTS) if ledgers == _ROOTS_LEDGERS else ledgers


def private_folder() -> Path:
    """The ledger folder, made if needed; RigError when it is not this user's alone."""
    return _made_private(ledger_folder())


def state_folder() -> Path:
    """Where what is remembered between commands is kept; RigError as for `private_folder`."""
    named = _named_by(STATE_VARIABLE, "")
    return private_folder() if named is None else _made_private(named)


def _named_by(variable: str, below: str) -> Path | None:
    place = Path(os.environ.get(variable, ""))
    return place / below if place.is_absolute() else None


def _first_usable(places: Sequence[Path]) -> Path:
    return next((place for place in places if _is_usable(place)), places[-1])


def _is_usable(place: Path) -> bool:
    try:
        if os.path.lexists(place):
            return _is_private(place.lstat()) and os.access(place, os.W_OK | os.X_OK)
        above = next(each for each in place.parents if os.path.lexists(each))
        return above.is_dir() and os.access(above, os.W_OK | os.X_OK)
    except OSError:
        return False


def _is_private(status: os.stat_result) -> bool:
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return ours and not status.st_mode & _WRITABLE_BY_OTHERS


def _made_private(folder: Path) -> Path:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise RigError(
            f"cannot keep ledgers in {folder}: {error.strerror}",
            cause="a run records what it makes before it makes it, in a folder that only this"
            " user can write; there is none",
            next="XDG_STATE_HOME=/a/folder/of/yours fsgauge ...",
        ) from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise RigError(
            f"{folder} is not a folder of this user, so no ledger is kept there",
            cause=f"user {status.st_uid} made it" if status.st_uid != os.geteuid() else "",
            next="XDG_STATE_HOME=/a/folder/of/yours fsgauge ...   (that user alone, or root, can"
            " remove the other)",
        )
    if not _is_private(status):
        raise RigError(
            f"{folder} can be written by other users, so no ledger is kept there",
            cause="its mode was changed",
            next=f"ls -la {quoted(folder)}; then: chmod 700 {quoted(folder)}",
        )
    return folder


def begin_ledger(path: Path, owner: Owner) -> int:
    """Create, lock and begin the ledger, under the lock of all: a free lock means a dead owner."""
    with lock_of_all(path.parent):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        append_entry(path, descriptor, {"owner": owner.model_dump()})
    return descriptor


def append_entry(
    path: Path, descriptor: int, entry: dict[str, object], *, durably: bool = True
) -> None:
    """Write one line, on disk before this returns unless told otherwise; RigError where that fails.
    A partial line is truncated away, so that the next one is complete."""
    before = os.fstat(descriptor).st_size
    try:
        write_all(descriptor, (json.dumps(entry) + "\n").encode())
        if durably:
            os.fsync(descriptor)
    except OSError as error:
        with suppress(OSError):
            os.ftruncate(descriptor, before)
        raise RigError(
            f"cannot write to the ledger {path}: {error.strerror}",
            cause=cause_of(error),
            next=f"df -h {quoted(path.parent)}",
        ) from error


@contextmanager
def lock_of_all(folder: Path) -> Iterator[None]:
    """Held for moments only, while a ledger is begun or found dead."""
    lock = folder / "lock"
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(lock, flags, 0o600)
    except OSError as error:
        raise RigError(
            f"{lock} cannot be locked: {error.strerror}",
            cause="another program replaced it",
            next=f"ls -la {quoted(folder)}; then: rm -r {quoted(lock)}",
        ) from error
    deadline = time.monotonic() + _LOCK_SECONDS
    with closing(descriptor):
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise RigError(
                    f"another fsgauge process holds {lock} and does not release it",
                    cause="it was stopped (Ctrl-Z), or waits for storage that hangs",
                    next=f"fuser -v {quoted(lock)}",
                )
            time.sleep(0.01)
        yield


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(frozen=True)
class LedgerEntries:
    """The content of a ledger; `pending` was made and not undone, in that order.

    `unreadable` counts complete lines that this fsgauge does not understand: they may list
    something that was made.
    """

    owner: Owner | None
    pending: list[tuple[int, Trace]]
    unreadable: int


def read_ledger(descriptor: int) -> LedgerEntries:
    """Everything in an open ledger; raises OSError, also for one of more than 64 MiB. A last line
    that the kill cut short describes something that was not made yet."""
    content = b""
    while piece := os.pread(descriptor, 1 << 20, len(content)):
        content += piece
        if len(content) > _LARGEST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    from pydantic import ValidationError

    from fsgauge.machine.folder.marked_folder import Owner

    owner: Owner | None = None
    pending: dict[int, Trace] = {}
    unreadable = 0
    for line in content.split(b"\n")[:-1]:
        try:
            entry = json.loads(line)
            if "owner" in entry:
                owner = Owner.model_validate(entry["owner"])
            elif "made" in entry:
                pending[entry["made"]] = _traces().validate_python(entry["trace"])
            else:
                pending.pop(entry["undone"], None)
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError):
            unreadable += 1
    return LedgerEntries(owner, list(pending.items()), unreadable)


@cache
def _traces() -> TypeAdapter[AnyTrace]:
    from pydantic import TypeAdapter

    from fsgauge.machine.ledger.traces import AnyTrace

    return TypeAdapter(AnyTrace)


def lost_devices() -> Iterator[tuple[Path, LostDeviceTrace]]:
    """Each with its ledger, until somebody removes that."""
    from fsgauge.machine.ledger.traces import LostDeviceTrace

    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for path in sorted(ledger_folder().glob(f"*{SUFFIX}")):
        try:
            with closing(os.open(path, flags)) as descriptor:
                pending = read_ledger(descriptor).pending
        except OSError:
            continue
        yield from ((path, trace) for _, trace in pending if isinstance(trace, LostDeviceTrace))
