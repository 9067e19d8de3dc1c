"""What a kind of system, and an option of its mkfs or its mount, is: for `fsgauge explain`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from fsgauge.durability import WEAKENINGS
from fsgauge.system import system_kinds
from fsgauge.system.kind import EVERY_MOUNT, FileSystem, Form

_COMMAND = "fsgauge run overhead --baseline default --system default={}"
"""A name of its own: a system that the study has by its name keeps the options it has there."""
_FIRST = ("ext4", "xfs", "btrfs")
"""The first of them that has an option is in its example."""


def kind_words(name: str) -> str:
    """A file system that a study can make, with how to name it; "" for none of that name."""
    kind = system_kinds().get(name.strip().lower())
    if not isinstance(kind, FileSystem):
        return ""
    options = shlex.quote(f"{kind.name}:mount=noatime")
    return "\n".join(
        (
            kind.name,
            f"  A file system that a study makes and mounts: {kind.summary}. --system {kind.name}"
            f" compares it with the study's baseline, --system {options} with an option.",
            "  more: fsgauge doctor --systems, fsgauge explain system",
        )
    )


@dataclass(frozen=True)
class _Option:
    """An option as mount or mkfs takes it, with what its value has to be; `switch` is that of mkfs
    before it: -d of -d agcount=8."""

    kind: FileSystem
    tool: str
    takes: Form
    switch: str = ""


def option_words(text: str) -> str:
    """An option of mount or mkfs, with how to compare systems by it; "" for none of that name."""
    text = text.strip()
    name, equals, _ = text.partition("=")
    found = list(_options(name))
    if not found:
        return ""
    first = min(found, key=lambda each: _place(each.kind.name))
    kinds = sorted((each.kind.name for each in found if each.tool == first.tool), key=_place)
    needs = not (equals or first.takes.optional or first.takes.fits(""))
    option = f"{first.switch} {name}=VALUE" if needs else f"{first.switch} {text}"
    compared = shlex.quote(f"{first.kind.name}:{first.tool}={option.strip()}")
    of = "every file system" if name in EVERY_MOUNT else ", ".join(kinds)
    value = f" VALUE is {first.takes.words}." if needs else ""
    lines = [
        text,
        f"  {'A mount' if first.tool == 'mount' else 'An mkfs'} option of {of}."
        f"{value}\n  With and without: {_COMMAND.format(first.kind.name)} --system {compared}",
    ]
    loses = {each.loses for each in WEAKENINGS if each.place == first.tool and each.fits(text)}
    lines += [f"  It weakens durability: {each}." for each in sorted(loses)]
    page = "8 mount" if name in EVERY_MOUNT else f"5 {first.kind.name}"
    lines.append(f"  more: man {page if first.tool == 'mount' else first.kind.mkfs}")
    return "\n".join(lines)


def option_names() -> list[str]:
    kinds = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]
    return sorted({*EVERY_MOUNT, *(name for kind in kinds for name in kind.mount_options)})


def _place(kind: str) -> int:
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)


def _options(name: str) -> Iterator[_Option]:
    kinds = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]
    for kind in kinds:
        takes = {**EVERY_MOUNT, **kind.mount_options}.get(name)
        if takes is not None:
            yield _Option(kind, "mount", takes)
    for kind in kinds:
        for switch, keys in kind.mkfs_options.items():
            if not isinstance(keys, Form) and name in keys:
                yield _Option(kind, "mkfs", keys[name], switch)
