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
from fsgauge.study import model

__all__ = ["Base", "attach", "attach_beside", "check"]


def check(
    storage: model.Storage,
    consent: Consent | None,
    smallest_bytes: int,
    seconds: float = SEARCH_SECONDS,
    say: Callable[[str], None] = lambda _: None,
) -> list[device.Cleared]:
    """Raise InputError, RefusedError or RigError for storage that cannot be used. `smallest_bytes`
    is what the systems need; only a device's size is not in the study. A device is searched for
    data for about `seconds`; the result is for `attach`."""
    match storage:
        case model.LoopStorage():
            loop.check(storage)
        case model.RamStorage():
            loop.check_memory(storage)
        case model.DeviceStorage():
            return device.check(storage, consent, smallest_bytes, seconds, say)
        case model.PathStorage():
            path.check(storage)
        case model.ShareStorage():
            pass  # servers are checked for each system
        case model.SimulatedStorage():
            raise _only_simulated()
    return []


def attach(
    storage: model.Storage,
    ledger: Ledger,
    consent: Consent | None,
    cleared: Sequence[device.Cleared] = (),
    say: Callable[[str], None] = lambda _: None,
) -> AbstractContextManager[Base]:
    """The storage, until the context ends; everything made is in the ledger first. `say` gets what
    is about to be destroyed, and what remains on a device."""
    match storage:
        case model.LoopStorage():
            return loop.attach(storage, ledger)
        case model.RamStorage():
            return loop.attach_memory(storage, ledger)
        case model.DeviceStorage():
            return device.attach(storage, ledger, consent, cleared, say)
        case model.PathStorage():
            return path.attach(storage)
        case model.ShareStorage():
            return path.attach_share(storage)
        case model.SimulatedStorage():
            raise _only_simulated()


def _only_simulated() -> InputError:
    return InputError(
        "simulated storage exists in a model alone", next="--rig simulator, or --storage loop:8GiB"
    )


def attach_beside(
    storage: model.Storage, ledger: Ledger, base: Base, number: int
) -> AbstractContextManager[Base]:
    """Storage of a block's system for itself, beside `base` and others, until the context ends. An
    image of its own in a file or in memory; one of the devices; in a folder, another name.
    TypeError for storage that holds one system."""
    suffix = f"-{number}"
    match storage:
        case model.LoopStorage():
            return loop.attach(storage, ledger, suffix)
        case model.RamStorage():
            return loop.attach_memory(storage, ledger, suffix)
        case model.PathStorage():
            return nullcontext(replace(base, suffix=suffix))
        case model.DeviceStorage():
            return nullcontext(replace([base, *base.beside][number], suffix=suffix, beside=()))
        case _:
            raise TypeError(f"storage of kind {storage.kind} holds one system")
