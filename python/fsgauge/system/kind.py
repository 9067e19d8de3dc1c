"""What a kind of system is: the bare device, a folder that is mounted, or a file system.

A subclass of `FileSystem` says in class attributes what mkfs and mount need; a method is
overridden only where the tools differ. Nothing here touches a disk: it makes argument lists.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from fsgauge.system.allowed import Keys, Switches

Facts = dict[str, str]


class SystemKind:
    """`placement` says how a rig prepares it: bare device, folder as it is, made and mounted, or a
    server's share."""

    name: ClassVar[str]
    summary: ClassVar[str]
    placement: ClassVar[Literal["bare", "folder", "formatted", "share"]]


class FileSystem(SystemKind):
    """A file system that is made with mkfs and mounted."""

    placement = "formatted"

    driver: ClassVar[str]
    """Its name in /proc/filesystems and for mount -t."""
    mkfs: ClassVar[str]
    """The program that makes it."""
    package: ClassVar[str]
    """Debian package that brings the program."""
    mkfs_defaults: ClassVar[tuple[str, ...]] = ()
    """Always given: quiet, and forced (the rig has checked that the device is ours)."""
    mkfs_options: ClassVar[Switches] = {}
    """Options of mkfs that a study may set (allowed.py): all that can name nothing else."""
    mount_defaults: ClassVar[tuple[str, ...]] = ()
    """Mount options in force unless the study says otherwise."""
    mount_options: ClassVar[Keys] = {}
    """Mount options of its own that a study may set, beside those that every mount has."""
    smallest_bytes: ClassVar[int]
    """What mkfs refuses to go below."""
    facts_command: ClassVar[tuple[str, ...]] = ()
    """Asks its own tools what is in force; {device} and {directory} are filled in."""
    facts_wanted: ClassVar[tuple[str, ...]] = ()
    """The keys of the answer that are kept; all when empty."""
    forget_command: ClassVar[tuple[str, ...]] = ()
    """Run after the unmount, where something has to be forgotten about {device}."""

    def mkfs_command(self, options: list[str], device: str) -> list[str]:
        """The argument list that makes it on `device`; the user's options come last and win."""
        return [self.mkfs, *self.mkfs_defaults, *options, device]

    def mount_command(self, options: list[str], device: str, directory: str) -> list[str]:
        """The argument list that mounts it."""
        together = ",".join([*self.mount_defaults, *options])
        return [
            "mount",
            *("-t", self.driver),
            *(("-o", together) if together else ()),
            *(device, directory),
        ]

    def inodes_made(self, size_bytes: int, options: list[str]) -> int | None:  # noqa: ARG002
        """Files that it can hold as made by mkfs; None where nothing is known to limit them."""
        return None

    def read_facts(self, output: str) -> Facts:
        """What `facts_command` says: here lines of "key: value"."""
        found: Facts = {}
        for line in output.splitlines():
            key, separator, value = line.partition(":")
            if separator and (key.strip() in self.facts_wanted or not self.facts_wanted):
                found[key.strip()] = value.strip()
        return found


def placed(command: tuple[str, ...], device: str, directory: str) -> list[str]:
    """A command with its device and mount point in place."""
    return [word.format(device=device, directory=directory) for word in command]
