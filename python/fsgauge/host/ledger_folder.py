"""The folder of ledgers: where it is, its locks, and what a ledger file says.

A ledger is NDJSON: the owner, then traces as they are made and undone.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from fsgauge.errors import RigError
from fsgauge.host.marked_folder import Owner
from fsgauge.host.traces import AnyTrace, Trace

SUFFIX = ".ledger"
_TRACE: TypeAdapter[AnyTrace] = TypeAdapter(AnyTrace)
_LOCK_SECONDS = 30.0


def ledger_folder() -> Path:
    """Where ledgers and mount points are: one place for each user."""
    uid = os.geteuid()
    if uid == 0:
        return Path("/run/fsgauge")
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return Path(runtime) / "fsgauge"
    return Path(f"/tmp/fsgauge-{uid}")  # noqa: S108 - private_folder refuses one of another user


def private_folder() -> Path:
    """The ledger folder, made if needed; RigError when it is not this user's alone."""
    folder = ledger_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    if not ours or status.st_mode & 0o022:
        raise RigError(
            f"{folder} can be written by others, so nothing is recorded there",
            next=f"look at it, then: rm -r {folder}",
        )
    return folder


def begin_ledger(path: Path, owner: Owner) -> int:
    """Create, lock and begin the ledger, under the lock of all: a free lock means a dead owner."""
    with lock_of_all(path.parent):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, (json.dumps({"owner": owner.model_dump()}) + "\n").encode())
        os.fsync(descriptor)
    return descriptor


@contextmanager
def lock_of_all(folder: Path) -> Iterator[None]:
    """Held for moments only, while a ledger is begun or found dead."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + _LOCK_SECONDS
    try:
        while not try_lock(descriptor):
            if time.monotonic() > deadline:
                raise RigError(
                    f"another fsgauge process holds {folder / 'lock'} and does not let go",
                    next=f"fuser -v {folder / 'lock'}",
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file if nobody else has; gives whether it is locked now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_ledger(path: Path) -> tuple[Owner | None, list[tuple[int, Trace]]]:
    """The owner and what is made and not undone, in the order of making.

    A last line that the kill cut short describes something that was not made yet.
    """
    owner: Owner | None = None
    pending: dict[int, Trace] = {}
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
            if "owner" in entry:
                owner = Owner.model_validate(entry["owner"])
            elif "made" in entry:
                pending[entry["made"]] = _TRACE.validate_python(entry["trace"])
            else:
                pending.pop(entry["undone"], None)
        except (ValueError, KeyError, TypeError, ValidationError):
            continue
    return owner, list(pending.items())
