"""What ext2, ext3 and ext4 share: one mkfs (e2fsprogs), one driver in today's kernels."""

from __future__ import annotations

from itertools import pairwise

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

    def inodes_made(self, size_bytes: int, options: list[str]) -> int | None:
        """-N, or one for each so many bytes: -i, or as mke2fs.conf has it; not told with -T."""
        number, ratio = _value_after("-N", options), _value_after("-i", options)
        if number.isdecimal():
            return int(number)
        if _value_after("-T", options) or (ratio and not ratio.isdecimal()):
            return None
        return size_bytes // (int(ratio) if ratio else _bytes_per_inode(size_bytes))


def _value_after(letter: str, options: list[str]) -> str:
    """The last value of an option, joined or apart; empty where it is not given."""
    values = [word[2:] for word in options if word.startswith(letter) and word != letter]
    values += [after for word, after in pairwise(options) if word == letter]
    return values[-1] if values else ""


def _bytes_per_inode(size_bytes: int) -> int:
    """inode_ratio of mke2fs.conf by size (e2fsprogs, misc/mke2fs.c, parse_fs_type)."""
    if size_bytes < 512 << 20:
        return 8192 if size_bytes < 3 << 20 else 4096
    if size_bytes < 4 << 40:
        return 16384
    return 32768 if size_bytes < 16 << 40 else 65536


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
