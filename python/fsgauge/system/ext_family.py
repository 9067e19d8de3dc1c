"""What ext2, ext3 and ext4 share: one mkfs (e2fsprogs), one driver in today's kernels."""

from __future__ import annotations

from fsgauge.system.kind import FileSystem

_LAZY = "lazy_itable_init=0,lazy_journal_init=0"
_WANTED = (
    "Filesystem features",
    "Default mount options",
    "Inode count",
    "Block size",
    "Reserved block count",
    "Inode size",
    "Journal size",
    "Total journal size",
    "RAID stride",
)


class ExtFamily(FileSystem):
    """mke2fs, with everything written at once: a table filled in later would disturb the runs."""

    package = "e2fsprogs"
    mkfs_defaults = ("-q", "-F")
    smallest_bytes = 16 << 20
    facts_command = ("dumpe2fs", "-h", "{device}")
    facts_wanted = _WANTED

    def mkfs_command(self, options: list[str], device: str) -> list[str]:
        """mke2fs keeps the last -E alone, so the user's are joined to ours and win."""
        rest, extended = _take_extended(options)
        return [self.mkfs, *self.mkfs_defaults, "-E", ",".join([_LAZY, *extended]), *rest, device]


def _take_extended(options: list[str]) -> tuple[list[str], list[str]]:
    """Split options into the others and the values of -E, joined or apart."""
    rest: list[str] = []
    extended: list[str] = []
    words = iter(options)
    for word in words:
        if word == "-E":
            extended.append(next(words, ""))
        elif word.startswith("-E"):
            extended.append(word[2:])
        else:
            rest.append(word)
    return rest, extended
