"""Storage: what a system sits on. One file for each kind, each with the same two functions.

check(storage)            refuse unusable storage; nothing is touched
attach(storage, ledger)   a context that gives a Base: the attached storage
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from fsgauge.errors import InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.device.data_search import SEARCH_SECONDS
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.storage import device, loop, path
from fsgauge.storage.base import Base
from fsgauge.study.model import (
    DeviceStorage,
    LoopStorage,
    PathStorage,
    RamStorage,
    ShareStorage,
    SimulatedStorage,
    Storage,
)

__all__ = ["Base", "attach", "attach_beside", "check"]


def check(
    storage: Storage,
    consent: Consent | None,
    smallest_bytes: int,
    seconds: float = SEARCH_SECONDS,
    say: Callable[[str], None] = lambda _: None,
) -> list[device.Cleared]:
    """Raise InputError, RefusedError or RigError for storage that cannot be used.

    `smallest_bytes` is what the systems need; only a device's size is not in the study. A device
    is searched for data for about `seconds`; the result is for `attach`.
    """
    match storage:
        case LoopStorage():
            loop.check(storage)
        case RamStorage():
            loop.check_memory(storage)
        case DeviceStorage():
            return device.check(storage, consent, smallest_bytes, seconds, say)
        case PathStorage():
            path.check(storage)
        case ShareStorage():
            pass  # servers are checked for each system
        case SimulatedStorage():
            raise _only_simulated()
    return []


def attach(
    storage: Storage,
    ledger: Ledger,
    consent: Consent | None,
    cleared: Sequence[device.Cleared] = (),
    say: Callable[[str], None] = lambda _: None,
) -> AbstractContextManager[Base]:
    """The storage, until the context ends; everything made is in the ledger first.

    `say` gets what is about to be destroyed, and what remains on a device.
    """
    match storage:
        case LoopStorage():
            return loop.attach(storage, ledger)
        case RamStorage():
            return loop.attach_memory(storage, ledger)
        case DeviceStorage():
            return device.attach(storage, ledger, consent, cleared, say)
        case PathStorage():
            return path.attach(storage)
        case ShareStorage():
            return path.attach_share(storage)
        case SimulatedStorage():
            raise _only_simulated()


def _only_simulated() -> InputError:
    return InputError(
        "simulated storage exists in a model alone", next="--rig simulator, or --storage loop:8GiB"
    )


def attach_beside(
    storage: Storage, ledger: Ledger, base: Base, number: int
) -> AbstractContextManager[Base]:
    """Storage of a block's system for itself, beside `base` and others, until the context ends.

    An image of its own in a file or in memory; one of the devices; in a folder, another name.
    TypeError for storage that holds one system.
    """
    suffix = f"-{number}"
    match storage:
        case LoopStorage():
            return loop.attach(storage, ledger, suffix)
        case RamStorage():
            return loop.attach_memory(storage, ledger, suffix)
        case PathStorage():
            return nullcontext(replace(base, suffix=suffix))
        case DeviceStorage():
            return nullcontext(replace([base, *base.beside][number], suffix=suffix, beside=()))
        case _:
            raise TypeError(f"storage of kind {storage.kind} holds one system")
