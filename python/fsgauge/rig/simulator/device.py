"""The device of a study, as the engine simulates it."""

from __future__ import annotations

from fsgauge.engine.wire import DeviceChange, SimulatedDevice
from fsgauge.errors import InputError
from fsgauge.study.model import LoopStorage, RamStorage, SimulatedStorage, Study
from fsgauge.study.policies import BLOCK_BYTES

USUAL_MODEL = "disks-8+2-2012"
"""Where a study's storage is none of the simulator's: that of the published rig."""
USUAL_STRIPE_BYTES = 1 << 20
NOTHING_LOST = {"lost_to_dies": 0.0}
"""The shortest time of flash: what its longest time comes to where dies cost nothing."""


def size_of(study: Study) -> int:
    """Bytes of all devices, in whole blocks; InputError for storage that exists somewhere."""
    storage = study.storage
    if not isinstance(storage, LoopStorage | RamStorage | SimulatedStorage):
        raise InputError(
            f"the simulator has devices of its own, and the study's storage is a {storage.kind}",
            next="--storage simulated:1TiB",
        )
    return storage.size - storage.size % (BLOCK_BYTES * devices_of(study))


def devices_of(study: Study) -> int:
    return study.storage.devices if isinstance(study.storage, SimulatedStorage) else 1


def stripe_bytes_of(study: Study) -> int:
    """What of a file one of them has before the next one's turn."""
    storage = study.storage
    given = storage.stripe_size if isinstance(storage, SimulatedStorage) else None
    return given or USUAL_STRIPE_BYTES


def times_of(study: Study) -> str | None:
    """The end of the model's range of times; None where it has one time for each run."""
    return study.storage.times if isinstance(study.storage, SimulatedStorage) else None


def device_of(study: Study) -> SimulatedDevice:
    """The model that times are reckoned with."""
    storage = study.storage
    if isinstance(storage, SimulatedStorage):
        numbers = dict(storage.parameters)
        if storage.times == "shortest":
            numbers |= NOTHING_LOST
        changes = [DeviceChange(name=name, value=value) for name, value in numbers.items()]
        return SimulatedDevice(model=storage.model, changes=changes)
    return SimulatedDevice(model=USUAL_MODEL)
