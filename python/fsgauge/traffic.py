"""What went between machines, and to their disks, while a run was measured."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Traffic(BaseModel):
    """What one counter of a system's layers counted while the engine ran, part by part: the NFS
    operations by name, bytes sent and received. Of several machines, their sum."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    unit: str
    parts: dict[str, int]

    @property
    def count(self) -> int:
        """All parts together."""
        return sum(self.parts.values())
