"""Tunables: settings of the kernel that a system asks for, set back after its turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from fsgauge.errors import InputError
from fsgauge.host import loop_devices
from fsgauge.host.ledger import Ledger
from fsgauge.host.traces import SettingTrace
from fsgauge.storage import Base
from fsgauge.study.model import System

_OR = "/sys, /proc/sys, /proc/fs/ldiskfs or /proc/fs/jbd2"
_TREES = ("/sys", "/proc/sys", "/proc/fs/ldiskfs", "/proc/fs/jbd2")
"""The last two: a Lustre server's allocator (prealloc_table, mb_last_group), and its journal."""


def check_tunables(system: System) -> None:
    """InputError for a tunable that lies anywhere but below the trees of settings."""
    for key in system.tunables:
        _place(key, "device", system)


@contextmanager
def tuned(system: System, base: Base, ledger: Ledger) -> Iterator[dict[str, str]]:
    """Write each tunable; gives what the kernel reads back; sets all back at the end."""
    name = Path(base.device or "").name
    file = loop_devices.backing_file(base.device) if base.device else None
    with ExitStack() as stack:
        in_force = {}
        for key, value in system.tunables.items():
            path = _place(key, name, system)
            before = _read(path, system)
            trace = SettingTrace(path=str(path), value=before, device=base.device, file=file)
            stack.enter_context(ledger.holding(trace))
            _write(path, value, system)
            in_force[str(path)] = _read(path, system)
        yield in_force


def _place(key: str, device: str, system: System) -> Path:
    """The file of a tunable: {device} becomes the kernel's name; a short one is the queue's."""
    text = key.replace("{device}", device)
    path = PurePosixPath(text if text.startswith("/") else f"/sys/block/{device}/{text}")
    if ".." in path.parts or not any(path.is_relative_to(tree) for tree in _TREES):
        raise InputError(
            f'the tunable "{key}" of the system "{system.name}" is not below {_OR}',
            next='for example "/sys/block/{device}/queue/scheduler" = "none"',
        )
    return Path(path)


def _read(path: Path, system: System) -> str:
    """The value, or the chosen one of "none [mq-deadline]"."""
    try:
        text = path.read_text().strip()
    except OSError as error:
        raise InputError(
            f'the tunable {path} of the system "{system.name}" cannot be read: {error.strerror}',
            next=f"ls {path.parent}",
        ) from error
    if "[" in text and "]" in text:
        return text.partition("[")[2].partition("]")[0]
    return text


def _write(path: Path, value: str, system: System) -> None:
    try:
        path.write_text(value)
    except OSError as error:
        raise InputError(
            f'the kernel refused "{value}" for {path} (system "{system.name}"): {error.strerror}',
            next=f"cat {path}",
        ) from error
