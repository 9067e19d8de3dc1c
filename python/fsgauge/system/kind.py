"""What a kind of system is: a bare device, a mounted folder, a share, or a file system.

A subclass of `FileSystem` says in class attributes what mkfs and mount need; a method is
overridden only where the tools differ. Nothing here touches a disk: it makes argument lists.

It also lists the options that a study may give to mkfs and mount, each with the form of its value.
Whatever is not listed is refused: a list of what is dangerous would miss the next version's option.
No form has a slash, so a value is a number or a word and names no file and no device.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from fsgauge.study.policies import POLICIES


@dataclass(frozen=True)
class Form:
    """What the value of an option may look like; `words` describes it in errors."""

    words: str
    pattern: re.Pattern[str]
    optional: bool = False
    """Whether the option may also be given without a value."""

    def fits(self, value: str) -> bool:
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
    return Form(" or ".join(words), re.compile("|".join(map(re.escape, words))))


def perhaps(form: Form) -> Form:
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
"""Options of mount(8) for every file system."""


Facts = dict[str, str]


class SystemKind:
    """`placement` says how a rig prepares it: bare device, folder as it is, made and mounted, a
    server's share, or not at all: it is a model, which the simulator alone has."""

    name: ClassVar[str]
    summary: ClassVar[str]
    placement: ClassVar[Literal["bare", "folder", "formatted", "share", "modelled"]]


class FileSystem(SystemKind):
    placement = "formatted"

    driver: ClassVar[str]
    """Its name in /proc/filesystems and for mount -t; its own name unless said otherwise."""
    mkfs: ClassVar[str]
    """The program that makes it; mkfs.NAME unless said otherwise."""
    package: ClassVar[str]
    """Debian package that brings the program."""
    mkfs_defaults: ClassVar[tuple[str, ...]] = ()
    """Always given: quiet, and forced (the rig has checked that the device is ours)."""
    mkfs_without_discard: ClassVar[tuple[str, ...]] = ()
    """What keeps mkfs from discarding the device, where it is preconditioned."""
    mkfs_options: ClassVar[Switches] = {}
    """Options of mkfs that a study may set: those that can name nothing else."""
    mount_defaults: ClassVar[tuple[str, ...]] = ()
    """Mount options in force unless the study says otherwise."""
    mount_options: ClassVar[Keys] = {}
    """Mount options of its own that a study may set, beside those that every mount has."""
    smallest_bytes: ClassVar[int]
    """The smallest device that mkfs accepts."""
    facts_command: ClassVar[tuple[str, ...]] = ()
    """Asks its own tools for the settings in force; {device} and {directory} are filled in."""
    facts_wanted: ClassVar[tuple[str, ...]] = ()
    """The keys of the answer that are kept; all when empty."""
    writes_nothing_when_read_only: ClassVar[bool] = False
    """Whether a clean one that is mounted read-only, and unmounted so, leaves the device as it is:
    then a write of another program shows in the moments of the mount and of the unmount."""
    forget_command: ClassVar[tuple[str, ...]] = ()
    """Run after the unmount, where a driver has to forget {device}."""

    def __init_subclass__(cls) -> None:
        name = vars(cls).get("name")
        if name is not None:
            cls.driver = vars(cls).get("driver", name)
            cls.mkfs = vars(cls).get("mkfs", f"mkfs.{name}")

    def mkfs_command(self, options: list[str], device: str) -> list[str]:
        """The arguments that make it on `device`; the user's options come last and win."""
        return [self.mkfs, *self.mkfs_defaults, *options, device]

    def mount_command(self, options: list[str], device: str, directory: str) -> list[str]:
        together = ",".join([*self.mount_defaults, *options])
        return [
            "mount",
            *("-t", self.driver),
            *(("-o", together) if together else ()),
            *(device, directory),
        ]

    def without_direct(self, mkfs: str, mount: str) -> str:  # noqa: ARG002
        """Why files cannot be reached past the page cache with these options; empty if they can."""
        return ""

    def inodes_made(self, size_bytes: int, options: list[str]) -> int | None:  # noqa: ARG002
        """Inodes that mkfs makes; None where there is no known limit."""
        return None

    def more_inodes(self, number: int, size_bytes: int) -> str:  # noqa: ARG002
        """Options of mkfs that leave so many of them to files; "" where none does."""
        return ""

    def small_blocks_bytes(self, size_bytes: int, options: list[str]) -> int | None:  # noqa: ARG002
        """Blocks that mkfs makes smaller than usual on so small a device; None where it does not,
        or options say how large they are."""
        return None

    def read_facts(self, output: str) -> Facts:
        """The output of `facts_command`: here lines of "key: value"."""
        found: Facts = {}
        for line in output.splitlines():
            key, separator, value = line.partition(":")
            if separator and (key.strip() in self.facts_wanted or not self.facts_wanted):
                found[key.strip()] = value.strip()
        return found


def placed(command: tuple[str, ...], device: str, directory: str) -> list[str]:
    return [word.format(device=device, directory=directory) for word in command]


def _kind(
    name: str, placement: Literal["bare", "folder", "share", "modelled"], summary: str
) -> SystemKind:
    """An instance of a class of its own, since names stand in classes."""
    words = {"name": name, "placement": placement, "summary": summary}
    found: SystemKind = type(name.capitalize(), (SystemKind,), words)()
    return found


RAW = _kind("raw", "bare", "the bare block device, no file system")
MOUNTED = _kind(
    "mounted", "folder", "a mounted file system: a scratch folder in it, nothing formatted"
)
SHARE = _kind(
    "share", "share", "a share of a running server (SMB, NFS), each client with its own session"
)
"""The study names its place: its access, or that of all."""
MODELLED = {
    name: _kind(name, "modelled", f"a model for --rig simulator: {policy.summary}")
    for name, policy in POLICIES.items()
}
"""Models of allocation policies: systems of the simulator alone, which cannot be mounted."""
