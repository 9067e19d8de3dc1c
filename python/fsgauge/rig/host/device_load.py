"""What the device below a prepared system has been asked for, as its own counters say.

That is the device that the file system is mounted from, or the bare one: a loop device, memory, a
partition, a volume. A share has none on this machine, and tmpfs has none at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from fsgauge.engine.wire import BlockTarget
from fsgauge.machine.device.block_device import (
    BlockDevice,
    device_at,
    device_with_numbers,
    read_counters,
)
from fsgauge.record.parts import DeviceRun
from fsgauge.rig.host.prepared import PreparedSystem
from fsgauge.workload.folders import InFolder


def watch_device(prepared: PreparedSystem) -> Callable[[], DeviceRun | None]:
    """Read the counters now; what is given reads them again and says what lay between."""
    device = _device_below(prepared)
    before = read_counters(device) if device is not None else None

    def between() -> DeviceRun | None:
        after = read_counters(device) if device is not None else None
        if device is None or before is None or after is None:
            return None
        return DeviceRun(name=device.name, **asdict(after - before))

    return between


def _device_below(prepared: PreparedSystem) -> BlockDevice | None:
    target = prepared.pinned
    if isinstance(target, BlockTarget):
        return device_at(target.path)
    if not isinstance(target, InFolder):
        return None
    if target.kind == "share_folders":
        return None
    mounted_from = device_at(prepared.facts.mount_source)
    if mounted_from is not None:
        return mounted_from
    try:
        numbers = Path(target.directory).stat().st_dev
    except OSError:
        return None
    return device_with_numbers(f"{os.major(numbers)}:{os.minor(numbers)}")
