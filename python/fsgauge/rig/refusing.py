"""What rigs refuse: every refusal of a study, each once, and how it goes on without a system."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from typing import TypeVar

from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.record.conditions import without_token
from fsgauge.study.model import Study, System

T = TypeVar("T")
WITHOUT = "--without"
_TRIED_ON = re.compile(r"(?:/dev/)?\bloop\d+\b")
_OPTIONS = re.compile(r"(?<=refused its options: )[^;\n]+")

Look = Callable[[], object]
"""Raises InputError for wrong input, RigError for what the machine lacks."""


def or_without(study: Study, system: System, next: str) -> str:
    """What helps, or the option that leaves the system out, where another is left to measure."""
    if len(study.systems) < 2 or WITHOUT in next:
        return next
    without = f"{WITHOUT} {shlex.quote(system.name)}"
    return f"{next}, or {without}" if next else without


def uses_no_device(whose: str) -> InputError:
    """--destroy where it cannot mean anything; `whose` says why: "this study uses none"."""
    return InputError(f"--destroy names a device, and {whose}", next="leave it out")


def refused_by(looks: Iterable[Look]) -> list[FsgaugeError]:
    """What each look refuses, in their order, each once."""
    found: list[FsgaugeError] = []
    for look in looks:
        try:
            look()
        except Interrupted:
            raise
        except FsgaugeError as error:
            found.append(error)
    return each_once(found)


def each_once(refused: list[FsgaugeError]) -> list[FsgaugeError]:
    """The same without what several looks refuse alike."""
    found: dict[str, FsgaugeError] = {}
    for error in refused:
        found.setdefault(error.what, error)
    return list(found.values())


def alike(refused: Iterable[tuple[T, str, str]]) -> list[tuple[str, list[T]]]:
    """Why systems are refused, and all of whom that is said; from what stands for each of them, its
    name, "" where it is none's, and why it is. The words are those of the first, without its name.
    Those of others are alike whatever they were tried on, and whatever options they have next to
    the one that is refused."""
    found: dict[str, tuple[str, list[T]]] = {}
    for each, name, why in refused:
        own = _of_any(name, why) if name else why
        options = _OPTIONS.search(own)
        key = own.replace(options[0], "") if options else own
        found.setdefault(key, (own, []))[1].append(each)
    return list(found.values())


def _of_any(name: str, why: str) -> str:
    own = why.replace(f'the options of the system "{name}"', "its options")
    own = own.replace(f' (system "{name}")', "")
    own = own.replace(f'the system "{name}"', "the system").replace(f'"{name}"', "the system")
    return without_token(_TRIED_ON.sub("DEVICE", own))


def require_none(refused: list[FsgaugeError]) -> None:
    """Raise all as one: the first wrong input, or else what failed first, with the others in its
    details."""
    if not refused:
        return
    first = next((each for each in refused if isinstance(each, InputError)), refused[0])
    for each in refused:
        if each is not first:
            helps = f" (next: {each.next})" if each.next else ""
            first.details += (f"also: {each.what}{helps}", *each.details)
    raise first
