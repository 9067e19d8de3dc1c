"""Share storage: shares of running servers; nothing on this machine is touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsgauge.record.machine import StorageFacts
from fsgauge.storage.base import Base
from fsgauge.study.model import ShareStorage
from fsgauge.units import format_size


@contextmanager
def attach(storage: ShareStorage) -> Iterator[Base]:
    """The storage, of which only the size that the study may use is known."""
    facts = StorageFacts(
        kind="share",
        sentence=f"up to {format_size(storage.size)} on shares of servers (used as they are)",
        size_bytes=storage.size,
        device_chain=[],
        cautions=[
            "the storage and the other users of a share are not known here; the server's caches"
            " are not dropped, and extents cannot be counted"
        ],
    )
    yield Base(None, None, storage.size, facts)
