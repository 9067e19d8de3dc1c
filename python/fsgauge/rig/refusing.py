"""What rigs refuse: every refusal of a study, each once, and how it goes on without a system."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

from fsgauge.errors import FsgaugeError, InputError, Interrupted
from fsgauge.study.model import Study, System

_OPTION = "--without"

Look = Callable[[], object]
"""Raises InputError for wrong input, RigError for what the machine lacks."""


def or_without(study: Study, system: System, next: str) -> str:
    """What helps, or the option that leaves the system out, where another is left to measure."""
    if len(study.systems) < 2 or _OPTION in next:
        return next
    without = f"{_OPTION} {shlex.quote(system.name)}"
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
