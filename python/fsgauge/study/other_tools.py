"""The words of fio, IOzone, bonnie++, elbencho, IOR, mdtest, fs_mark, hyperfine, pgbench,
pg_test_fsync, filebench and dd, and the keys that mean them.

other_tools.toml is the table. `understanding.py` reads study files by it, `fsgauge explain` and
docs/reference/words.md print it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from fsgauge.quantities import UnitError, plain_decimal
from fsgauge.units import BANDWIDTH, RATE, binary_size, exact_duration, exact_percent, exact_size

Reads = Literal[
    "size",
    "KiB",
    "MiB",
    "number",
    "decimal",
    "text",
    "time",
    "milliseconds",
    "microseconds",
    "percent",
    "rest",
    "pace of a job",
    "bytes of a job",
    "bytes of a thread",
    "files of a job",
    "1024 files",
    "switch",
]
BYTES_OF_A_JOB: Reads = "bytes of a job"
IN_BYTES: tuple[Reads, ...] = (BYTES_OF_A_JOB, "bytes of a thread")
FILES_OF_A_JOB: Reads = "files of a job"

_TIME = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,9})?)\s*(d|h|m|s|ms|msec|us|usec)?\s*")
_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
_NANOSECONDS = {"ms": 10**6, "msec": 10**6, "us": 10**3, "usec": 10**3}
SWITCH = dict.fromkeys(("0", "false", "no", "off"), False) | dict.fromkeys(
    ("1", "true", "yes", "on"), True
)


def read_value(reads: Reads | None, text: str) -> object:
    """A value as a key takes it; ValueError, with what it has to be, for another one."""
    match reads:
        case "size":
            return _size(text, 1)
        case "KiB":
            return _size(text, 1 << 10)
        case "MiB":
            return _size(text, 1 << 20)
        case "pace of a job" if not text.isdecimal() and (pace := RATE.in_our_unit(text)):
            raise ValueError(f'a whole number, or for all jobs together workload.rate = "{pace}"')
        case "number" | "pace of a job" | "files of a job" | "1024 files":
            if not text.isdecimal():
                raise ValueError("a whole number")
            return int(text) * (1024 if reads == "1024 files" else 1)
        case "decimal":
            if not _DECIMAL.fullmatch(text):
                raise ValueError("a number")
            return float(text)
        case "percent":
            return _percent(text)
        case "rest":
            return _percent(text, of_100=True)
        case "text":
            return text
        case "time":
            return _time(text, 10**9)
        case "milliseconds":
            return _time(text, 10**6)
        case "microseconds":
            return _time(text, 10**3)
        case "bytes of a job":
            return _bytes_per_second(text)
        case "bytes of a thread":
            size = binary_size(text)
            return _bytes_per_second(f"{size}/s" if size else text)
        case "switch" if text.lower() in SWITCH:
            return SWITCH[text.lower()]
    raise ValueError("0 or 1")


_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_PERCENT = re.compile(r"([0-9]{1,3})\s*%?")


def _percent(text: str, *, of_100: bool = False) -> str:
    match = _PERCENT.fullmatch(text)
    if match is None or int(match[1]) > 100:
        raise ValueError("0 to 100")
    return exact_percent(100 - int(match[1]) if of_100 else int(match[1]))


def _size(text: str, of_bare: int) -> str:
    """A bare number counts `of_bare` bytes, and 4kb is 4096 of them as in these tools; a text with
    a unit of ours stays."""
    if text.isdecimal():
        return exact_size(int(text) * of_bare)
    if "," in text or "-" in text:
        raise ValueError('one size, of reads and writes alike; several, each a cell: ["4k", "64k"]')
    return binary_size(text.lower().removesuffix("b") if _KB.fullmatch(text) else text) or text


def is_bandwidth(text: str) -> bool:
    """Whether a pace is in bytes, as fio's rate is: 10m, 100MB/s."""
    if binary_size(text) is not None:
        return True
    try:
        BANDWIDTH.read(BANDWIDTH.in_our_unit(text) or text)
    except UnitError:
        return text.lower().rstrip().endswith(("b/s", "bps", "b/sec"))
    return True


def _bytes_per_second(text: str) -> float:
    """A letter alone may count operations."""
    if (size := binary_size(text)) is not None:
        operations = RATE.in_our_unit(text)
        either = f'; for operations "{operations}"' if operations else ""
        raise ValueError(f'for bytes, as fio has it, "{size}/s"{either}')
    try:
        return float(BANDWIDTH.read(BANDWIDTH.in_our_unit(text) or text))
    except UnitError as error:
        raise ValueError(error.hint) from None


