"""The main path: refusals, then the ageing of an image or a folder, then its records."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsgauge.age.image import checksum_of, take_name, worn_image
from fsgauge.age.record import (
    NOT_ASKED,
    Beside,
    Made,
    beside,
    document_of_age,
    keep_age,
    keep_scans,
)
from fsgauge.age.target import require_empty, require_no_swap, require_place, require_room
from fsgauge.age.wearing import SMALL_BYTES, Fidelity, Order, Told, Worn, measure_fidelity, wear
from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, Interrupted
from fsgauge.machine.folder.open_folder import OpenFolder, open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.rig.host.checks import check_image
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind


@dataclass(frozen=True)
class Aged:
    """What was aged, with which result, and where the records are."""

    made: Made
    worn: Worn
    fidelity: Fidelity | str
    files: Beside
    interrupted: bool

    @property
    def document(self) -> dict[str, Any]:
        """The record, as NAME.age.json has it."""
        return document_of_age(self.made, self.worn, self.fidelity)


def age_image(
    engine: Engine,
    ledger: Ledger,
    target: Path,
    records: Path,
    system: System,
    size_bytes: int,
    order: Order,
    told: Told,
    *,
    fidelity: bool,
) -> Aged:
    """Make, age and name an image; on failure nothing of it is left."""
    kind = _file_system(system)
    files = beside(records, target.name)
    require_place(target.parent)
    folder = require_no_swap(target.parent)
    target = folder / target.name
    require_place(records)
    files.require_new()
    check_image(system, kind, size_bytes)
    small_bytes = max(kind.smallest_bytes, min(size_bytes, SMALL_BYTES))
    require_room(folder, size_bytes, order.mode)
    if fidelity:
        require_room(folder, small_bytes, "write")
    with worn_image(engine, ledger, folder, system, kind, size_bytes, order, told) as image:
        told.stage("reading what the image holds")
        made = Made(target, checksum_of(image.file), system.kind, image.mkfs, image.mount_options)
        take_name(image.file, target)
        keep_scans(files, image.worn)
        aged = Aged(made, image.worn, NOT_ASKED, files, told.ending.asked)
        keep_age(files, aged.document)
    if not fidelity:
        return aged

    def small(each: Order) -> Worn:
        with worn_image(engine, ledger, folder, system, kind, small_bytes, each, told) as image:
            return image.worn

    found = _measured(aged.worn, order, small_bytes, small, told)
    aged = replace(aged, fidelity=found, interrupted=told.ending.asked)
    keep_age(files, aged.document)
    return aged


def age_folder(
    engine: Engine, target: Path, records: Path, size_bytes: int | None, order: Order, told: Told
) -> Aged:
    """Age an empty folder; its files are kept."""
    with open_place(target) as place, engine.holding(place.held):
        return _aged_folder(engine, place, records, size_bytes, order, told)


def _aged_folder(
    engine: Engine,
    place: OpenFolder,
    records: Path,
    size_bytes: int | None,
    order: Order,
    told: Told,
) -> Aged:
    target = place.path
    space_bytes = require_empty(place, size_bytes)
    require_place(records)
    if records.resolve().is_relative_to(target.resolve()):
        raise InputError(
            f"the records would be written to {target}, which is to be aged",
            next="--records FOLDER, outside it",
        )
    files = beside(records, target.resolve().name)
    files.require_new()
    worn = wear(engine, str(target), replace(order, space_bytes=space_bytes), told)
    place.require_still()
    aged = Aged(Made(target), worn, "only an image can be made again", files, told.ending.asked)
    keep_scans(files, worn)
    keep_age(files, aged.document)
    return aged


def _measured(
    worn: Worn, order: Order, size_bytes: int, small: Callable[[Order], Worn], told: Told
) -> Fidelity | str:
    if worn.result.ended != "interrupted" and not told.ending.asked:
        with suppress(Interrupted):
            return measure_fidelity(order, size_bytes, small)
    return "stopped by Ctrl-C"


def _file_system(system: System) -> FileSystem:
    kind = find_kind(system.kind)
    if not isinstance(kind, FileSystem):
        raise InputError(
            f'"{system.kind}" is not a file system that can be made in an image',
            next="--system ext4, or an empty folder as the target",
        )
    return kind
