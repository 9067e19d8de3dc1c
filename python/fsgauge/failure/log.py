"""What became of each failure, as it is stored: failure.json in its folder."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

FILE = "failure.json"
Struck = Literal["server", "node", "link"]

TITLES: dict[Struck, str] = {
    "server": "the server loses its power",
    "node": "a node loses its power",
    "link": "a node's link is cut",
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Survived(_Model):
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


class Failed(_Model):
    """A failure of a system: when it began and ended, when what was struck did its work again, and
    what its nodes saw. `fault` is why it could not be carried out."""

    system: str
    is_made_of: str = ""
    struck: Struck
    began_ns: int | None = None
    ended_ns: int | None = None
    back_ns: int | None = None
    words: list[str] = []
    nodes: list[Survived] = []
    fault: str = ""


class Log(_Model):
    """All of it."""

    format: Literal[1] = 1
    fsgauge: str
    started_unix_ns: int
    lasts_ns: int
    loses_unflushed: bool
    failures: list[Failed] = []

    @property
    def systems(self) -> dict[str, str]:
        """What each system is, by name."""
        return {each.system: each.is_made_of for each in self.failures}