_KB = re.compile(r"[0-9]+[kmgtp]b", re.IGNORECASE)


def _time(text: str, of_bare_ns: int) -> str:
    """fio's m are minutes; a text with a unit of ours stays."""
    match = _TIME.fullmatch(text)
    if match is None:
        return text
    unit = match[2] or ""
    of_unit = 10**9 * _SECONDS[unit] if unit in _SECONDS else _NANOSECONDS.get(unit, of_bare_ns)
    return exact_duration(round(Fraction(match[1]) * of_unit))


_LIST = re.compile(r"\w+(,\w+)+")
_SWITCHED_OFF, _SWITCHED_ON = "0", "1"
_ANY = "*"
SPOKEN = "spoken"
"""The table of what people say where a tool has a word: qd is iodepth."""
STUDIES = "studies"
"""The table of words that lead to a shipped study."""
NUMBERS = "numbers"
"""The table of words that other tools print over a number of the report."""


@dataclass(frozen=True)
class Word:
    """An option of another tool. `key` is the one that means it, "" where there is none.

    Its values are translated (`reads`, `values`), and taken unless it only leads to the key: with
    an `example`, or as a letter alone. `sets` are keys that are set with it. `always` are the
    values that change nothing. `but` says what differs, `never` why other values are refused.
    `kinds` are those of study in which the key means it, where others have one of that name.
    """

    title: str
    word: str
    also: tuple[str, ...] = ()
    key: str = ""
    reads: Reads | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    after: str = ""
    sets: Mapping[str, object] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    but: str = ""
    never: str = ""
    example: str = ""
    kinds: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way in which it is written; "-b, --block" are three: a key has no dashes."""
        parts = self.word.split(", ") if self.word.startswith("-") else ()
        whole = (self.word, *parts, *self.also)
        bare = (each[2:] for each in whole if each.startswith("--") and "," not in each)
        named = (each.split(" ")[0] for each in parts if " " in each)
        return tuple(dict.fromkeys((*whole, *bare, *named)))

    def said(self, typed: str) -> str:
        """The word as it was typed, and whose it is."""
        is_theirs = typed.lower() in map(str.lower, self.spellings)
        return f"{self.title}'s {typed}" if is_theirs else f"{typed} ({self.title}'s {self.word})"

    @property
    def is_translated(self) -> bool:
        return self.reads is not None or bool(self.values)

    @property
    def is_read(self) -> bool:
        return (self.is_translated and not self.example) or bool(self.always)

    @property
    def is_alone(self) -> bool:
        """Whether it says something without a value: time_based."""
        return (
            self.reads == "switch"
            or _SWITCHED_ON in self.values
            or not {_SWITCHED_OFF, _SWITCHED_ON, _ANY}.isdisjoint(self.always)
        )

    def is_always(self, given: object) -> bool:
        """Whether it is so here in any case."""
        text = str(SWITCH.get(str(given).lower(), given))
        on = [str(SWITCH.get(each, each)) for each in self.always]
        return _ANY in on or text in on

    def value(self, given: object) -> object:
        """What a value of the other tool is here; ValueError where it means something else."""
        if isinstance(given, list):
            return [self.value(each) for each in given]
        if isinstance(given, dict):
            raise ValueError("a table")
        text = str(given).strip().lower() if isinstance(given, bool) else str(given).strip()
        if isinstance(given, float) and given.is_integer():
            text = plain_decimal(given)
        if self.values:
            is_on = SWITCH.get(text.lower())
            switched = text if is_on is None else _SWITCHED_ON if is_on else _SWITCHED_OFF
            found = self.values.get(text, self.values.get(switched))
            if found is not None:
                return found
            if _LIST.fullmatch(text):
                return [self.value(each) for each in text.split(",")]
            raise ValueError(f"known: {', '.join(self.values)}")
        if self.reads in ("number", FILES_OF_A_JOB) and _LIST.fullmatch(text):
            return [self.value(each) for each in text.split(",")]
        if not text.startswith(self.after):
            raise ValueError(f"{self.after}NUMBER")
        return read_value(self.reads, text.removeprefix(self.after))


@dataclass(frozen=True)
class Tool:
    """Another tool and its words, in the order of the table."""

    title: str
    words: tuple[Word, ...]


@cache
def table_of_words() -> dict[str, Any]:
    """other_tools.toml: a table for each tool, SPOKEN, STUDIES and NUMBERS."""
    return tomllib.loads((files("fsgauge.study") / "other_tools.toml").read_text("utf-8"))


@cache
def tools() -> dict[str, Tool]:
    return {
        name: Tool(entry["title"], tuple(_word(entry["title"], row) for row in entry["rows"]))
        for name, entry in table_of_words().items()
        if "rows" in entry
    }


@cache
def studies_called() -> dict[str, str]:
    """The shipped study that a program or a word leads to: pgbench is postgresql."""
    return {word: names[0] for word, names in studies_near().items()}


@cache
def studies_near() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, words in table_of_words()[STUDIES].items():
        for word in words:
            found.setdefault(word, []).append(name)
    return found


@cache
def numbers_called() -> dict[str, str]:
    """The number of the report that another tool prints as a word: bw is bandwidth."""
    return {word: name for name, words in table_of_words()[NUMBERS].items() for word in words}


def words_called(spelling: str) -> Sequence[Word]:
    """The words of all tools that are written so, in the order of the table; in any case, but for
    a letter."""
    known = _by_spelling()
    return known.get(spelling, known.get(spelling.lower(), ()))


@cache
def _by_spelling() -> dict[str, list[Word]]:
    found: dict[str, list[Word]] = {}
    for word in (word for tool in tools().values() for word in tool.words):
        for spelling in word.spellings:
            found.setdefault(spelling, []).append(word)
            if spelling != spelling.lower() and not spelling.startswith("-"):
                found.setdefault(spelling.lower(), []).append(word)
    ours = _last_words_of_keys()
    for word in _of_jobs_alone():
        for spelling in word.spellings:
            if spelling not in ours:
                found.setdefault(spelling, [word])
    for theirs, spoken in table_of_words()[SPOKEN].items():
        for each in spoken:
            found[each] = [*found.get(each, ()), *found[theirs]]
    return found


_ONLY_JOBS = "no key means it alone; fsgauge study from-fio JOB.fio reads it"


def _of_jobs_alone() -> Iterator[Word]:
    """Options of fio that no row is about, with what becomes of them in a job."""
    title, of_jobs = tools()["fio"].title, table_of_words()["fio"]["job_files"]
    told = {**of_jobs["noted"], **of_jobs["refused"]}
    told |= dict.fromkeys(of_jobs["carried"], _ONLY_JOBS)
    for names, why in (*told.items(), *of_jobs["meaningless"].items()):
        first, *others = names.split(", ")
        always = ("*",) if names in of_jobs["meaningless"] else ()
        yield Word(title, first, tuple(others), but=why, always=always)


def _last_words_of_keys() -> set[str]:
    from fsgauge.study.keys import MOVED, all_dotted

    return {key.rpartition(".")[2] for key in (*all_dotted(), *MOVED)}


def _word(title: str, row: Mapping[str, Any]) -> Word:
    return Word(
        title=title,
        word=row["word"],
        also=tuple(row.get("also", ())),
        key=row.get("key", ""),
        reads=row.get("as"),
        values=row.get("values", {}),
        after=row.get("after", ""),
        sets=row.get("sets", {}),
        always=tuple(row.get("always", ())),
        but=row.get("but", ""),
        never=row.get("never", ""),
        example=row.get("example", ""),
        kinds=tuple(row.get("kinds", ())),
    )


def meaning(word: Word) -> str:
    """One line: the key and what differs, or why there is none."""
    always = "always so" if word.always else ""
    return ": ".join(part for part in (word.key, always, differing(word)) if part)


def differing(word: Word) -> str:
    """What its values are here, where these are other words, and what differs."""
    import tomlkit

    by_value: dict[str, list[str]] = {}
    for theirs, ours in word.values.items():
        by_value.setdefault(tomlkit.item(ours).as_string().strip('"'), []).append(theirs)
    pairs = (
        f"{', '.join(theirs)} = {ours}" for ours, theirs in by_value.items() if theirs != [ours]
    )
    return "; ".join(filter(None, [*pairs, word.but, word.never]))


def tool_called(name: str) -> str | None:
    """The short name of a tool by that or its title, in any case; None for another word."""
    wanted = name.strip().lower()
    return next(
        (short for short, tool in tools().items() if wanted in (short, tool.title.lower())), None
    )


def kinds_of(word: Word) -> str:
    """The kinds of study in which a word means its key."""
    return ", ".join(word.kinds) or kinds_with(word.key)


def kinds_with(key: str) -> str:
    """The kinds of study that have a key of the load; empty where every study has it."""
    from fsgauge.study.keys import all_dotted

    owners = [section.variant for section in all_dotted().get(key, ())]
    return ", ".join(owners) if key.startswith("workload.") else ""
