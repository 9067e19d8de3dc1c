"""What a study may say to mkfs and mount: options that can name no file and no other device.

A system's file lists its options, each with the form of its value; whatever is not listed is
refused. A list of what is dangerous would miss the next version's option, a list of what is
harmless cannot. No form has a slash: a value is a number or a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Form:
    """What the value of an option may look like; `words` says it to people."""

    words: str
    pattern: re.Pattern[str]
    optional: bool = False
    """Whether the option may also stand without a value."""

    def fits(self, value: str) -> bool:
        """Whether the whole value has this form."""
        return self.pattern.fullmatch(value) is not None


Keys = Mapping[str, Form]
"""Options in one list, as key or key=value with commas between: of mount, of mke2fs -E."""
Switches = Mapping[str, Form | Keys]
"""Options of a command line: -b 4096, --nodesize=16k, -d su=64k,sw=4."""

NOTHING = Form("no value", re.compile(""))
NUMBER = Form(
    "a number, as in 4096, 64k or 0.5", re.compile(r"[0-9]{1,20}(\.[0-9]{1,9})?[A-Za-z]?")
)
WORD = Form("a word", re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{0,31}"))
LEVEL = Form("a word, as in zstd or zstd:3", re.compile(r"[a-z0-9]{1,16}(:-?[0-9]{1,3})?"))
FEATURES = Form(
    "features with commas between, as in ^has_journal,extent",
    re.compile(r"\^?[a-z0-9][a-z0-9_-]{0,31}(,\^?[a-z0-9][a-z0-9_-]{0,31}){0,63}"),
)


def one_of(*words: str) -> Form:
    """One of these words and no other."""
    return Form(" or ".join(words), re.compile("|".join(map(re.escape, words))))


def perhaps(form: Form) -> Form:
    """The same, and nothing as well."""
    return replace(form, optional=True)


def flags(names: str) -> dict[str, Form]:
    """Options without a value."""
    return dict.fromkeys(names.split(), NOTHING)


def numbers(names: str) -> dict[str, Form]:
    """Options whose value is a number."""
    return dict.fromkeys(names.split(), NUMBER)


EVERY_MOUNT: Keys = flags(
    "atime noatime relatime norelatime strictatime nostrictatime diratime nodiratime lazytime"
    " nolazytime sync async dirsync iversion noiversion exec noexec suid nosuid dev nodev rw"
    " defaults"
)
"""Options of mount(8) that every file system has."""
