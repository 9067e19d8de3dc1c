"""Undo what the ledgers of dead runs list, and report it.

A run was killed, or ended and could not undo everything (its server was gone).
A ledger whose lock is free belongs to a dead run: the lock went with the process. Only ledgers
say what a run left: no folder that users share is searched for it.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from fsgauge.errors import FsgaugeError, RigError, quoted
from fsgauge.machine.ledger.ledger_folder import (
    append_entry,
    ledgers,
    lock_of_all,
    read_ledger,
    try_lock,
)
from fsgauge.machine.process.processes import boot_id, end_children_of_run, has_ended

_LEDGERS_LIMIT = 1000
_DYING_SECONDS = 5.0
"""How long a lock may outlive its owner: a child that was killed before its exec still holds it."""


def clean_up_after_the_dead() -> list[str]:
    """Undo what dead runs of this user left; a sentence for each thing done or not possible."""
    said: list[str] = []
    deadline = time.monotonic() + _DYING_SECONDS
    for path in ledgers()[:_LEDGERS_LIMIT]:
        try:
            said += _clean_up(path, deadline)
        except OSError as error:
            said.append(_left_alone(path, error.strerror or str(error)))
    return said


def _clean_up(path: Path, deadline: float) -> list[str]:
    """Undo one ledger's traces if its owner is dead; two cleaners never work on one ledger."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return [_left_alone(path, "it is not a plain file of this user")]
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        while not (locked := _lock(path, descriptor)) and _is_dying(descriptor):
            if time.monotonic() > deadline:
                break
            time.sleep(0.02)
        return _undo_all(path, descriptor) if locked and path.exists() else []
    finally:
        os.close(descriptor)


def _lock(path: Path, descriptor: int) -> bool:
    with lock_of_all(path.parent):
        return try_lock(descriptor)


def _is_dying(descriptor: int) -> bool:
    """Whether the owner is gone, so that what holds its lock is about to go as well."""
    owner = read_ledger(descriptor).owner
    return (
        owner is not None and owner.boot_id == boot_id() and has_ended(owner.pid, owner.start_ticks)
    )


def _left_alone(path: Path, why: str) -> str:
    return f"{path} is not a readable ledger: {why}; inspect it, then: rm -r {quoted(path)}"


def _undo_all(path: Path, descriptor: int) -> list[str]:
    entries = read_ledger(descriptor)
    owner = entries.owner
    if owner is None:
        if entries.unreadable:
            return [_left_alone(path, "it does not name its owner")]
        path.unlink()
        return []
    same_boot = owner.boot_id == boot_id()
    ended = end_children_of_run(owner.token) if same_boot else []
    said = [f"ended {process}, left by an earlier run" for process in ended]
    failed, forgettable = False, True
    for number, trace in reversed(entries.pending):
        if not same_boot and not trace.outlives_a_boot:
            continue
        try:
            sentence = trace.undo_for_the_dead() if same_boot else trace.undo_after_a_boot()
        except (FsgaugeError, OSError) as error:
            failed = True
            said.append(_failure(error))
            forgettable = forgettable and trace.may_be_forgotten
            continue
        with suppress(RigError):  # undone twice does no harm
            append_entry(path, descriptor, {"undone": number})
        said += [f"{sentence}, left by an earlier run"] if sentence else []
    if entries.unreadable:
        return [*said, _unread(path, entries.unreadable)]
    if not failed:
        path.unlink()
    elif forgettable:
        said[-1] += f"; see to it by hand, and forget it here: rm {quoted(path)}"
    return said


def _unread(path: Path, lines: int) -> str:
    count = "a line" if lines == 1 else f"{lines} lines"
    return (
        f"{count} of {path} cannot be read: an earlier run, of another version or on a disk that"
        f" corrupted data, may have left more; inspect it, then: rm {quoted(path)}"
    )


def _failure(error: Exception) -> str:
    if isinstance(error, FsgaugeError):
        because = "; ".join(filter(None, (*error.details, error.cause, error.next)))
        return f"left by an earlier run: {error.what}" + (f" ({because})" if because else "")
    return f"left by an earlier run: {error}"
