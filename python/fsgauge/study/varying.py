"""`vary` of a system: one table of a study file that stands for many systems.

    name = "xfs {allocsize} {logbsize}"
    vary = { "mount.allocsize" = ["default", "1m", "64m"], "mount.logbsize" = ["32k", "256k"] }

Every combination is a system of its own, the first one first: its values are what the table gives
first. "default" and false leave an option out, true gives it without a value. A study that races
takes a Latin hypercube of what is more than `MOST_SYSTEMS`.
"""

from __future__ import annotations

import math
import random
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, product
from typing import Any, NamedTuple

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.study.document import Document
from fsgauge.study.specs import fitting
from fsgauge.study.system import MOST_SYSTEMS

Value = str | int | bool
Vary = Mapping[str, Sequence[Value]]
Point = Mapping[str, Value]
"""A value for each key that varies."""
Known = Callable[[str], Mapping[str, Iterable[str]]]
"""Of a kind of system, what `mkfs` and `mount` may be given."""

SAMPLED = 60
"""Of more combinations than are raced, so many are: each option's values alike often."""
DEFAULT = "default"
_TABLES = ("tunables", "settings", "server")
_OPTIONS = ("mkfs", "mount", *_TABLES)
_WHOLE = ("kind", "mkfs", "mount", "allocation_chunk", "extent_size_hint")
_OF_MANY = ("size", "version", "concurrency")
_PLACE = re.compile(r"\{([^{}]*)\}")


def vary_systems(
    document: Document, known: Known | None, say: Callable[[str], None] = lambda _: None
) -> None:
    """Put all systems in the place of tables that vary; InputError for a key that none has. A table
    with a mistake in its types stays, and is refused as any other."""
    tables, plan = document.data.get("system"), document.data.get("plan")
    tables = tables if isinstance(tables, list) else []
    plan = plan if isinstance(plan, dict) else {}
    varying = [index for index, table in enumerate(tables) if _vary_of(table)]
    if not varying:
        return
    for index in varying:
        _require_known(document, index, known)
    total = systems_in(tables)
    if total > MOST_SYSTEMS and plan.get("mode") != "race":
        raise InputError(
            f"these are {total:,} systems, and {MOST_SYSTEMS} are allowed",
            location=document.key(("system", varying[0], "vary")),
            next='fewer values; or [plan] mode = "race", which begins with a sample of them',
        )
    found = varied(tables, plan.get("seed"))
    if len(found) > MOST_SYSTEMS:
        raise InputError(
            f"these are {total:,} systems in {len(tables)} tables, too many for a race, and too few"
            " in each to take a sample of",
            location=document.key(("system", 0)),
            next="one [[system]] with vary for what several of them have in common",
        )
    if total > MOST_SYSTEMS:
        say(
            f"{len(found)} of {total:,} combinations are raced: a Latin hypercube, each value alike"
        )
    document.put_tables("system", [(each.table, None, each.place) for each in found])
    for index in range(len(found)):
        if (vary := document.origins.get(("system", index, "vary"))) is not None:
            document.origins |= {("system", index, key): vary for key in _OPTIONS}


class Varied(NamedTuple):
    """A system, the place of the table that it is of, and its values there."""

    place: int
    point: Point
    table: dict[str, Any]


def varied(tables: Sequence[Any], seed: object = 0) -> list[Varied]:
    """Every combination of each table, or of too many a sample; one where a table does not vary."""
    total = systems_in(tables)
    chance = random.Random(seed if isinstance(seed, int) else 0)  # noqa: S311 - no secret

    def points(vary: Vary) -> list[Point]:
        if total <= MOST_SYSTEMS or not vary:
            return every_point(vary)
        share = round(SAMPLED * combinations(vary) / total)
        return hypercube(vary, max(2, share), chance)

    return [
        Varied(index, point, system_at(table, point) if point else table)
        for index, table in enumerate(tables)
        for point in points(_vary_of(table))
    ]


def systems_in(tables: Iterable[object]) -> int:
    """How many systems they stand for."""
    return sum(combinations(_vary_of(table)) for table in tables)


def combinations(vary: Vary) -> int:
    return math.prod(len(values) for values in vary.values())


def every_point(vary: Vary) -> list[Point]:
    return [dict(zip(vary, values, strict=True)) for values in product(*vary.values())]


def hypercube(vary: Vary, number: int, chance: random.Random) -> list[Point]:
    """The first combination, and so many others at most in which every value of every key stands
    alike often; fewer where some fall together."""
    columns = [
        sorted((values[at % len(values)] for at in range(number)), key=lambda _: chance.random())
        for values in vary.values()
    ]
    points: list[Point] = [{key: values[0] for key, values in vary.items()}]
    points += [dict(zip(vary, values, strict=True)) for values in zip(*columns, strict=True)]
    return [each for at, each in enumerate(points) if each not in points[:at]]


