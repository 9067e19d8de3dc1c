"""The options of a system as settings with values, read off what its study says of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from fsgauge.units import exact_size

DEFAULT = "default"
ON = "on"
_OF_SPACE = ("allocation_chunk", "extent_size_hint")

Settings = Mapping[str, str]
"""Values by setting: "noatime": "on", "-m reflink": "0", "queue/scheduler": "none"."""


def settings_of(system: Mapping[str, Any]) -> Settings:
    """All that the [[system]] of a record sets."""
    words = shlex.split(system.get("mkfs") or "")
    found = dict(_of_list(system.get("mount") or ""))
    found |= dict(_of_mkfs(words))
    found |= {name: str(value) for name, value in (system.get("tunables") or {}).items()}
    found |= {name: str(value) for name, value in (system.get("settings") or {}).items()}
    found |= {name: exact_size(system[name]) for name in _OF_SPACE if system.get(name)}
    return found


def varied(systems: Mapping[str, Settings]) -> dict[str, list[str]]:
    """Settings in which systems differ, each with its values, the usual one first."""
    keys = dict.fromkeys(key for each in systems.values() for key in each)
    found = {key: [each.get(key, DEFAULT) for each in systems.values()] for key in keys}
    return {
        key: sorted(dict.fromkeys(values), key=lambda value: value != DEFAULT)
        for key, values in found.items()
        if len(set(values)) > 1
    }


def setting_words(key: str, value: str) -> str:
    """ "noatime", "-I 128", "logbsize=256k", "queue/scheduler none"."""
    if value == ON:
        return key
    if key.startswith("--") or (not key.startswith(("-", "/")) and "/" not in key):
        return f"{key}={value}"
    return f"{key}={value}" if " " in key else f"{key} {value}"


def _of_list(text: str, before: str = "") -> Iterator[tuple[str, str]]:
    for option in filter(None, text.split(",")):
        name, _, value = option.partition("=")
        yield f"{before}{name}", value or ON


def _of_mkfs(words: list[str]) -> Iterator[tuple[str, str]]:
    """Each switch with its value; those in a list under one switch are settings of their own."""
    rest = iter(words)
    for word in rest:
        switch, equals, value = word.partition("=")
        if switch.startswith("--") and equals:
            yield switch, value
        elif len(word) > 2 and not word.startswith("--"):
            yield from _of_switch(word[:2], word[2:])
        else:
            yield from _of_switch(word, next(rest, ""))


def _of_switch(switch: str, value: str) -> Iterator[tuple[str, str]]:
    if "=" in value or switch == "-O":
        yield from _of_list(value, f"{switch} ")
    else:
        yield switch, value or ON
