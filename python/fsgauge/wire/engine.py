"""The engine that answers, what of io_uring it had, and its notes."""

from __future__ import annotations

from typing import Literal

from fsgauge.wire.base import Wire


class Engine(Wire):
    """The engine's build; a debug build marks every record."""

    version: str
    profile: Literal["release", "debug"]
    target: str
    commit: str


class Features(Wire):
    """What of io_uring was in use."""

    registered_files: bool
    registered_buffers: bool
    single_issuer: bool
    defer_taskrun: bool
    coop_taskrun: bool
    registered_ring: bool
    no_sqarray: bool


class Note(Wire):
    """Something that the reader of the result should know; `code` is a stable name."""

    code: str
    text: str
