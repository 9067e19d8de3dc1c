"""Several nodes that share files: what is asked of them, and how the log of a test begins."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, Self

from fsgauge import __version__
from fsgauge.errors import RigError
from fsgauge.plain_files.kept import Kept

LONGEST_BYTES = 64 << 20
"""A record with its histograms is a hundredth of it, a program that is brought along a tenth."""
Step = Mapping[str, object]
Answer = dict[str, Any]
"""What a step found; an error of the file system is `error`, by its name."""


class AgentLostError(RigError):
    """A node that does not answer: it hangs or has ended."""

    has_ended = False
    """Whether it has ended; one that has not hangs."""


class Agents(Protocol):
    """Nodes by their places, from 0."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the nodes, in order."""

    def ask(self, steps: Mapping[int, Step], seconds: float) -> dict[int, Answer]:
        """A step for each of some nodes, at once. Raises AgentLostError after that time."""


def folder_name() -> str:
    """A new name for the folder that all nodes work in."""
    return f"fsgauge-shared-{secrets.token_hex(6)}"


def one(agents: Agents, at: int, seconds: float, **step: object) -> Answer:
    return agents.ask({at: step}, seconds)[at]


class AgentsLog(Kept):
    """The beginning of a log: its format, and which fsgauge began it, when."""

    format: Literal[1] = 1
    fsgauge: str
    started_unix_ns: int

    @classmethod
    def begun(cls, **rest: object) -> Self:
        """A log that begins now; `rest` are its other fields."""
        began = {"fsgauge": __version__, "started_unix_ns": time.time_ns()}
        return cls.model_validate(began | rest)


class Lines:
    """What has come so far. `add` takes a piece of any length, `take` gives the next whole line."""

    def __init__(self, longest_bytes: int = LONGEST_BYTES) -> None:
        self._come = bytearray()
        self._searched = 0
        self._longest_bytes = longest_bytes

    def add(self, piece: bytes) -> None:
        """ValueError for a line that has no end."""
        self._come += piece
        if len(self._come) > self._longest_bytes and not self.has_one:
            raise ValueError(f"a line of more than {self._longest_bytes} bytes")

    @property
    def has_one(self) -> bool:
        return self._end >= 0

    def take(self) -> bytes | None:
        """The next line without its end; None where none is whole yet."""
        end = self._end
        if end < 0:
            return None
        line = bytes(self._come[:end])
        del self._come[: end + 1]
        self._searched = 0
        return line

    @property
    def _end(self) -> int:
        found = self._come.find(b"\n", self._searched)
        if found < 0:
            self._searched = len(self._come)
        return found
