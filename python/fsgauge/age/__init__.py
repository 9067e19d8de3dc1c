"""Ageing one file system by an operation log, with a scan before and after."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fsgauge.age.image import checksum_of, take_name, worn_image
from fsgauge.age.record import (
    NOT_ASKED,
    MadeTarget,
    RecordFiles,
    document_of_age,
    keep_age,
    keep_scans,
    record_files,
)
from fsgauge.age.target import require_empty, require_no_swap, require_room
from fsgauge.age.wearing import SMALL_BYTES, Fidelity, Order, Worn, measure_fidelity, wear
from fsgauge.engine.client import Engine
from fsgauge.errors import InputError, Interrupted
from fsgauge.machine.folder.open_folder import open_place
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.plain_files import require_writable
from fsgauge.progress.scan_and_age import StageProgress
from fsgauge.rig.host.checks import check_image
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind


@dataclass(frozen=True)
class Aged:
    """What was aged, with which result, and where the records are."""

    made: MadeTarget
    worn: Worn
    fidelity: Fidelity | str
    files: RecordFiles
    interrupted: bool

    @property
    def document(self) -> dict[str, Any]:
        return document_of_age(self.made, self.worn, self.fidelity)


def age_image(
    engine: Engine,
    ledger: Ledger,
    target: Path,
    records: Path,
    system: System,
    size_bytes: int,
    order: Order,
    progress: StageProgress,
    *,
    fidelity: bool,
) -> Aged:
    """Make, age and name an image; on failure nothing of it is left."""
    kind = _file_system(system)
    files = record_files(records, target.name)
    require_writable(target.parent)
    folder = require_no_swap(target.parent)
    target = folder / target.name
    require_writable(records)
    files.require_new()
    check_image(system, kind, size_bytes)
    small_bytes = max(kind.smallest_bytes, min(size_bytes, SMALL_BYTES))
    require_room(folder, size_bytes, order.mode)
    if fidelity:
        require_room(folder, small_bytes, "write")
    with worn_image(engine, ledger, folder, system, kind, size_bytes, order, progress) as image:
        progress.stage("reading what the image holds")
        made = MadeTarget(
            target, checksum_of(image.file), system.kind, image.mkfs, image.mount_options
        )
        take_name(image.file, target)
        keep_scans(files, image.worn)
        aged = Aged(made, image.worn, NOT_ASKED, files, progress.asked)
        keep_age(files, aged.document)
    if not fidelity:
        return aged

    def small(each: Order) -> Worn:
        with worn_image(engine, ledger, folder, system, kind, small_bytes, each, progress) as image:
            return image.worn

    found: Fidelity | str = "stopped by Ctrl-C"
    if aged.worn.result.ended != "interrupted" and not progress.asked:
        with suppress(Interrupted):
            found = measure_fidelity(order, small_bytes, small)
    aged = replace(aged, fidelity=found, interrupted=progress.asked)
    keep_age(files, aged.document)
    return aged


def age_folder(
    engine: Engine,
    target: Path,
    records: Path,
    size_bytes: int | None,
    order: Order,
    progress: StageProgress,
) -> Aged:
    """Age an empty folder; its files are kept."""
    kept = "only an image can be made again"
    with open_place(target) as place, engine.holding(place.held):
        space_bytes = require_empty(place, size_bytes)
        require_writable(records)
        if records.resolve().is_relative_to(place.path.resolve()):
            raise InputError(
                f"the records would be written to {place.path}, which is to be aged",
                next="--records FOLDER, outside it",
            )
        files = record_files(records, place.path.resolve().name)
        files.require_new()
        worn = wear(engine, str(place.path), replace(order, space_bytes=space_bytes), progress)
        place.require_still()
        aged = Aged(MadeTarget(place.path), worn, kept, files, progress.asked)
        keep_scans(files, worn)
        keep_age(files, aged.document)
        return aged


def _file_system(system: System) -> FileSystem:
    kind = find_kind(system.kind)
    if not isinstance(kind, FileSystem):
        raise InputError(
            f'"{system.kind}" is not a file system that can be made in an image',
            next="--system ext4, or an empty folder as the target",
        )
    return kind
