"""The base of every type that crosses the border between the lab and the engine."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """A type that crosses the border between the lab and the engine."""

    model_config = ConfigDict(extra="forbid", frozen=True)
