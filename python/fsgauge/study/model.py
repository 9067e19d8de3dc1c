"""What a study file says, checked: a question, storage, systems, a workload, a plan.

Quantities arrive as text with a unit ("4 KiB", "10 s") and stand here as raw integers.
Defaults are the ones that `fsgauge plan` prints.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from fsgauge.units import DurationNs, Percent, RateOperationsPerSecond, SizeBytes

Pattern = Literal["read", "write", "rw", "randread", "randwrite", "randrw"]
"""fio's words; `rw` and `randrw` mix reads and writes by `read_percent`."""


class StudyModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LoopStorage(StudyModel):
    """A file under `directory` behind a loop device with direct I/O."""

    kind: Literal["loop"] = "loop"
    size: SizeBytes = 8 << 30
    directory: str = "/var/tmp"
    preallocate: bool = False


class RamStorage(StudyModel):
    """A file in memory (tmpfs) behind a loop device: no disk, what the software alone costs."""

    kind: Literal["ram"] = "ram"
    size: SizeBytes = 1 << 30


class DeviceStorage(StudyModel):
    """A block device, whole; written only after consent by serial, WWN or UUID."""

    kind: Literal["device"] = "device"
    device: str


class PathStorage(StudyModel):
    """A folder on a mounted file system; nothing is formatted."""

    kind: Literal["path"] = "path"
    path: str
    size: SizeBytes = 1 << 30


Storage = Annotated[
    LoopStorage | RamStorage | DeviceStorage | PathStorage, Field(discriminator="kind")
]


class System(StudyModel):
    """One thing compared. `kind` names a file in fsgauge/system; without it, `name` does."""

    name: str
    kind: str
    mkfs: str = ""
    mount: str = ""
    path: str | None = None
    tunables: dict[str, str] = {}


class OverheadWorkload(StudyModel):
    """Every pattern at every block size, queue depth and number of jobs: one cell each."""

    kind: Literal["overhead"] = "overhead"
    patterns: list[Pattern] = ["randread", "randwrite", "randrw"]
    block_sizes: list[SizeBytes] = [4 << 10, 16 << 10, 64 << 10, 256 << 10]
    queue_depths: list[int] = [1, 32, 64]
    jobs: list[int] = [1]
    read_percent: Percent = 70
    distribution: Literal["uniform", "zipf"] = "uniform"
    zipf_theta: float = 1.1
    interface: Literal["auto", "io_uring", "psync"] = "auto"
    direct: bool = True
    files: int = 16
    fill: Percent = 90
    data: Literal["incompressible", "zero"] = "incompressible"
    rate: RateOperationsPerSecond | None = None
    arrival: Literal["constant", "exponential"] = "exponential"
    warm_up: DurationNs = 2_000_000_000
    duration: DurationNs = 10_000_000_000


Workload = OverheadWorkload


class PlanSettings(StudyModel):
    """How often, in what order, for how long."""

    blocks: int = 8
    seed: int | None = None
    budget: DurationNs | None = None
    primary: list[str] = []
    equivalence_percent: Percent = 3
    noise_percent: Percent | None = None


class Study(StudyModel):
    """A question with its method. `name` is the file's stem, not a key of the file."""

    format: Literal[1]
    name: str
    question: str
    storage: Storage
    systems: list[System] = Field(alias="system")
    workload: Workload
    plan: PlanSettings = PlanSettings()
