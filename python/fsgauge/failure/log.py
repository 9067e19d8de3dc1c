"""What can fail, and what became of each failure: failure.json in its folder, and its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from fsgauge.agents.agents import AgentsLog
from fsgauge.plain_files.kept import Kept
from fsgauge.report.logged import write_logged
from fsgauge.units import format_duration

Struck = Literal["server", "node", "link"]
TITLES: dict[Struck, str] = {
    "server": "the server loses its power",
    "node": "a node loses its power",
    "link": "a node's link is cut",
}


class Survived(Kept):
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


class Failed(Kept):
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
    lasts_ns: int
    loses_unflushed: bool
    failures: list[Failed] = Field(default_factory=list)

    @property
    def systems(self) -> dict[str, str]:
        return {each.system: each.is_made_of for each in self.failures}


@dataclass(frozen=True)
class Row:
    system: str
    struck: str
    node: str
    pause: str
    errors: str
    lost: str
    is_lost: bool
    back: str


def write_log(log: Log, folder: Path) -> Path:
    """Write the log and its page into a folder; RigError where that cannot be."""
    words = {"rows": rows(log), "answer": answer(log), "titles": TITLES}
    return write_logged("failure", log, folder, **words, duration=format_duration)


def rows(log: Log) -> list[Row]:
    return [row for failed in log.failures for row in rows_of(failed)]


def rows_of(failed: Failed) -> list[Row]:
    title = f"{TITLES[failed.struck]}{f', time {failed.number}' if failed.number > 1 else ''}"
    if not failed.nodes:
        return [Row(failed.system, title, "", failed.fault, "", "", False, "")]
    return [
        Row(
            system=failed.system,
            struck=title,
            node=f"{node.name}{', struck' if node.is_struck else ''}",
            pause=_pause(node),
            errors=", ".join(f"{times} {name}" for name, times in node.errors.items()) or "none",
            lost=_lost(node),
            is_lost=bool(node.most_lost),
            back=back_words(failed),
        )
        for node in failed.nodes
    ]


def back_words(failed: Failed) -> str:
    if failed.fault:
        return f"not: {failed.fault}"
    end = failed.ended_ns if failed.struck == "link" else failed.back_ns
    if end is None or failed.began_ns is None:
        return "not"
    return f"after {format_duration(end - failed.began_ns)}"


def _pause(node: Survived) -> str:
    if node.longest_pause_ns is None:
        return f"never went on{f': {node.fault}' if node.fault else ''}"
    return format_duration(node.longest_pause_ns)


def _lost(node: Survived) -> str:
    if node.most_lost is None:
        return f"not read, of {node.synced:,}"
    torn = max(node.torn.values(), default=0)
    return f"{node.most_lost:,} of {node.synced:,}{f', {torn:,} torn' if torn else ''}"


def answer(log: Log) -> str:
    if not log.failures:
        return "Nothing has been tried yet."
    carried = [each for each in log.failures if each.nodes]
    lost = [_named(each) for each in carried if any(node.most_lost for node in each.nodes)]
    stuck = [
        _named(each)
        for each in carried
        if any(node.longest_pause_ns is None and not node.is_struck for node in each.nodes)
    ]
    said = [f"What had been synced was lost: {_listed(lost)}."] if lost else []
    if not lost and carried:
        said.append("Nothing that had been synced was lost, wherever it could be read.")
    if stuck:
        said.append(f"The other node never went on: {_listed(stuck)}.")
    return " ".join(said) or "No failure could be carried out."


def _listed(named: Iterable[str]) -> str:
    """Each once, with how often it was so, if more than once."""
    return ", ".join(
        f"{each} ({times} times)" if times > 1 else each for each, times in Counter(named).items()
    )


def _named(failed: Failed) -> str:
    return f"{failed.system}, {TITLES[failed.struck]}"