def around(vary: Vary, point: Point, most: int = MOST_SYSTEMS) -> list[Point]:
    """The point, then those that differ from it in one value, then in two."""
    alone = [{**point, key: each} for key, values in vary.items() for each in values]
    others = [{key: each[key] for key in each if each[key] != point[key]} for each in alone]
    both = ({**one, **other} for one, other in product(alone, others))
    found: dict[tuple[Value, ...], Point] = {}
    for each in islice((point, *alone, *both), most * most):
        if len(found) < most:
            found.setdefault(tuple(each.values()), each)
    return list(found.values())


def system_at(table: Mapping[str, Any], point: Point) -> dict[str, Any]:
    """The table of one system, named by what differs from the table's first combination."""
    kind = table.get("kind", table.get("name"))
    found = {**{key: value for key, value in table.items() if key != "vary"}, "kind": kind}
    words = {key: value_words(value) for key, value in point.items()}
    for key, value in point.items():
        section, _, option = key.partition(".")
        if words[key] == DEFAULT or (option and value is False):
            continue
        found[section] = _with(found.get(section), section, option, value) if option else words[key]
    vary, name = table.get("vary", {}), str(table.get("name", kind))
    short = {short_name(key): word for key, word in words.items()}
    shown = _PLACE.sub(lambda match: short.get(match[1], match[0]), name)
    behind = [
        option_words(short_name(key), word)
        for key, word in words.items()
        if short_name(key) not in _PLACE.findall(name) and not _is_usual(word, vary.get(key, ()))
    ]
    found["name"] = fitting(f"{shown} ({', '.join(behind)})" if behind else shown)
    return found


def _is_usual(word: str, values: Sequence[Value]) -> bool:
    """Whether the first combination has it; of a single value, what a kind does by itself."""
    return word == value_words(values[0]) if len(values) > 1 else word in (DEFAULT, "off")


def _with(given: object, section: str, option: str, value: Value) -> object:
    """What a system has in this section already, and one option more."""
    text = value_words(value)
    if section in _TABLES:
        return {**(given if isinstance(given, dict) else {}), option: text}

    def assigned(name: str) -> str:
        return name if value is True else f"{name}={text}"

    if section == "mount":
        return ",".join(filter(None, (str(given or ""), assigned(option))))
    words = shlex.split(str(given or ""))
    switch, _, name = option.partition(".")
    if name and switch in words[:-1]:  # in one list: mke2fs reads the last -E alone
        words[words.index(switch) + 1] += f",{assigned(name)}"
    elif name:
        words += [switch, assigned(name)]
    elif value is True or switch.startswith("--"):
        words.append(assigned(switch))
    else:
        words += [switch, text]
    return shlex.join(words)


def value_words(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def short_name(key: str) -> str:
    """What a name calls a key: "allocsize" of mount.allocsize, "scheduler" of a queue's, "i.size"
    of mkfs.-i.size, which has a word of many options."""
    parts = [each.lstrip("-") for each in re.split(r"[./]", key)]
    return ".".join(parts[-2:] if parts[-1] in _OF_MANY else parts[-1:])


def option_words(name: str, value: str) -> str:
    if len(name) == 1:
        return f"-{name}" if value == "on" else f"-{name} {value}"
    return name if value == "on" else f"{name}={value}"


def _vary_of(table: object) -> Vary:
    """Its `vary`; {} of a table without one, or with one whose types are wrong."""
    vary = table.get("vary") if isinstance(table, dict) else None
    if not isinstance(vary, dict) or not all(
        isinstance(values, list)
        and 0 < len(set(map(str, values))) == len(values)
        and all(isinstance(each, str | int) for each in values)
        for values in vary.values()
    ):
        return {}
    return vary


def _require_known(document: Document, index: int, known: Known | None) -> None:
    """InputError for a key that no such system has, or a place in the name that no key has."""
    table = document.data["system"][index]
    vary, path = table["vary"], ("system", index, "vary")
    kinds = vary.get("kind", [table.get("kind", table.get("name"))])
    options = [known(str(kind)) for kind in kinds] if known is not None else []
    takes = {
        section: {each for of in options for each in of.get(section, ())}
        for section in ("mkfs", "mount")
    }
    every = [*_WHOLE, *(f"{each}.NAME" for each in _TABLES)]
    every += [f"{section}.{each}" for section, own in takes.items() for each in sorted(own)]
    for key in vary:
        section, _, option = key.partition(".")
        is_taken = not takes.get(section) or option in takes[section]
        if (section in _OPTIONS and is_taken) if option else key in _WHOLE:
            continue
        raise InputError(
            f'unknown key "{key}" in vary',
            location=document.key((*path, key), did_you_mean(nearest(key, every))),
            next="fsgauge explain system.vary",
        )
    places = {short_name(key) for key in vary}
    for name in _PLACE.findall(str(table.get("name", ""))):
        if name not in places:
            near = did_you_mean(nearest(name, places))
            raise InputError(
                f'the name has a place for "{name}", which does not vary',
                location=document.key(("system", index, "name"), near),
                next="fsgauge explain system.vary",
            )
