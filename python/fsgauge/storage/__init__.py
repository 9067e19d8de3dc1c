"""Storage: what a system sits on. One file for each kind, each with the same two functions.

check(storage)            refuse what can be refused; nothing is touched
attach(storage, ledger)   a context that gives a Base: the storage, there and ours
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from fsgauge.host.ledger import Ledger
from fsgauge.storage import device, loop, path, ram, share
from fsgauge.storage.base import Base
from fsgauge.study.model import (
    DeviceStorage,
    LoopStorage,
    PathStorage,
    RamStorage,
    ShareStorage,
    Storage,
)

__all__ = ["Base", "attach", "check"]


def check(storage: Storage, destroy: str | None, smallest_bytes: int) -> None:
    """Raise InputError, RefusedError or RigError for storage that cannot be had.

    `smallest_bytes` is what the systems need; only a device's size is not in the study.
    """
    match storage:
        case LoopStorage():
            loop.check(storage)
        case RamStorage():
            ram.check(storage)
        case DeviceStorage():
            device.check(storage, destroy, smallest_bytes)
        case PathStorage():
            path.check(storage)
        case ShareStorage():
            pass  # who answers is asked for each system


def attach(storage: Storage, ledger: Ledger, destroy: str | None) -> AbstractContextManager[Base]:
    """The storage, until the context ends; everything made is in the ledger first."""
    match storage:
        case LoopStorage():
            return loop.attach(storage, ledger)
        case RamStorage():
            return ram.attach(storage, ledger)
        case DeviceStorage():
            return device.attach(storage, ledger, destroy)
        case PathStorage():
            return path.attach(storage)
        case ShareStorage():
            return share.attach(storage)
