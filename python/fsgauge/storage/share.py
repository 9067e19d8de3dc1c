"""Share storage: shares of servers that run already; nothing of this machine is touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsgauge.machine import StorageFacts
from fsgauge.storage.base import Base
from fsgauge.study.model import ShareStorage
from fsgauge.units import format_size


@contextmanager
def attach(storage: ShareStorage) -> Iterator[Base]:
    """What is known of it: what the study may use."""
    facts = StorageFacts(
        kind="share",
        sentence=f"up to {format_size(storage.size)} on shares of servers (used as they stand)",
        size_bytes=storage.size,
        device_chain=[],
        cautions=[
            "what lies under a share, and who else works on it, is not known here: caches of the"
            " server stay as they are, and extents cannot be counted"
        ],
    )
    yield Base(None, None, storage.size, facts)
