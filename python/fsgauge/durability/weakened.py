"""Which options that weaken durability a system has, as asked for or as in force."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fsgauge.durability.options import WEAKENINGS, Guards, Place

ANY_KIND = ("mounted", "share")
"""Kinds under which any file system may be."""


@dataclass(frozen=True)
class Made:
    """How a system is made, as far as durability depends on it.

    `kind` is the file system's own where it is known. `mount` is as after -o, in force or asked
    for; `mkfs` the words given to it; `server` options and `tunables` by name; `export` as in
    exports(5), where it is known.
    """

    kind: str
    mount: str = ""
    mkfs: Sequence[str] = ()
    tunables: Mapping[str, str] = field(default_factory=dict)
    server: Mapping[str, str] = field(default_factory=dict)
    export: str = ""


@dataclass(frozen=True)
class Weak:
    """One thing that a system gives up: by which option, what that costs, where it is written."""

    option: str
    loses: str
    source: str
    guards: Guards


def weakened(made: Made) -> list[Weak]:
    """What it gives up, in the order of the list of options; [] for a system with nothing weak."""
    given = dict(_given(made))
    found: dict[str, Weak] = {}
    for each in WEAKENINGS:
        if each.systems and made.kind not in (*each.systems, *ANY_KIND):
            continue
        for option in given[each.place]:
            if each.fits(option):
                shown = each.called or option
                found.setdefault(shown, Weak(shown, each.loses, each.source, each.guards))
    return list(found.values())


def _given(made: Made) -> Iterator[tuple[Place, list[str]]]:
    """The options of each place, one by one; of what is given twice, the last."""
    yield "mount", _in_force(_words(made.mount))
    yield "mkfs", [word for part in made.mkfs for word in _words(part)]
    yield "kind", [] if made.kind in ANY_KIND else [""]
    yield "tunable", [f"{name} = {value.strip()}" for name, value in made.tunables.items()]
    yield (
        "samba",
        [f"{name} = {value.strip()}".lower() for name, value in made.server.items()],
    )
    yield "export", _words(made.export)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text.strip()) if word]


def _in_force(options: Sequence[str]) -> list[str]:
    """Of an option and its opposite, or two values of one, the last: "nobarrier,barrier=1"."""
    last: dict[str, str] = {}
    for option in options:
        name = option.partition("=")[0]
        last.pop(_stem(name), None)
        last[_stem(name)] = option
    return list(last.values())


def _stem(name: str) -> str:
    """What an option is about: "barrier" of nobarrier, barrier=0 and barrier."""
    return name.removeprefix("no")
