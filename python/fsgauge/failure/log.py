"""What can fail, and what became of each failure, as it is stored: failure.json in its folder."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.agents.agents import AgentsLog, LogPart

Struck = Literal["server", "node", "link"]

TITLES: dict[Struck, str] = {
    "server": "the server loses its power",
    "node": "a node loses its power",
    "link": "a node's link is cut",
}


class Survived(LogPart):
    """One node: how many records it was told were synced, for how long the longest pause between
    two of them lasted once the failure had begun (null where it never went on), the errors that its
    program saw, and how many of its synced records a reader does not find, by reader."""

    name: str
    is_struck: bool
    synced: int
    longest_pause_ns: int | None
    errors: dict[str, int]
    lost: dict[str, int]
    torn: dict[str, int]
    fault: str = ""

    @property
    def most_lost(self) -> int | None:
        """On the reader that misses most; None where no one could read."""
        return max(self.lost.values(), default=None)


class Failed(LogPart):
    """A failure of a system: when it began and ended, when what was struck did its work again, and
    what its nodes saw. `number` is which of its kind it was; `fault` is why it could not be carried
    out."""

    system: str
    is_made_of: str = ""
    struck: Struck
    number: int = 1
    began_ns: int | None = None
    ended_ns: int | None = None
    back_ns: int | None = None
    words: list[str] = Field(default_factory=list)
    nodes: list[Survived] = Field(default_factory=list)
    fault: str = ""


class Log(AgentsLog):
    """All of it."""

    lasts_ns: int
    loses_unflushed: bool
    failures: list[Failed] = Field(default_factory=list)

    @property
    def systems(self) -> dict[str, str]:
        return {each.system: each.is_made_of for each in self.failures}
