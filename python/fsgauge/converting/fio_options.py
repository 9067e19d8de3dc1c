"""What becomes of each option of fio 3.33: one table, in study/other_tools.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from fsgauge.study.other_tools import table_of_words

Fate = Literal["carried", "noted", "refused", "meaningless"]
FATES: tuple[Fate, ...] = ("carried", "noted", "refused", "meaningless")


@dataclass(frozen=True)
class FioOption:
    """An option, or an ioengine. Its names, the first one the usual; `why` is "" where it is
    carried over as it is."""

    names: tuple[str, ...]
    fate: Fate
    why: str


def of_each(reasons: Mapping[str, str]) -> dict[str, str]:
    """The reason of every option, where a line of a table has several: "pattern, patterns"."""
    return {name: why for names, why in reasons.items() for name in names.split(", ")}


@cache
def options() -> tuple[FioOption, ...]:
    table = table_of_words()["fio"]["job_files"]
    fated = {**table, "carried": dict.fromkeys(table["carried"], "")}
    return tuple(
        FioOption(tuple(names.split(", ")), fate, why)
        for fate in FATES
        for names, why in fated[fate].items()
    )


@cache
def by_name() -> dict[str, FioOption]:
    return {name: option for option in options() for name in option.names}


@cache
def canonical() -> dict[str, str]:
    """The usual name of each, where a name means what another one means."""
    same = [each.split(", ") for each in table_of_words()["fio"]["job_files"]["same"]]
    return {alias: usual for usual, *others in same for alias in others}


@cache
def listed(key: str) -> frozenset[str]:
    return frozenset(table_of_words()["fio"]["job_files"][key].split())


@cache
def engines() -> dict[str, FioOption]:
    table = table_of_words()["fio"]["job_files"]
    found = {
        name: FioOption((name,), "noted" if note[1:] else "carried", note[1:])
        for name, note in table["engines"].items()
    }
    for name, why in of_each(table["no_engines"]).items():
        found[name] = FioOption((name,), "refused", why)
    return found
