"""Options that are worth trying, from a file of data; which of them for a load, and how many. What
a load works hardest is read off its keys: no kind has to say it."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from fsgauge.durability import made_by, weakened
from fsgauge.record.factors import factors_of
from fsgauge.study.model import Study
from fsgauge.study.varying import DEFAULT, Value, option_words, short_name, system_at, value_words
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of

KINDS = ("ext4", "xfs", "btrfs")
"""File systems that are tried if --kinds names none."""
MOST_PROPOSED = 60
"""Systems of all kinds together: what a race was simulated with."""


@dataclass(frozen=True)
class Option:
    """One option with the values that are tried; `values[0]` is what a kind does by itself, but of
    an option that weakens durability, whose one value is tried alone."""

    kinds: tuple[str, ...]
    key: str
    values: tuple[Value, ...]
    loads: tuple[str, ...]
    why: str
    source: str

    def weakens(self, kind: str) -> bool:
        """Whether a value of it gives up durability on a kind of file system."""
        tables = (system_at({"name": kind}, {self.key: value}) for value in self.values)
        return any(weakened(made_by(table)) for table in tables)

    def without(self, kind: str, refused: Collection[str]) -> Option:
        """The option without those values that alone make one of these systems, by name."""

        def is_left(value: Value) -> bool:
            alone = system_at({"name": kind}, {self.key: value})
            return value not in self.tried or alone["name"] not in refused

        return replace(self, values=tuple(filter(is_left, self.values)))

    @property
    def tried(self) -> list[Value]:
        """What is not as by itself; 0 is a value, and equal to False."""
        return [value for value in self.values if value is not False and value != DEFAULT]

    @property
    def words(self) -> str:
        """ "noatime", "allocsize=1m or 64m", "-I 128"."""
        return option_words(short_name(self.key), " or ".join(map(value_words, self.tried)))

    @property
    def told(self) -> str:
        return f"{self.words}: {self.why} ({self.source})"


@dataclass(frozen=True)
class Proposed:
    """What is tried of one kind: options in every combination, and each weak one alone."""

    kind: str
    crossed: tuple[Option, ...]
    weak: tuple[Option, ...]

    @property
    def tables(self) -> list[dict[str, object]]:
        vary = {option.key: list(option.values) for option in self.crossed}
        first: dict[str, object] = {"name": self.kind, "kind": self.kind}
        alone = (system_at(first, {each.key: each.values[0]}) for each in self.weak)
        return [{**first, "vary": vary} if vary else first, *alone]


@cache
def every_option() -> tuple[Option, ...]:
    text = (files("fsgauge.choosing") / "options.toml").read_text("utf-8")
    tables: list[dict[str, Any]] = tomllib.loads(text)["option"]
    for of in tables:
        of |= {key: tuple(each) for key, each in of.items() if isinstance(each, list)}
    return tuple(Option(**of) for of in tables)


def proposed(
    kinds: Sequence[str], loads: Iterable[Load], refused: Collection[str] = (), *, safe: bool
) -> list[Proposed]:
    """For each kind the options that matter for any of the loads: those for the most of them first,
    then as the file has them, until another one would make too many systems; where nothing is known
    of the load, only as the file has them. `refused` are names of systems: what alone makes one of
    them is not proposed."""
    share, asked = MOST_PROPOSED // len(kinds), frozenset(loads)
    found = []
    for kind in kinds:
        known = (each.without(kind, refused) for each in every_option() if kind in each.kinds)
        own = [each for each in known if each.tried and asked.intersection(each.loads)]
        if not asked.issuperset(LOADS):
            own.sort(key=lambda each: -len(asked.intersection(each.loads)))
        weak = [] if safe else [each for each in own if each.weakens(kind)]
        crossed: list[Option] = []
        for option in own:
            size = math.prod(len(each.values) for each in (*crossed, option))
            if not option.weakens(kind) and size <= share - len(weak):
                crossed.append(option)
        found.append(Proposed(kind, tuple(crossed), tuple(weak)))
    return found


Load = Literal["commits", "files", "random", "overwrites", "streams", "reads"]
LOADS: tuple[Load, ...] = get_args(Load)

_WORDS: Mapping[Load, str] = {
    "commits": "fsync fdatasync dsync sync_file commit commits",
    "files": "create unlink rename mkdir rmdir link symlink readdir read_file",
    "random": "random randread randwrite randrw",
    "streams": "sequential append extend read write rw",
}
_IN_ORDER = frozenset(["sequential", "extend"])
_WRITES = frozenset(["randwrite", "randrw"])
_READS = frozenset(["read", "randread", "rw", "randrw", "read_file", "stat", "readdir"])


def load_of(study: Study) -> frozenset[Load]:
    """The loads that the keys have a word of; every load for none, and for a program."""
    if method_of(study.workload).programs:
        return frozenset(LOADS)
    keys = study.workload.model_dump(mode="json")
    words = set(_words(keys))
    found = {load for load, own in _WORDS.items() if words.intersection(own.split())}
    if not method_of(study.workload).lays_out and "group" not in keys:
        found.add("files")
    shares = [factors_of(cell).share_of_reads for cell in cells_of(study.workload)]
    if _READS & words or any(shares):
        found.add("reads")
    if "random" in found and (_WRITES & words or not all(shares)):
        found.add("overwrites")
    if {"random", "streams"} <= found and "order" in keys:
        found -= {"streams" if "random" in words else "random"}
    if "files" in found and not _IN_ORDER & words:
        found.discard("streams")  # whole files that are small
    return frozenset(found or LOADS)


def _words(value: object) -> Iterator[str]:
    """Texts, and the names of what has a weight: { create = 1 }."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and {"operations", "order"} <= value.keys():
        before = "rand" * (value["order"] == "random")
        for name in value["operations"]:
            name = name.removeprefix("mmap_")
            yield before + name if name in ("read", "write") else name
        yield from _words({key: value[key] for key in value if key not in ("operations", "order")})
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if isinstance(each, int | float) and not isinstance(each, bool) and each:
                yield name
            yield from _words(each)
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
