"""Studies on a loop device as on a disk, and consent to its loss by the name of its file."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.machine.device.block_device import BlockDevice, device_at
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.device.loop_devices import backing_file
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import DeviceStorage, Study
from tests.rigs.conftest import Scene


def study_on(scene: Scene, device: str, *kinds: str) -> Study:
    study = scene.study(*({"name": kind} for kind in kinds or ("ext4",)))
    return study.model_copy(update={"storage": DeviceStorage(device=device)})


def agreed(rig: HostRig, scene: Scene, device: str, *kinds: str) -> Study:
    """Checked, with consent."""
    study = study_on(scene, device, *kinds)
    rig.check(study, consent_to(device))
    return study


def file_of(device: str) -> Path:
    return Path(str(backing_file(device)))


def consent_to(device: str, *, unknown_data: bool = False) -> Consent:
    return Consent((str(file_of(device)),), unknown_data)


def device_of(path: str) -> BlockDevice:
    found = device_at(path)
    assert found is not None
    return found


def write_at(path: str, offset: int, data: bytes) -> None:
    """As `dd conv=notrunc,fsync` does: without an exclusive open."""
    descriptor = os.open(path, os.O_WRONLY)
    os.pwrite(descriptor, data, offset)
    os.fsync(descriptor)
    os.close(descriptor)
