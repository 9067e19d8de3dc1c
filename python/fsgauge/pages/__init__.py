"""What each number of a report means: pages/NAME.md, the short answer first.

`explain_metric` gives a page as Markdown; metrics of an operation ("read.p99", "create.mean")
share the page of their part ("p99", "mean").
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from fsgauge.errors import InputError, did_you_mean, nearest


def _is_operation(name: str) -> bool:
    """Whether its numbers share pages with others': those of clients, of file sets, of
    companions, and of what a pace times."""
    from fsgauge.engine.wire import ClientOperation, FileOperation

    operations = (*get_args(ClientOperation), *get_args(FileOperation))
    return name in (*operations, "sync", "commit", "file", "log", "reader", "checkpoint")


def metric_pages() -> dict[str, str]:
    """Each page's name and its short answer, by name."""
    folder = files("fsgauge.pages")
    pages = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md"))
    names = [page.removesuffix(".md") for page in pages if page != "README.md"]
    return {name: _text(name).splitlines()[2] for name in names}


def explain_metric(name: str) -> str:
    """The page of a metric or number, as Markdown; raises InputError with the nearest names."""
    known = metric_pages()
    page = _page_of(name)
    if page not in known:
        near = nearest(page, known)
        meant = f"{did_you_mean(near)} ".lstrip()
        raise InputError(
            f'no page explains "{name}"',
            next=f"{meant}fsgauge explain NAME, with one of: {', '.join(known)}",
        )
    return _text(page)


def is_metric(name: str) -> bool:
    """Whether it has a page, or is one of an operation's numbers: iops, create.mean."""
    operation, dot, _ = name.partition(".")
    return _page_of(name) in metric_pages() or (dot == "." and _is_operation(operation))


def _page_of(name: str) -> str:
    """The page that would explain it, whether there is one or not."""
    page = name.strip().lower().replace("-", "_").replace(" ", "_")
    operation, dot, part = page.rpartition(".")
    return part if dot and _is_operation(operation) else page


def _text(page: str) -> str:
    return (files("fsgauge.pages") / f"{page}.md").read_text(encoding="utf-8")


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
