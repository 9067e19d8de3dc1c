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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    varying = [index for index, table in enumerate(tables) if _varies(table)]
    if not varying:
        return
    for index in varying:
        _require_known(document, index, known)
    total = sum(combinations(table.get("vary", {})) for table in tables)
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
    varying = [table.get("vary", {}) if _varies(table) else {} for table in tables]
    total = sum(map(combinations, varying))
    chance = random.Random(seed if isinstance(seed, int) else 0)  # noqa: S311 - no secret

    def points(vary: Vary) -> list[Point]:
        if total <= MOST_SYSTEMS:
            return every_point(vary)
        share = round(SAMPLED * combinations(vary) / total)
        return hypercube(vary, max(2, share), chance) if vary else [{}]

    return [
        Varied(index, point, system_at(table, point) if vary else table)
        for index, (table, vary) in enumerate(zip(tables, varying, strict=True))
        for point in points(vary)
    ]


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
        text = words[key]
        if not option:
            found |= {key: text} if text != DEFAULT else {}
        elif value is not False and text != DEFAULT:
            found[section] = _with(found.get(section), section, option, value)
    vary = table.get("vary", {})
    usual = {
        key
        for key, word in words.items()
        if (point[key] == vary[key][0] if len(vary.get(key, ())) > 1 else word in (DEFAULT, "off"))
    }
    found["name"] = _name(str(table.get("name", kind)), words, usual)
    return found


def _with(given: object, section: str, option: str, value: Value) -> object:
    """What a system has in this section already, and one option more."""
    text = value_words(value)
    if section in _TABLES:
        return {**(given if isinstance(given, dict) else {}), option: text}
    before = str(given or "")
    if section == "mount":
        return ",".join(filter(None, (before, option if value is True else f"{option}={text}")))
    switch, _, name = option.partition(".")
    if name:
        own, words = name if value is True else f"{name}={text}", shlex.split(before)
        if switch in words[:-1]:  # in one list: mke2fs reads the last -E alone
            words[words.index(switch) + 1] += f",{own}"
            return shlex.join(words)
        return shlex.join([*words, switch, own])
    added = [switch] if value is True else [switch, text]
    if switch.startswith("--") and value is not True:
        added = [f"{switch}={text}"]
    return shlex.join([*shlex.split(before), *added])


def value_words(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def short_name(key: str) -> str:
    """What a name calls a key: "allocsize" of mount.allocsize, "scheduler" of a queue's, "i.size"
    of mkfs.-i.size, which has a word of many options."""
    parts = [each.lstrip("-") for each in re.split(r"[./]", key)]
    return ".".join(parts[-2:] if parts[-1] in _OF_MANY else parts[-1:])


def _name(name: str, words: Mapping[str, str], usual: Collection[str]) -> str:
    """The name with the values in its places; behind it those that are not `usual`."""
    short = {short_name(key): value for key, value in words.items()}
    shown = _PLACE.sub(lambda match: short.get(match[1], match[0]), name)
    said = {*_PLACE.findall(name), *map(short_name, usual)}
    more = [option_words(key, value) for key, value in short.items() if key not in said]
    return fitting(f"{shown} ({', '.join(more)})" if more else shown)


def option_words(name: str, value: str) -> str:
    if len(name) == 1:
        return f"-{name}" if value == "on" else f"-{name} {value}"
    return name if value == "on" else f"{name}={value}"


def _varies(table: object) -> bool:
    """Whether it has a `vary` whose types are right."""
    vary = table.get("vary") if isinstance(table, dict) else None
    return (
        isinstance(vary, dict)
        and bool(vary)
        and all(
            isinstance(values, list)
            and 0 < len(set(map(str, values))) == len(values)
            and all(isinstance(each, str | int) for each in values)
            for values in vary.values()
        )
    )


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
