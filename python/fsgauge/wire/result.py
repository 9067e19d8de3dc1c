"""What jobs give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.age import AgeResult
from fsgauge.wire.base import Wire
from fsgauge.wire.engine import Engine, Features, Note
from fsgauge.wire.load_result import LoadResult
from fsgauge.wire.scan import ScanResult


class LayoutResult(Wire):
    format: Literal[1]
    kind: Literal["layout"]
    engine: Engine
    ended: Literal["duration", "size_limit", "interrupted"]
    files: int
    size_bytes: int
    elapsed_ns: int
    fsync_ns: int
    notes: list[Note]


class NullCost(Wire):
    depth_1: float
    depth_32: float


class ProbeResult(Wire):
    format: Literal[1]
    kind: Literal["probe"]
    engine: Engine
    io_uring: bool
    io_uring_reason: str | None = None
    features: Features
    direct: bool | None = None
    direct_alignment_bytes: int | None = None
    clock: Literal["tsc", "clock_gettime"]
    clock_ns_per_read: float
    null_ns_per_operation: NullCost


Result = Annotated[
    LoadResult | LayoutResult | ProbeResult | ScanResult | AgeResult, Field(discriminator="kind")
]
