"""What went between machines, and to their disks, while a run was measured."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DiskDone(BaseModel):
    """What one disk of the virtual rig did in a run, in the unit of its counter, of what its limit
    counts: reads and writes, and no flushes. `limit_per_second` is that limit; 0 where it has
    none."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    count: int
    limit_per_second: int


class Traffic(BaseModel):
    """What one counter of a system's layers counted while the engine ran, part by part: the NFS
    operations by name, bytes sent and received. Of several machines, their sum."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    title: str
    unit: str
    parts: dict[str, int]
    of_disks: dict[str, DiskDone] = Field(default={}, exclude_if=lambda value: not value)
    """The same disk by disk, by machine and serial: each has a limit of its own."""

    @property
    def count(self) -> int:
        """All parts together."""
        return sum(self.parts.values())


class DeviceRun(BaseModel):
    """What the device `name` completed while the engine ran, after merging and splitting: warm-up,
    reading back and what a file system writes beside the load included."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    read_requests: int
    read_bytes: int
    write_requests: int
    write_bytes: int
    discard_requests: int
    discard_bytes: int
