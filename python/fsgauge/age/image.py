"""An image of our own: a sparse file, made, mounted, worn, unmounted; then it takes its name.

Until then it lies in a marked folder beside: whatever ends the command leaves no half image,
nothing mounted and no loop device.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.age.wearing import Order, Told, Worn, wear
from fsgauge.engine import Engine
from fsgauge.errors import Interrupted, RefusedError, RigError
from fsgauge.machine import StorageFacts
from fsgauge.rig.host.device.device_chain import chain_of_device
from fsgauge.rig.host.formatted import Formatted, formatted
from fsgauge.rig.host.ledger.ledger import Ledger
from fsgauge.storage.base import Base
from fsgauge.storage.loop import loop_device, make_file
from fsgauge.study.model import System
from fsgauge.system import FileSystem
from fsgauge.units import format_size

_NAME = "image"


@dataclass(frozen=True)
class WornImage:
    """An image that is not mounted any more, and how it was made."""

    file: Path
    worn: Worn
    mkfs: str
    mount_options: str
    notes: list[str]


@contextmanager
def worn_image(
    engine: Engine,
    ledger: Ledger,
    folder: Path,
    system: System,
    kind: FileSystem,
    size_bytes: int,
    order: Order,
    told: Told,
) -> Iterator[WornImage]:
    """A worn image below `folder`, until the context ends."""
    with ledger.folder(folder, "age") as ours:
        file = ours / _NAME
        make_file(file, size_bytes, preallocate=False)
        told.stage(f"making {kind.name}")
        with _mounted(file, system, kind, ledger) as made:
            if told.ending.asked:
                raise Interrupted("ended before anything was aged", cause="so nothing is kept")
            worn = wear(engine, str(made.directory), order, told)
            told.stage("unmounting")
        command = " ".join(made.mkfs.command)
        yield WornImage(file, worn, command, made.mount_options, made.notes)


@contextmanager
def _mounted(file: Path, system: System, kind: FileSystem, ledger: Ledger) -> Iterator[Formatted]:
    with loop_device(file, ledger) as (device, cautions):
        size_bytes = file.stat().st_size
        facts = StorageFacts(
            kind="loop",
            sentence=f"sparse image {format_size(size_bytes)}",
            size_bytes=size_bytes,
            device_chain=chain_of_device(device),
            cautions=cautions,
        )
        with formatted(kind, system, Base(device, None, size_bytes, facts), ledger) as made:
            yield made


def take_name(file: Path, target: Path) -> None:
    """Give a finished image its name; RefusedError where something has it meanwhile."""
    try:
        os.link(file, target)
    except FileExistsError as error:
        raise RefusedError(
            f"{target} came to be meanwhile, so it is left alone and the image is gone",
            next="the same command with another name",
        ) from error
    except OSError as error:
        raise RigError(
            f"{target} could not be made: {error.strerror}",
            cause="the file system below may have no hard links",
            next="an image on ext4, XFS or btrfs",
        ) from error
