"""What statistics say of sharing alone, for report.json."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults
from fsgauge.stats.rig_limits import Limit

FaultClass = Literal["not set up", "not in force", "I/O error", "hang", "crash", "wrong data"]


class SystemFaults(ResultModel):
    """How often a system failed, by class, in turns: one that fails takes the rest of its turn
    with it. `reached` are its runs that were measured, of `planned`; `first` says what the first
    fault was. `sound` is the share without a fault of its own, of what it had the chance to do:
    runs that the rig failed, or that were not begun, count for nothing. None where there is none.
    """

    system: str
    planned: int
    reached: int
    counts: dict[FaultClass, int]
    first: str
    sound: float | None = None


class CellLimit(ResultModel):
    """What limited a system in a cell: the emulated processor, a limit of a disk, or neither.

    Shares are means over runs: of its time the processor worked, on the node that was busiest; of
    what a disk may do in requests, and in bytes, the one did that came nearest to each; of its time
    the test itself was on a processor, as its program prints it. None where it is not known. `disk`
    is the one that came nearest to a limit: its machine and serial.
    """

    cell: str
    system: str
    limit: Limit
    processor_share: float | None
    iops_share: float | None
    bandwidth_share: float | None
    disk: str = ""
    test_share: float | None


class CellMemory(ResultModel):
    """A cell's file next to the memory that could hold it, by machine: that of a client and of its
    servers, as far as they are among the study's machines.

    A cell is a test of caches where its file is smaller than twice that memory, or its writes are
    not flushed.
    """

    cell: str
    file_bytes: int
    memory_bytes: dict[str, int]
    servers: list[str]
    is_small: bool
    is_unflushed: bool
    is_cache_test: bool


class RatioToNfs(JudgedRatio):
    """A system against NFS in a cell; `limited_by` as of a comparison with the baseline."""

    cell: str
    system: str
    nfs: str
    limited_by: str = ""


class Sharing(OwnResults):
    """What only sharing has. `local_locks` are the cluster file systems that one node alone has
    mounted."""

    faults: list[SystemFaults]
    limits: list[CellLimit]
    memory: list[CellMemory] = Field(default=[])
    local_locks: list[str] = Field(default=[])
    to_nfs: list[RatioToNfs] = Field(default=[])
