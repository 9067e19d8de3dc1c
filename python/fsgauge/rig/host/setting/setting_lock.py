"""A lock for each setting of the kernel, held while a run has it changed.

Two runs that save and restore one setting across each other would leave the first one's value
behind. The lock is a file in the private folder of ledgers, locked by the process that holds it;
what it says names that run. A file that still says something while nobody holds it belongs to a
run that was killed: the setting is not set back yet, and the next command's cleaning does that.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import RigError

_PREFIX = "setting-"
_ATTEMPTS = 100
_PAUSE_SECONDS = 0.02
_MOST_BYTES = 4096
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class HeldLock:
    """Its file, and whether the setting was changed: then its undoing takes the file away."""

    file: Path
    changed: bool = False


@contextmanager
def setting_held(folder: Path, setting: Path, ledger: Path) -> Iterator[HeldLock]:
    """Hold a setting's lock while the body runs; RigError names the run that holds it.

    `ledger` is the file that lists the change: while it is there, the change may be in force.
    """
    file = folder / f"{_PREFIX}{hashlib.sha256(str(setting).encode()).hexdigest()[:24]}"
    descriptor = _locked(file, setting)
    held = HeldLock(file)
    try:
        _refuse_the_dead(descriptor, setting)
        words = {"pid": os.getpid(), "setting": str(setting), "ledger": str(ledger)}
        os.pwrite(descriptor, json.dumps(words).encode(), 0)
        try:
            yield held
        finally:
            if not held.changed:
                file.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _locked(lock: Path, setting: Path) -> int:
    """An open, locked file that still has its name."""
    for _ in range(_ATTEMPTS):
        descriptor = os.open(lock, _FLAGS, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.exists() and os.path.samestat(os.fstat(descriptor), lock.stat()):
                return descriptor
        except BlockingIOError:
            holder = _said(descriptor).get("pid")
            if holder is not None:
                os.close(descriptor)
                raise _taken(setting, holder) from None
        os.close(descriptor)  # its holder has just begun, or has just ended
        time.sleep(_PAUSE_SECONDS)
    raise _taken(setting, None)


def _refuse_the_dead(descriptor: int, setting: Path) -> None:
    """A file with words and no holder: the change of a killed run, unless its ledger is gone."""
    said = _said(descriptor)
    if said and Path(str(said.get("ledger", ""))).is_file():
        raise RigError(
            f"{setting} still has the value of an earlier run",
            cause=f"that run (process {said.get('pid')}) was killed before it could set it back",
            next="fsgauge doctor sets it back and says so",
        )
    os.ftruncate(descriptor, 0)


def _said(descriptor: int) -> dict[str, object]:
    try:
        found = json.loads(os.pread(descriptor, _MOST_BYTES, 0))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _taken(setting: Path, holder: object) -> RigError:
    return RigError(
        f"another run has {setting} changed"
        + (f" (process {holder})" if holder is not None else ""),
        cause="two runs that change one setting would leave the wrong value behind",
        next=f"wait for it to end: tail --pid={holder} -f /dev/null"
        if holder is not None
        else "fsgauge doctor",
    )
