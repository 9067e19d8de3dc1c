"""The base of every type that crosses the border between the lab and the engine."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """A type that crosses the border between the lab and the engine."""

    # Built when it is first used: a command uses few of some hundred types.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
