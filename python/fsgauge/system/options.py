"""The user's mkfs and mount options as words, and a guard: none of them may name a device.

`mkfs = "/dev/sdb"` or `-l logdev=/dev/sdb` would format what nobody has consented to.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
from pathlib import Path

from fsgauge.errors import InputError, RefusedError

_SEPARATORS = re.compile(r"[,=\s]")
_NOT_OURS_TO_CHOOSE = frozenset(
    {"ro", "loop", "bind", "rbind", "move", "remount", "noauto", "offset", "sizelimit", "user"}
)


def mkfs_words(text: str, system: str) -> list[str]:
    """Words of the study's `mkfs`, split as a shell does."""
    words = _split(text, f'mkfs of the system "{system}"')
    _refuse_devices(words, f'mkfs of the system "{system}"')
    return words


def mount_words(text: str, system: str) -> list[str]:
    """Single options of the study's `mount`: "noatime,discard", a leading -o allowed."""
    where = f'mount of the system "{system}"'
    words = [word.removeprefix("-o") for word in _split(text, where)]
    options = [option for word in words for option in word.split(",") if option]
    for option in options:
        if option.startswith("-"):
            raise InputError(
                f'"{option}" is no mount option ({where})',
                next='write options as after -o, with commas: mount = "noatime,discard"',
            )
        if option.partition("=")[0] in _NOT_OURS_TO_CHOOSE:
            raise InputError(
                f'the mount option "{option}" cannot be used in a study ({where})',
                cause="fsgauge mounts a device of its own, read and write, at a folder of its own",
            )
    _refuse_devices(options, where)
    return options


def _split(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(f"{where} cannot be split into words: {error}", details=(text,)) from error


def _refuse_devices(words: list[str], where: str) -> None:
    for word in words:
        for piece in _SEPARATORS.split(word):
            path = Path(os.path.realpath(f"/{piece}"))
            if piece and (path.is_relative_to("/dev") or _can_be_formatted(path)):
                raise RefusedError(
                    f'"{word}" names {path}, which this study may not touch ({where})',
                    cause="a study writes to its own storage alone, and that is named in [storage]",
                )


def _can_be_formatted(path: Path) -> bool:
    """A block device, or a file that mkfs would take for an image."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISBLK(mode) or (stat.S_ISREG(mode) and os.access(path, os.W_OK))
