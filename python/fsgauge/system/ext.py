"""ext2, ext3 and ext4: one mkfs (e2fsprogs), one driver in today's kernels."""

from __future__ import annotations

import re
from itertools import pairwise

from fsgauge.system import kind

_USAGE = kind.one_of("default", "floppy", "small", "big", "huge", "news", "largefile", "largefile4")
"""The types in e2fsprogs' own /etc/mke2fs.conf."""
_ON_ERRORS = kind.one_of("continue", "remount-ro")
_MKFS: kind.Switches = {
    **dict.fromkeys(("-b", "-C", "-g", "-G", "-i", "-I", "-m", "-N", "-r"), kind.NUMBER),
    "-D": kind.NOTHING,
    "-e": _ON_ERRORS,
    "-E": {
        **kind.numbers("stride stripe-width stripe_width resize desc_size desc-size num_backup_sb"),
        **kind.numbers("mmp_update_interval orphan_file_size"),
        **dict.fromkeys(("lazy_itable_init", "lazy_journal_init"), kind.perhaps(kind.NUMBER)),
        **dict.fromkeys(
            ("packed_meta_blocks", "assume_storage_prezeroed"), kind.perhaps(kind.NUMBER)
        ),
        **kind.flags("discard nodiscard"),
        "encoding": kind.Form(
            "utf8, or with its version: utf8-12.1.0", re.compile(r"utf8(-[0-9.]{1,16})?")
        ),
        "quotatype": kind.WORD,
    },
    "-j": kind.NOTHING,
    "-J": kind.numbers("size fast_commit_size location"),
    "-O": kind.FEATURES,
    "-T": _USAGE,
}
"""mke2fs(8). Not -J device, -d, -l, -z, -M: devices, folders, files; -L, -U: names of other disks;
-E root_owner, root_perms: who may write there; -e panic; -n, -S: make no file system."""
_MOUNT = {
    **kind.flags(
        "acl noacl user_xattr nouser_xattr bsddf minixdf nobarrier delalloc nodelalloc"
        " noauto_da_alloc noinit_itable discard nodiscard block_validity"
        " noblock_validity dioread_lock dioread_nolock journal_checksum nojournal_checksum"
        " journal_async_commit i_version grpid nogrpid bsdgroups sysvgroups quota noquota usrquota"
        " grpquota prjquota nouid32 inlinecrypt nombcache orlov oldalloc reservation"
        " noreservation prefetch_block_bitmaps no_prefetch_block_bitmaps fast_commit nocheck"
    ),
    **kind.numbers(
        "commit max_batch_time min_batch_time journal_ioprio stripe inode_readahead_blks"
    ),
    **kind.numbers("max_dir_size_kb mb_optimize_scan"),
    **dict.fromkeys(("barrier", "auto_da_alloc", "init_itable"), kind.perhaps(kind.NUMBER)),
    "data": kind.one_of("journal", "ordered", "writeback"),
    "data_err": kind.one_of("ignore", "abort"),
    "dax": kind.perhaps(kind.one_of("always", "never", "inode")),
    "errors": _ON_ERRORS,
}
"""ext4(5). Not journal_path, journal_dev: devices; usrjquota, grpjquota: files; sb: another place;
errors=panic."""

_SMALL_BYTES = 512 << 20
_BLOCK_BYTES = 4096
_OWN_INODES = 11
"""EXT4_FIRST_INO, and lost+found."""
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


class ExtFamily(kind.FileSystem):
    """mke2fs without lazy initialization, which would disturb the runs."""

    package = "e2fsprogs"
    mkfs_defaults = ("-q", "-F")
    mkfs_without_discard = ("-E", "nodiscard")
    mkfs_options = _MKFS
    mount_options = _MOUNT
    smallest_bytes = 16 << 20
    writes_nothing_when_read_only = True
    facts_command = ("dumpe2fs", "-h", "{device}")
    facts_wanted = _WANTED

    def mkfs_command(self, options: list[str], device: str) -> list[str]:
        """mke2fs keeps the last -E alone, so the user's are joined to ours and win."""
        rest, extended = _take_extended(options)
        return [self.mkfs, *self.mkfs_defaults, "-E", ",".join([_LAZY, *extended]), *rest, device]

    def without_direct(self, mkfs: str, mount: str) -> str:  # noqa: ARG002 - mkfs sets no data mode
        """ext4_should_use_dio (fs/ext4/file.c): data that goes through the journal is buffered."""
        modes = [option for option in mount.split(",") if option.startswith("data=")]
        if modes[-1:] != ["data=journal"]:
            return ""
        return "data=journal sends file data through the journal, and there is no direct I/O then"

    def inodes_made(self, size_bytes: int, options: list[str]) -> int | None:
        """From -N, or from -i or the inode_ratio of mke2fs.conf; None with -T."""
        number, ratio = _value_after("-N", options), _value_after("-i", options)
        if number.isdecimal():
            return max(0, int(number) - _OWN_INODES)
        if _value_after("-T", options) or (ratio and not ratio.isdecimal()):
            return None
        made = size_bytes // (int(ratio) if ratio else _bytes_per_inode(size_bytes))
        return max(0, made - _OWN_INODES)

    def more_inodes(self, number: int, size_bytes: int) -> str:
        """-N, which has one for each block at most; the first ones are its own."""
        fits = number + _OWN_INODES <= size_bytes // _BLOCK_BYTES
        return f"-N {number + _OWN_INODES}" if fits else ""

    def small_blocks_bytes(self, size_bytes: int, options: list[str]) -> int | None:
        """The blocksize of mke2fs.conf for the types small and floppy."""
        if _value_after("-b", options) or _value_after("-T", options):
            return None
        return 1024 if size_bytes < _SMALL_BYTES else None


def _value_after(letter: str, options: list[str]) -> str:
    """The last value of an option, joined or separate; empty where it is not given."""
    values = [word[2:] for word in options if word.startswith(letter) and word != letter]
    values += [after for word, after in pairwise(options) if word == letter]
    return values[-1] if values else ""


def _bytes_per_inode(size_bytes: int) -> int:
    """inode_ratio of mke2fs.conf by size (e2fsprogs, misc/mke2fs.c, parse_fs_type)."""
    if size_bytes < _SMALL_BYTES:
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


class Ext2(ExtFamily):
    name = "ext2"
    summary = "ext2 (no journal)"


EXT2 = Ext2()


class Ext3(ExtFamily):
    name = "ext3"
    summary = "ext3 (ext2 with a journal, block maps)"


EXT3 = Ext3()


class Ext4(ExtFamily):
    name = "ext4"
    summary = "ext4 (extents, delayed allocation, journal)"


EXT4 = Ext4()
