"""The device of a study, as the engine simulates it."""

from __future__ import annotations

from fsgauge.errors import InputError
from fsgauge.study.model import LoopStorage, RamStorage, SimulatedStorage, Study
from fsgauge.study.policies import BLOCK_BYTES
from fsgauge.wire import DeviceChange, SimulatedDevice

USUAL_MODEL = "disks-8+2-2012"
"""Where a study's storage is none of the simulator's: that of the published rig."""


def size_of(study: Study) -> int:
    """Bytes of the device, in whole blocks; InputError for storage that exists somewhere."""
    storage = study.storage
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        raise InputError(
            f"the simulator has devices of its own, and the study's storage is a {storage.kind}",
            next="--storage simulated:1TiB",
        )
    return storage.size - storage.size % BLOCK_BYTES


def device_of(study: Study) -> SimulatedDevice:
    """The model that times are reckoned with."""
    storage = study.storage
    if isinstance(storage, SimulatedStorage):
        changes = [
            DeviceChange(name=name, value=value) for name, value in storage.parameters.items()
        ]
        return SimulatedDevice(model=storage.model, changes=changes)
    return SimulatedDevice(model=USUAL_MODEL)
