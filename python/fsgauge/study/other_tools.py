"""The words of fio, IOzone, bonnie++, elbencho, IOR and mdtest, and the keys that mean them.

other_tools.toml is the table. `understanding.py` reads study files by it, `fsgauge explain` and
docs/reference/words.md print it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from fsgauge.study.keys import all_dotted
from fsgauge.units import binary_size, exact_duration, exact_percent, exact_size

Reads = Literal["size", "number", "time", "percent", "switch"]

_TIME = re.compile(r"\s*([0-9]+)\s*(d|h|m|s|ms|msec|us|usec)?\s*")
_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1, "": 1}
_NANOSECONDS = {"ms": 10**6, "msec": 10**6, "us": 10**3, "usec": 10**3}
_SWITCH = {"0": False, "1": True, "false": False, "true": True}
_SAMPLES: dict[Reads, object] = {
    "size": "4 KiB",
    "number": 4,
    "time": "30 s",
    "percent": "70 %",
    "switch": True,
}


@dataclass(frozen=True)
class Word:
    """An option of another tool. `key` is the one that means it, "" where there is none.

    It is read where its value means the same (`reads`, or one of `values`); else it leads to the
    key. `but` says what differs.
    """

    title: str
    word: str
    also: tuple[str, ...] = ()
    key: str = ""
    reads: Reads | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    but: str = ""
    example: str = ""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way in which it is written; "-b, --block" are two."""
        parts = self.word.split(", ") if self.word.startswith("-") else ()
        return tuple(dict.fromkeys((self.word, *parts, *self.also)))

    @property
    def is_read(self) -> bool:
        """Whether a value of it can be taken as it is."""
        return self.reads is not None or bool(self.values)

    @property
    def sample(self) -> object:
        """A value that it may have here, for an example."""
        return _SAMPLES[self.reads] if self.reads else next(iter(self.values.values()))

    def value(self, given: object) -> object:
        """What a value of the other tool is here; ValueError where it means something else."""
        if isinstance(given, list):
            return [self.value(each) for each in given]
        if isinstance(given, dict):
            raise ValueError("a table")
        text = str(given).strip().lower() if isinstance(given, bool) else str(given).strip()
        if self.values:
            if text not in self.values:
                raise ValueError(f"known: {', '.join(self.values)}")
            return self.values[text]
        return _read(self.reads, text)


@dataclass(frozen=True)
class Tool:
    """Another tool and its words, in the order of the table."""

    title: str
    words: tuple[Word, ...]


@cache
def tools() -> dict[str, Tool]:
    """Every tool of the table by its short name."""
    text = (files("fsgauge.study") / "other_tools.toml").read_text("utf-8")
    return {
        name: Tool(entry["title"], tuple(_word(entry["title"], row) for row in entry["rows"]))
        for name, entry in tomllib.loads(text).items()
    }


def words_called(spelling: str) -> Sequence[Word]:
    """The words of all tools that are written so, in the order of the table."""
    return _by_spelling().get(spelling, ())


@cache
def _by_spelling() -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = {}
    for word in (word for tool in tools().values() for word in tool.words):
        for spelling in word.spellings:
            found.setdefault(spelling, []).append(word)
    return found


def _word(title: str, row: Mapping[str, Any]) -> Word:
    return Word(
        title=title,
        word=row["word"],
        also=tuple(row.get("also", ())),
        key=row.get("key", ""),
        reads=row.get("as"),
        values=row.get("values", {}),
        but=row.get("but", ""),
        example=row.get("example", ""),
    )


def _read(reads: Reads | None, text: str) -> object:
    match reads:
        case "size":
            return _size(text)
        case "number":
            if not text.isdecimal():
                raise ValueError("a whole number")
            return int(text)
        case "percent":
            return exact_percent(int(text)) if text.isdecimal() else text
        case "time":
            return _time(text)
        case "switch" if text in _SWITCH:
            return _SWITCH[text]
    raise ValueError("0 or 1")


def _size(text: str) -> str:
    """fio's bare number is of bytes; a text with a unit of ours stays."""
    if text.isdecimal():
        return exact_size(int(text))
    if "," in text or "-" in text:
        raise ValueError("one size")
    return binary_size(text) or text


def _time(text: str) -> str:
    """fio's bare number is of seconds, and its m are minutes; a text with a unit of ours stays."""
    match = _TIME.fullmatch(text)
    if match is None:
        return text
    number, unit = int(match[1]), match[2] or ""
    return exact_duration(number * _NANOSECONDS.get(unit, 10**9 * _SECONDS.get(unit, 1)))


_INTRODUCTION = """\
# The words of other tools

<!-- Made by `python -m fsgauge.study words` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What you type in fio, IOzone, bonnie++, elbencho, IOR or mdtest, and the key of a study file that \
means it. `fsgauge explain iodepth` prints a row of this page and the key's own entry.

Words of fio marked *read* can be used as they are, in a study file or with `--set`; a note says \
what they were taken for:

```sh
fsgauge plan overhead --set bs=4k --set iodepth=32 --set runtime=30 --set rw=randread
```

All others are refused with the line, the column and the key that is meant. Sizes such as `4k`, \
`1M` or `8G` are read everywhere as multiples of 1024 bytes, as in these tools; with a unit they \
are exact: `"4 KiB"` is 4096 bytes, `"4 kB"` is 4000.

A study has one file for all of this (`fsgauge study new mine`), and names its systems as well: \
what to make, mount and compare is no longer the shell script around the tool.
"""


def words_page() -> str:
    """docs/reference/words.md."""
    return _INTRODUCTION + "".join(f"\n{_table(tool)}" for tool in tools().values())


def words_of_tool(name: str) -> str:
    """The table of one tool as plain text, for `fsgauge explain fio`."""
    tool = tools()[name]
    width = max(len(word.word) for word in tool.words)
    lines = [f"{tool.title}'s words and the keys of a study file that mean them", ""]
    return "\n".join([*lines, *(f"{word.word:<{width}}  {meaning(word)}" for word in tool.words)])


def meaning(word: Word) -> str:
    """One line: the key and what differs, or why there is none."""
    return ": ".join(part for part in (word.key, word.but) if part)


def tool_called(name: str) -> str | None:
    """The short name of a tool by that or its title, in any case; None for another word."""
    wanted = name.strip().lower()
    return next(
        (short for short, tool in tools().items() if wanted in (short, tool.title.lower())), None
    )


def _table(tool: Tool) -> str:
    lines = [
        f"## {tool.title}",
        "",
        "| word | here | what differs | studies |",
        "| --- | --- | --- | --- |",
    ]
    lines += [_row(word) for word in tool.words]
    return "\n".join(lines) + "\n"


def _row(word: Word) -> str:
    spelled = ", ".join(f"`{each}`" for each in (word.word, *word.also))
    here = f"`{word.key}`" if word.key else "none"
    if word.is_read:
        here += ", *read*"
    elif word.example:
        here += f": `{word.example}`"
    return f"| {spelled} | {here} | {word.but} | {kinds_with(word.key)} |"


def kinds_with(key: str) -> str:
    """The kinds of study that have a key of the load; empty where every study has it."""
    owners = [section.variant for section in all_dotted().get(key, ())]
    return ", ".join(owners) if key.startswith("workload.") else ""
