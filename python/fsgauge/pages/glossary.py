"""The words of a page, a plan and the progress, and codes of findings and of a scan's problems.

glossary.toml has them; `fsgauge explain` prints one with the pages that say more.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A word or a finding's code, what it means, and the pages that say more."""

    name: str
    says: str
    see: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it is printed: the name, the sentences, and where to go on."""
        more = " and ".join(f"fsgauge explain {page}" for page in self.see)
        return f"{self.name}\n  {self.says}" + (f"\n  more: {more}" if more else "")


@cache
def words() -> tuple[Entry, ...]:
    """Words in the order of the table: verdicts, noise, what is measured."""
    return tuple(
        Entry(row["word"], row["says"], tuple(row.get("see", ())), tuple(row.get("also", ())))
        for row in _table()["words"]
    )


@cache
def finding_codes() -> tuple[Entry, ...]:
    """Codes of findings in alphabetical order."""
    return tuple(Entry(code, says) for code, says in sorted(_table()["findings"].items()))


@cache
def scan_problems() -> tuple[Entry, ...]:
    """Codes of what keeps a scan from being complete or exact, in alphabetical order."""
    return tuple(Entry(code, says) for code, says in sorted(_table()["problems"].items()))


def entry_of(name: str) -> Entry | None:
    """The word or code that is written so, in any case, with blanks, dashes or underscores."""
    wanted = _plain(name)
    return next((each for each in _entries() if wanted in _names(each)), None)


def names() -> Iterable[str]:
    """Every spelling, for whoever looks for the nearest."""
    return [name for each in _entries() for name in (each.name, *each.also)]


def _entries() -> tuple[Entry, ...]:
    return (*words(), *finding_codes(), *scan_problems())


def _names(entry: Entry) -> set[str]:
    return {_plain(name) for name in (entry.name, *entry.also)}


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.strip().strip("\"'.,:;").lower())


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("fsgauge.pages") / "glossary.toml").read_text("utf-8"))
