"""RAM storage: a file on a private tmpfs behind a loop device; no disk takes part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.machine.device.device_chain import chain_of_device
from fsgauge.machine.facts.memory import available_memory_bytes
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import MountTrace
from fsgauge.machine.process.tool import must_run
from fsgauge.record.machine import StorageFacts
from fsgauge.storage.base import Base
from fsgauge.storage.loop import loop_device, make_file, require_loops
from fsgauge.study.model import RamStorage
from fsgauge.units import exact_size, format_size

_SLACK_BYTES = 16 << 20
_SHARE_OF_MEMORY = 0.8


def has_room(size_bytes: int) -> bool:
    """Whether so much memory may be taken; True where nobody knows."""
    available = available_memory_bytes()
    return available is None or size_bytes <= available * _SHARE_OF_MEMORY


def check(storage: RamStorage) -> None:
    """Refuse more memory than is available."""
    require_loops()
    available = available_memory_bytes()
    if available is not None and not has_room(storage.size):
        fits = int(available * _SHARE_OF_MEMORY)
        fits -= fits % (256 << 20)
        raise InputError(
            f"the storage is {format_size(storage.size)} of memory,"
            f" and {format_size(available)} are available",
            next=f"--storage ram:{exact_size(fits).replace(' ', '')}, or --storage loop:8GiB",
        )


@contextmanager
def attach(storage: RamStorage, ledger: Ledger, suffix: str = "") -> Iterator[Base]:
    """The tmpfs, its file and the loop device, until the context ends."""
    check(storage)
    with (
        ledger.folder(ledger.mount_folder, f"ram{suffix}") as folder,
        _tmpfs(folder, storage.size, ledger) as inside,
    ):
        file = inside / "storage.img"
        make_file(file, storage.size, preallocate=False)
        with loop_device(file, ledger) as (device, cautions):
            facts = StorageFacts(
                kind="ram",
                sentence=f"{format_size(storage.size)} of memory behind a loop device"
                " (no disk: this is the software's cost)",
                size_bytes=storage.size - storage.size % (1 << 20),
                device_chain=chain_of_device(device),
                cautions=cautions,
            )
            yield Base(device, None, facts.size_bytes, facts, suffix=suffix)


@contextmanager
def _tmpfs(folder: Path, size_bytes: int, ledger: Ledger) -> Iterator[Path]:
    """A tmpfs with a marked folder in it, since the loop's file must be in our own folder."""
    options = f"size={size_bytes + _SLACK_BYTES},mode=0700,nosuid,nodev"
    with ledger.holding(MountTrace(path=str(folder))):
        must_run(
            ["mount", "-t", "tmpfs", "-o", options, "fsgauge", str(folder)],
            what="cannot mount a tmpfs",
        )
        with ledger.folder(folder, "ram") as inside:
            yield inside
