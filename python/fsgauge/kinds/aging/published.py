"""Claims that others published of allocation sizes and ageing."""

from __future__ import annotations

from functools import cache
from typing import Literal

from fsgauge.report.published import Published, read_published


class PublishedClaim(Published):
    """What an allocation size keeps, and which number of a report stands beside it."""

    text: str
    published: str
    test: Literal["kept", "kept_at", "in_chunks", "clean"]
    side: Literal["write", "read"] = "write"
    chunk_bytes: int
    free_percent: int | None = None


class PublishedRate(Published):
    """A rate of other hardware, in the publication's words: nothing here stands beside it."""

    text: str
    published: str


class PublishedAging(Published):
    """What allocation sizes do to rates as a file system ages."""

    title: str
    author: str
    storage: str
    method: str
    claim: list[PublishedClaim]
    rate: list[PublishedRate]


@cache
def published_aging() -> PublishedAging:
    """The claims that the study `aging` tests."""
    return read_published("aging", PublishedAging)
