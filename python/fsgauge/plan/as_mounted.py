"""Folders as they are mounted, in the words of a plan: what each is, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.durability import SystemOptions
from fsgauge.record.records import SystemFacts

LONGEST_OPTION = 48
"""The layers of an overlay can be longer than a screen."""


def mounted_words(facts: SystemFacts) -> str:
    """ "ext4 from /dev/sda1, mounted rw,relatime"."""
    kind = _file_system(facts)
    source = "" if facts.mount_source in ("none", kind) else f" from {facts.mount_source}"
    options = ",".join(map(_short, _options(facts)))
    return f"{kind}{source}" + (f", mounted {options}" if options else "")


def differently_mounted(mounted: Mapping[str, SystemFacts]) -> list[str]:
    """The types, and the options that not all of them have; a line each where they differ."""
    if len(mounted) < 2:
        return []
    kinds = {name: _file_system(facts) for name, facts in mounted.items()}
    found = []
    if len(set(kinds.values())) > 1:
        found.append(_line("file system", kinds))
    options = {name: _options(facts) for name, facts in mounted.items()}
    shared = set.intersection(*map(set, options.values()))
    own = {
        name: ",".join(_short(option) for option in each if option not in shared)
        for name, each in options.items()
    }
    if any(own.values()):
        found.append(_line("mounted", {name: each or "without" for name, each in own.items()}))
    return found


def made_as_mounted(facts: SystemFacts) -> SystemOptions:
    """What durability depends on of a folder: its file system, its options, an export's."""
    return SystemOptions(
        kind=_file_system(facts),
        mount=facts.mount_options,
        export=facts.details.get("export options", ""),
    )


def _line(what: str, values: Mapping[str, str]) -> str:
    return f"{what} ({'; '.join(f'{name}: {value}' for name, value in values.items())})"


def _file_system(facts: SystemFacts) -> str:
    return facts.details.get("file system", facts.kind)


def _options(facts: SystemFacts) -> list[str]:
    return [option for option in facts.mount_options.split(",") if option]


def _short(option: str) -> str:
    name, equals, value = option.partition("=")
    return f"{name}=..." if equals and len(value) > LONGEST_OPTION else option
