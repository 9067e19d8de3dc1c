"""What went between machines, and to their disks, while a run was measured."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Traffic(BaseModel):
    """What one counter of a system's layers counted while the engine ran, part by part: the NFS
    operations by name, bytes sent and received. Of several machines, their sum."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str
    title: str
    unit: str
    parts: dict[str, int]

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
