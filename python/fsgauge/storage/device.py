"""Device storage: a whole block device, empty in its whole tree, named by the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsgauge.host.block_device import BlockDevice
from fsgauge.host.device_chain import Link, chain_of_device
from fsgauge.host.ledger import Ledger
from fsgauge.host.safety import (
    find_device,
    require_consent,
    require_empty,
    require_writable,
    sole_use,
)
from fsgauge.host.traces import DeviceTrace
from fsgauge.record import StorageFacts
from fsgauge.storage.base import Base
from fsgauge.study.model import DeviceStorage
from fsgauge.units import format_size

_SMALLEST_BYTES = 16 << 20


def check(
    storage: DeviceStorage, destroy: str | None, smallest_bytes: int = _SMALLEST_BYTES
) -> BlockDevice:
    """The device, if it may be written; raises InputError, RefusedError or RigError."""
    device = find_device(storage.device)
    require_writable(device, max(smallest_bytes, _SMALLEST_BYTES))
    require_empty(device)
    require_consent(device, destroy)
    return device


@contextmanager
def attach(storage: DeviceStorage, ledger: Ledger, destroy: str | None) -> Iterator[Base]:
    """The device, checked again and locked, until the context ends; then free of signatures."""
    with sole_use(find_device(storage.device)):
        device = check(storage, destroy)
        with ledger.holding(DeviceTrace(device=device.path)):
            chain = chain_of_device(device.path)
            facts = StorageFacts(
                kind="device",
                sentence=_sentence(device, chain[0]),
                size_bytes=device.size_bytes,
                device_chain=chain,
                cautions=[],
            )
            yield Base(device.path, None, device.size_bytes, facts)


def _sentence(device: BlockDevice, link: Link) -> str:
    model = f"{link['model']} " if link.get("model") else ""
    spins = {"1": "rotational", "0": "not rotational"}.get(str(link.get("rotational")), "")
    cache = f"write cache: {link['write_cache']}" if link.get("write_cache") else ""
    words = ", ".join(word for word in (spins, cache) if word)
    return f"{model}{device.path}, {format_size(device.size_bytes)} ({words})"
