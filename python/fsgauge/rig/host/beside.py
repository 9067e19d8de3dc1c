"""Whether all systems of a block can stand beside one another on this machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from fsgauge.plan.estimate import turns_of_block
from fsgauge.storage import loop
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, RamStorage, Study
from fsgauge.study.reached import is_served
from fsgauge.study.storage import is_preconditioned
from fsgauge.study.tunable_places import place_of
from fsgauge.study.workload import cells_of
from fsgauge.units import format_size
from fsgauge.workload import method_of


def hindrance(study: Study) -> str:
    """Why they cannot, in words that follow "one by one: "; empty if they can. Touches nothing."""
    return _of_the_study(study) or _of_the_systems(study) or _of_the_room(study)


def _of_the_study(study: Study) -> str:
    if isinstance(study.storage, DeviceStorage):
        if not study.storage.more_devices:
            return "one device holds one system at a time"
    elif not isinstance(study.storage, LoopStorage | RamStorage | PathStorage):
        return f"storage of kind {study.storage.kind} holds one system at a time"
    if is_preconditioned(study.storage):
        return "storage that is preconditioned holds one system at a time"
    if is_served(study):
        return "a server alongside others would share the machine with them while it is measured"
    stages = method_of(study.workload).stages(cells_of(study.workload))
    if sum(map(len, stages)) > 1:
        return "cells of one system are compared with one another, each on a newly made system"
    return ""


def _of_the_systems(study: Study) -> str:
    for system in study.systems:
        for key in system.tunables:
            place = place_of(key)
            if place is not None and place.is_of_client:
                return f'"{system.name}" changes {key}, which others of the mount have as well'
            if place is not None and not place.device:
                return f'"{system.name}" changes {key}, a setting of the whole machine'
        if {"-U", "uuid"} & set(system.mkfs.replace("=", " ").replace(",", " ").split()):
            return f'"{system.name}" is given its UUID, and its twin would have the same'
    return ""


def _of_the_room(study: Study) -> str:
    """Room for all at once; a sparse image fills up as it is written."""
    storage, turns = study.storage, turns_of_block(study)
    if isinstance(storage, PathStorage):
        return _of_folders(study, storage)
    if isinstance(storage, DeviceStorage):
        named = len(storage.devices)
        needed = f"{turns} systems at once need {turns} devices, and {named} are named"
        return "" if named == turns else needed
    if not isinstance(storage, LoopStorage | RamStorage):
        return ""
    needed_bytes = turns * storage.size
    if isinstance(storage, RamStorage):
        fits, where = loop.memory_has_room(needed_bytes), "available of memory"
    else:
        fits = loop.has_room(Path(storage.directory), needed_bytes)
        where = f"free in {storage.directory}"
    needed = f"{turns} systems at once take {format_size(needed_bytes)}"
    return "" if fits else f"{needed}, more than is {where}"


def _of_folders(study: Study, storage: PathStorage) -> str:
    """A folder for each system, and two for the baseline, on the file systems that they are on."""
    places = [system.path or storage.path for system in study.systems]
    places.append(places[0])
    there = {place for place in places if os.path.isdir(place)}  # noqa: PTH112 - none if closed
    on = {place: Path(place).stat().st_dev for place in there}
    counts = Counter(on[place] for place in places if place in on)
    for place, device in on.items():
        size_bytes = counts[device] * storage.size
        if not loop.has_room(Path(place), size_bytes):
            takes = "takes" if counts[device] == 1 else "take"
            return (
                f"{_who(study, storage, device, on)} {takes} {format_size(size_bytes)} at once on"
                f" the file system of {place}, more than is free there"
            )
    return ""


def _who(study: Study, storage: PathStorage, device: int, on: Mapping[str, int]) -> str:
    """The systems on a file system, the baseline twice: "/mnt/a, /mnt/a again"."""
    baseline, *others = study.systems
    named = [baseline.name, f"{baseline.name} again", *(system.name for system in others)]
    paths = [system.path or storage.path for system in (baseline, baseline, *others)]
    return ", ".join(
        name for name, path in zip(named, paths, strict=True) if on.get(path) == device
    )
