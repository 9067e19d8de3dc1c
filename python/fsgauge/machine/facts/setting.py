"""A kernel setting, below /sys or /proc: read, written, and locked while a run has it changed.

The path of a device in /sys begins with links, so the folder of a setting is resolved first; below
that no link is followed, as checked after the file was opened.

Two runs that save and restore one setting across each other would leave the first one's value. The
lock is a file in the private folder of ledgers, locked by its process, which it names. A file with
content that no process holds belongs to a killed run: the next clean-up restores the setting.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files.opening import closing

_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MOST_BYTES = 1 << 16


def real_setting(home: Path, rest: str) -> Path:
    """The file of a setting without links; InputError where it is missing or lies elsewhere."""
    path = home / rest
    try:
        straight = Path(os.path.realpath(home, strict=True)) / rest
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(
            f"the tunable {path} cannot be read: {error.strerror}",
            cause="this kernel, or this kind of device, does not have it",
            next=f"ls {quoted(path.parent)}",
        ) from error
    with closing(descriptor):
        real = Path(f"/proc/self/fd/{descriptor}").readlink()
        if real != straight or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InputError(
                f"the tunable {path} is {real}, which is not a setting of {home}",
                cause="a link leads elsewhere; a study changes only its own device's settings",
                next=f"ls -l {quoted(path.parent)}",
            )
    return straight


def read_setting(path: Path) -> str:
    """The value, or the chosen one of "none [mq-deadline]"; raises OSError."""
    with closing(os.open(path, os.O_RDONLY | _OPEN)) as descriptor:
        text = os.read(descriptor, _MOST_BYTES).decode(errors="replace").strip()
    if "[" in text and "]" in text:
        return text.partition("[")[2].partition("]")[0]
    return text


def write_setting(path: Path, value: str) -> None:
    """Write a value in one call; raises OSError."""
    with closing(os.open(path, os.O_WRONLY | os.O_TRUNC | _OPEN)) as descriptor:
        os.write(descriptor, value.encode())


def twin_of(path: Path) -> Path | None:
    """The other unit of vm.dirty_bytes and its like: writing one sets the other to 0."""
    stem, _, unit = path.name.rpartition("_")
    if stem not in ("dirty", "dirty_background") or unit not in _UNITS:
        return None
    return path.with_name(f"{stem}_{_UNITS[unit]}")


def former(path: Path) -> tuple[Path, str]:
    """What to write where, to have the present value again; raises OSError. The kernel takes no 0
    back for one of two units, and where both are 0 none for bytes."""
    value, twin = read_setting(path), twin_of(path)
    if twin is None or value != "0":
        return path, value
    other = read_setting(twin)
    return (path, value) if other == "0" and path.name.endswith("_ratio") else (twin, other)


_UNITS = {"bytes": "ratio", "ratio": "bytes"}
_PREFIX = "setting-"
_ATTEMPTS = 100
_PAUSE_SECONDS = 0.02
_MOST_LOCK_BYTES = 4096
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class HeldLock:
    """Its file, and whether the setting was changed: then its undoing takes the file away."""

    file: Path
    changed: bool = False


@contextmanager
def setting_held(folder: Path, setting: Path, ledger: Path) -> Iterator[HeldLock]:
    """Hold a setting's lock while the body runs; RigError names the run that holds it. `ledger` is
    the file that lists the change: while it is there, the change may be in force."""
    one = str(min(setting, twin_of(setting) or setting))
    file = folder / f"{_PREFIX}{hashlib.sha256(one.encode()).hexdigest()[:24]}"
    held = HeldLock(file)
    with closing(_locked(file, setting)) as descriptor:
        _refuse_the_dead(descriptor, setting)
        words = {"pid": os.getpid(), "setting": str(setting), "ledger": str(ledger)}
        os.pwrite(descriptor, json.dumps(words).encode(), 0)
        try:
            yield held
        finally:
            if not held.changed:
                file.unlink(missing_ok=True)


def _locked(lock: Path, setting: Path) -> int:
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
            cause=f"that run (process {said.get('pid')}) was killed before it could restore it",
            next="fsgauge doctor restores it",
        )
    os.ftruncate(descriptor, 0)


def _said(descriptor: int) -> dict[str, object]:
    try:
        found = json.loads(os.pread(descriptor, _MOST_LOCK_BYTES, 0))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _taken(setting: Path, holder: object) -> RigError:
    return RigError(
        f"another run has changed {setting}"
        + (f" (process {holder})" if holder is not None else ""),
        cause="two runs that change one setting would leave the wrong value behind",
        next=f"wait for it to end: tail --pid={holder} -f /dev/null"
        if holder is not None
        else "fsgauge doctor",
    )
