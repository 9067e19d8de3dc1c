"""Jobs that go to the engine."""

from __future__ import annotations

from typing import Literal

from fsgauge.wire.age import AgeJob
from fsgauge.wire.base import Wire
from fsgauge.wire.clients import ClientsJob
from fsgauge.wire.load_job import Data, IncompressibleData, LoadJob
from fsgauge.wire.scan import ScanJob
from fsgauge.wire.target import Target


class LayoutJob(Wire):
    """Create the target's files and fill it once, in order, with data."""

    format: Literal[1] = 1
    kind: Literal["layout"] = "layout"
    target: Target
    block_size_bytes: int = 1 << 20
    queue_depth: int = 8
    direct: bool
    preallocate: bool = False
    data: Data = IncompressibleData()
    seed: int


class ProbeJob(Wire):
    """What this kernel and machine offer the engine."""

    format: Literal[1] = 1
    kind: Literal["probe"] = "probe"
    directory: str | None = None


Job = LoadJob | ClientsJob | LayoutJob | ProbeJob | ScanJob | AgeJob
