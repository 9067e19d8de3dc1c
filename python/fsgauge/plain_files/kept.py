"""The base of what files and messages keep: no unknown fields, and nothing changes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Kept(BaseModel):
    """Unknown fields are refused; validators are built when they are first used."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
