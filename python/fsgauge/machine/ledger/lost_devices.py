"""Devices that other programs used while runs had them, as the ledgers of those runs say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from fsgauge.machine.ledger import ledger_folder as folders
from fsgauge.machine.ledger.traces import LostDeviceTrace


def lost_devices() -> Iterator[tuple[Path, LostDeviceTrace]]:
    """Each with its ledger, until somebody removes that."""
    for path in sorted(folders.ledger_folder().glob(f"*{folders.SUFFIX}")):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            pending = folders.read_ledger(descriptor).pending
        except OSError:
            pending = []
        finally:
            os.close(descriptor)
        yield from ((path, trace) for _, trace in pending if isinstance(trace, LostDeviceTrace))
