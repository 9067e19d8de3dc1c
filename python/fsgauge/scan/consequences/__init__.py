"""What the numbers of a scan mean, and what to do: a rule a question, in one table.

What was not read comes first, then the gravest; of equal ones the order of the table decides.
"""

from __future__ import annotations

from dataclasses import replace

from fsgauge.engine.wire import ScanResult
from fsgauge.scan.consequences import (
    accounts,
    fragmentation,
    new_files,
    no_space,
    unseen,
)
from fsgauge.scan.consequences.rule import Consequence, Rule

RULES = (
    Rule(
        "unread",
        "Was all of it read?",
        "one place that the device did not return, that lies behind an image's end, or is damaged;"
        " a log that was not replayed",
        "the problems of the scan, and its superblock or log",
        unseen.unread,
    ),
    Rule(
        "full",
        "Is there room?",
        "under 0.1 % of the file system is available to ordinary users, or less than a new file"
        " takes: 47 blocks of XFS (of less than 4 KiB 108), 1.25 MiB of btrfs with mixed chunks;"
        " nearly, under 5 %",
        "statfs(2); ext4_statfs in fs/ext4/super.c of Linux 6.12 for what is kept for root;"
        " XFS_CREATE_SPACE_RES in fs/xfs/libxfs/xfs_trans_space.h; the 5 %: xfs_iomap_prealloc_size"
        " in fs/xfs/xfs_iomap.c allocates less ahead below m_low_space, and mke2fs(8), -m keeps as"
        " much by default against fragmentation",
        no_space.full,
    ),
    Rule(
        "inodes",
        "Are inodes used up?",
        "none is free; or fewer than 1 % and than 1,000",
        "mke2fs(8), -N; mkfs.xfs(8), maxpct",
        new_files.inodes,
    ),
    Rule(
        "inode_chunk",
        "Has XFS a piece for new inodes?",
        "no free piece holds an aligned chunk of 64 inodes (with sparse inodes: a part of one); or"
        " mounted with inode32, under 0.1 % is left where inodes may lie",
        "xfs_ialloc_ag_alloc in fs/xfs/libxfs/xfs_ialloc.c, xfs_set_inode_alloc in"
        " fs/xfs/xfs_super.c of Linux 6.12",
        new_files.inode_chunk,
    ),
    Rule(
        "folder_index",
        "Do folders take new names?",
        "the root of a folder's index is full at its last level",
        "ext4_dx_add_entry in fs/ext4/namei.c of Linux 6.12; ext4(5), large_dir",
        new_files.folder_index,
    ),
    Rule(
        "emptied",
        "Are folders far larger than their names?",
        "1 MiB, and ten times what the names need; mounted",
        "ext4_dir_entry_2 in fs/ext4/ext4.h of Linux 6.12; e2fsck(8), -D",
        new_files.emptied,
    ),
    Rule(
        "chunks",
        "Can btrfs give chunks to data and metadata?",
        "under 1 MiB is in no chunk, and metadata has under 4 MiB or 1 % above the reserve, or"
        " data under 1 %; or statfs(2) calls nothing available; nearly, 80 % of metadata is used",
        "btrfs_statfs in fs/btrfs/super.c, fs/btrfs/block-rsv.c, should_alloc_chunk in"
        " fs/btrfs/block-group.c of Linux 6.12 (the 80 %); btrfs-balance(8)",
        no_space.metadata,
    ),
    Rule(
        "quota",
        "Are quotas used up?",
        "no block more fits under a hard limit (btrfs: 1 to 16 MiB), or the grace above a soft one"
        " is over",
        "quotactl(2)",
        no_space.quota,
    ),
    Rule(
        "deleted",
        "Is space taken by files without a name?",
        "1 % of the file system",
        "proc(5), /proc/PID/fd; inodes without a link on an image",
        accounts.deleted,
    ),
    Rule(
        "beyond_end",
        "Is space allocated behind the ends of files?",
        "1 % of the file system",
        "xfs(5), allocsize; fallocate(2)",
        accounts.beyond_end,
    ),
    Rule(
        "set_aside",
        "Does XFS set blocks aside for shared files?",
        "5 % of the file system, by stat(2), where nothing waits in the cache",
        "xfs_io(8), cowextsize; xfs_reflink_allocate_cow in fs/xfs/xfs_reflink.c of Linux 6.12",
        accounts.set_aside,
    ),
    Rule(
        "device",
        "Does the file system have all of its device?",
        "5 % of the file system lie behind its end, or of btrfs on too few devices for its RAID;"
        " or a device of btrfs is missing",
        "resize2fs(8), xfs_growfs(8), btrfs-filesystem(8); /sys/fs/btrfs/UUID/devinfo",
        accounts.device,
    ),
    Rule(
        "groups",
        "Has XFS far too many groups?",
        "400, of less than 64 GiB each",
        "the number from which on Fedora CoreOS makes its file system again"
        " (coreos/fedora-coreos-config#2565); the size to which Talos Linux holds them"
        " (siderolabs/talos#13828)",
        accounts.groups,
    ),
    Rule(
        "clusters",
        "Do small files waste blocks?",
        "5 % of the file system; of clusters by stat(2)",
        "ext4(5), bigalloc",
        accounts.clusters,
    ),
    Rule(
        "unseen",
        "Is space in use that no file here has?",
        "5 % of the file system, with 4 KiB taken off for each inode; mounted, from its top, and"
        " nothing refused but lost+found",
        "btrfs-subvolume(8); mount(8), --bind; proc(5), /proc/PID/mountinfo",
        unseen.unseen,
    ),
    Rule(
        "kept",
        "Does XFS keep much of what is free?",
        "5 % of the file system",
        "xfs_ag_resv.c in fs/xfs/libxfs of Linux 6.12; mkfs.xfs(8), rmapbt, reflink",
        accounts.kept,
    ),
    Rule(
        "host",
        "Can what is free be written?",
        "the file that holds it has holes, and where that is less is available than of them is free"
        " here",
        "stat(2) and statfs(2) of an image, or of the file behind a loop device (losetup(8))",
        no_space.host,
    ),
    Rule(
        "fragmentation",
        "Does fragmentation matter here?",
        "reading all files takes 1.1 times as long as from whole ones, or one listed file twice,"
        " and half a second longer",
        "the device models disk-2012 (rotating) and ssd-sata (not): fsgauge explain disk-2012",
        fragmentation.matters,
    ),
    Rule(
        "free_pieces",
        "Will new files be in pieces?",
        "5 % of the file system are free, half of it in pieces under 8 MiB, and reading it all"
        " takes twice as long as from one piece, and half a second longer",
        "the device models, as of fragmentation; redpanda-data/redpanda#31630",
        fragmentation.free_pieces,
    ),
    Rule(
        "df",
        "Why does df say something else?",
        "1 point of the share in use",
        "statfs(2), and what each file system counts in it",
        accounts.df,
    ),
)
_ORDER = ("stop", "attention", "fine")
_OF_NO_USE = {"deleted", "beyond_end", "set_aside", "unseen"}
"""What they tell of is given back without deleting a file."""


def consequences(scan: ScanResult) -> list[tuple[Rule, Consequence]]:
    """What follows from a scan, the gravest first; nothing does of one that was cut short."""
    if scan.ended == "interrupted":
        return []
    found = [(rule, said) for rule in RULES if (said := rule.find(scan)) is not None]
    if _OF_NO_USE & {rule.name for rule, _ in found}:
        found = [(rule, _second(said) if rule.name == "full" else said) for rule, said in found]
    return sorted(found, key=lambda pair: _rank(*pair))


def _second(said: Consequence) -> Consequence:
    """Of a full file system: before files are deleted, what is said below."""
    return replace(said, do=f"first see to the room of no use that is told below; then {said.do}")


def _rank(rule: Rule, said: Consequence) -> tuple[bool, int, bool]:
    """What is hidden comes first: the other answers are of the rest. That nothing is fragmented,
    without a file, comes last."""
    return rule != RULES[0], _ORDER.index(said.level), said.sentence == fragmentation.NO_FILE


__all__ = ["RULES", "Consequence", "Rule", "consequences"]
