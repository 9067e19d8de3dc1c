"""What a test with hands keeps of itself: how every such log begins."""

from __future__ import annotations

import time
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from fsgauge import __version__


class LogPart(BaseModel):
    """Something that is stored; it never changes, and a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class HandsLog(LogPart):
    """The beginning of a log: its format, and which fsgauge began it, when."""

    format: Literal[1] = 1
    fsgauge: str
    started_unix_ns: int

    @classmethod
    def begun(cls, **rest: object) -> Self:
        """One that begins now, with what else it has."""
        began = {"fsgauge": __version__, "started_unix_ns": time.time_ns()}
        return cls.model_validate(began | rest)
