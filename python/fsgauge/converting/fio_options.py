"""What becomes of each option of fio 3.33: one table, in study/other_tools.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from fsgauge.study.other_tools import table_of_words

Fate = Literal["carried", "noted", "refused", "meaningless"]
FATES: dict[Fate, str] = {
    "carried": "carried over",
    "noted": "carried over, with a note",
    "refused": "refused",
    "meaningless": "meaningless here",
}


@dataclass(frozen=True)
class FioOption:
    """An option, or an ioengine. Its names, the first one the usual; `why` is "" where it is
    carried over as it is."""

    names: tuple[str, ...]
    fate: Fate
    why: str


@cache
def options() -> tuple[FioOption, ...]:
    table = table_of_words()["fio"]["job_files"]
    found = [FioOption(tuple(each.split(", ")), "carried", "") for each in table["carried"]]
    for fate in ("noted", "refused", "meaningless"):
        for names, why in table[fate].items():
            found.append(FioOption(tuple(names.split(", ")), fate, why))
    return tuple(found)


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
    for names, why in table["no_engines"].items():
        found |= {name: FioOption((name,), "refused", why) for name in names.split(", ")}
    return found


def options_page() -> str:
    """docs/reference/fio.md."""
    lines = [_INTRODUCTION, "| option | here | |", "| --- | --- | --- |"]
    for option in sorted(options(), key=lambda each: each.names):
        names = ", ".join(f"`{name}`" for name in option.names)
        lines.append(f"| {names} | {FATES[option.fate]} | {option.why} |")
    lines += ["", "## ioengine", "", "| ioengine | here | |", "| --- | --- | --- |"]
    said: dict[Fate, str] = {**FATES, "carried": "the same calls", "noted": "with a note"}
    for name, engine in sorted(engines().items()):
        lines.append(f"| `{name}` | {said[engine.fate]} | {engine.why} |")
    return "\n".join(lines) + "\n"


_INTRODUCTION = """\
# The options of fio, in a study

<!-- Made by `python -m fsgauge.converting` from python/fsgauge/study/other_tools.toml; edits are \
lost. -->

What `fsgauge study from-fio JOB.fio` does with each option of fio 3.33. A refused option would \
make another load: the conversion fails, names its line, and says what comes nearest; \
`--without OPTION` leaves it out. With a value that changes nothing (`hipri=0`, `zonemode=none`) \
it is taken. [How a job becomes a study](../guides/fio.md) has the rest.
"""
