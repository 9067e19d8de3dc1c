"""The noise that was last measured on a study's storage, and that of a run kept for the next."""

from __future__ import annotations

import os
import time

from fsgauge.machine.facts.noise import KeptNoise, file_system_at, keep_noise, kept_noise
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, ShareStorage, Study
from fsgauge.study.reached import access_of


def last_noise(study: Study) -> KeptNoise | None:
    """In a run of this study if there was one on its storage, else by whatever measured there."""
    here = kept_noise(place_of(study))
    own = [kept for kept in here if kept.study == study.name]
    return max(own or here, key=lambda kept: kept.measured_unix_s, default=None)


def keep_noise_of_run(study: Study, noise_percent: float, blocks: int, results: str) -> None:
    """For the next plan on the study's storage."""
    keep_noise(place_of(study), KeptNoise(noise_percent, study.name, blocks, results, time.time()))


def place_of(study: Study) -> str:
    """What tells the storage of one study from another's: the file system or device below it."""
    storage = study.storage
    if isinstance(storage, LoopStorage):
        return file_system_at(storage.directory)
    if isinstance(storage, PathStorage):
        return file_system_at(study.systems[0].path or storage.path)
    if isinstance(storage, DeviceStorage):
        return f"device {' '.join(sorted(map(os.path.realpath, storage.devices)))}"
    if isinstance(storage, ShareStorage):
        return f"share {access_of(study, study.systems[0]).share}"
    return "memory"
