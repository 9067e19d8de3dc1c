"""Options that are worth trying, from a file of data; which of them for a load, and how many."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from fsgauge.choosing.load import LOADS, Load
from fsgauge.durability import Weak, weakened
from fsgauge.plan.race import made_of
from fsgauge.stats.choosing.options import settings_of
from fsgauge.study.system import System
from fsgauge.study.varying import DEFAULT, Value, short_name, system_at

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

    def weakens(self, kind: str) -> list[Weak]:
        """The durability that a value of it gives up on a kind of file system; [] if none does."""
        tables = (system_at({"name": kind}, {self.key: value}) for value in self.values)
        return [
            each for table in tables for each in weakened(made_of(System.model_validate(table)))
        ]

    def left_in(self, kind: str, systems: Sequence[Mapping[str, str]]) -> Option | None:
        """The option with those values that systems with these settings have; None without any."""
        kept = [
            value
            for value in self.values
            if (own := settings_of(system_at({"name": kind}, {self.key: value}))) == {}
            or any(own.items() <= each.items() for each in systems)
        ]
        left = replace(self, values=tuple(kept))
        return left if left.tried else None

    @property
    def tried(self) -> list[Value]:
        """What is not as by itself; 0 is a value, and equal to False."""
        return [value for value in self.values if value is not False and value != DEFAULT]

    @property
    def words(self) -> str:
        """ "noatime", "allocsize=1m or 64m", "-I 128"."""
        name = short_name(self.key)
        shown = [str(value) for value in self.tried]
        if shown == ["True"]:
            return name
        return f"{f'-{name} ' if len(name) == 1 else f'{name}='}{' or '.join(shown)}"


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
    """The file, in its order."""
    text = (files("fsgauge.choosing") / "options.toml").read_text("utf-8")
    return tuple(map(_option, tomllib.loads(text)["option"]))


def _option(table: dict[str, Any]) -> Option:
    lists = {key: tuple(each) for key, each in table.items() if isinstance(each, list)}
    return Option(**{**table, **lists})


def proposed(kinds: Sequence[str], loads: Iterable[Load], *, safe: bool) -> list[Proposed]:
    """For each kind the options that matter for any of the loads, as many as there is room for."""
    share = MOST_PROPOSED // len(kinds)
    return [_of_kind(kind, frozenset(loads), share, safe) for kind in kinds]


def _of_kind(kind: str, loads: frozenset[str], share: int, safe: bool) -> Proposed:
    """Those for the most of the loads first, then as the file has them, until another one would
    make too many systems. Where nothing is known of the load, only as the file has them: those for
    the most kinds of load are not those that matter most."""
    own = [each for each in every_option() if kind in each.kinds and loads.intersection(each.loads)]
    if not loads.issuperset(LOADS):
        own.sort(key=lambda each: -len(loads.intersection(each.loads)))
    weak = [] if safe else [each for each in own if each.weakens(kind)]
    crossed: list[Option] = []
    for option in own:
        room = share - len(weak)
        size = math.prod(len(each.values) for each in (*crossed, option))
        if not option.weakens(kind) and size <= room:
            crossed.append(option)
    return Proposed(kind, tuple(crossed), tuple(weak))
