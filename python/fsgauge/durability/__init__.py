"""What a system gives up to be fast: options after which a crash, or a bad block, costs data.

One list, for the page, the answer, the findings and the plan. An option that only slows writes down
or changes when space is given (nodelalloc, notreelog, flushoncommit) is not in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

Place = Literal["mount", "mkfs", "kind", "tunable", "samba", "export"]
"""Where an option is given: after mount -o, to mkfs, by the choice of the file system itself, as a
setting of the kernel, in smb.conf, in exports."""
Guards = Literal["crash", "damage"]
"""Against what it protected: a crash or power failure, or a block that comes back changed."""

EXT4 = "kernel.org Documentation/admin-guide/ext4.rst"
EXT2 = "kernel.org Documentation/filesystems/ext2.rst"
XFS = "kernel.org Documentation/admin-guide/xfs.rst"
F2FS = "kernel.org Documentation/filesystems/f2fs.rst"
NILFS2 = "kernel.org Documentation/filesystems/nilfs2.rst"
OCFS2 = "kernel.org Documentation/filesystems/ocfs2.rst"
GFS2 = "gfs2(5)"
BLOCK = "kernel.org Documentation/ABI/stable/sysfs-block, queue/write_cache"
VM = "kernel.org Documentation/admin-guide/sysctl/vm.rst"
BTRFS = "btrfs(5)"
OVERLAY = "kernel.org Documentation/filesystems/overlayfs.rst"
SMB = "smb.conf(5)"
EXPORTS = "exports(5)"

NO_FLUSHES = "without flushes, a power failure may lose or damage data in the disk's cache"
OLD_DATA = "a crash may lose or expose old data"
NO_CHECKSUMS = "data have no checksums, so a damaged block reads as good"
UNCHECKED = "metadata have no checksums, so a damaged block reads as good"
INCONSISTENT = "a crash may leave the file system inconsistent, and fsck decides what is kept"
EARLY_COMMIT = "a commit may be on the disk before what it commits, and a crash may lose it"
EMPTY_FILES = "a file that is replaced by rename without fsync may be empty after a crash"
BAD_COMMITS = "the journal has no checksums, so a damaged commit is replayed as good"
IN_PLACE = f"files are overwritten in place, which a crash may tear; {NO_CHECKSUMS}"
NO_SYNC = "nothing is synced to the upper layer, so a crash may lose or damage all that was written"
KEPT_ONCE = "metadata are kept once, so a damaged block of them cannot be repaired"
NO_FLUSH_SENT = (
    "the kernel sends no flush to the device, so a power failure may lose what its cache holds"
)
CACHED_ALONE = (
    "each client caches as if it were alone, so files that two of them write may be damaged"
)
NO_STRICT_SYNC = (
    "the server answers a flush without one, so a crash of it may lose what clients synced"
)
ANSWERS_EARLY = "the server answers before data are on its disk, so a crash of it may lose them"


@dataclass(frozen=True)
class Weakening:
    """An option that weakens durability. `pattern` fits one option of its place, whole.

    `systems` are the kinds in which it means this; a mounted folder may be any of them. `more_than`
    is the default of an option with a number: only above it is anything given up; `zero_is_never`
    where 0 is more than any other. `called` is what people read where the option itself has no
    name.
    """

    place: Place
    systems: tuple[str, ...]
    pattern: str
    loses: str
    source: str
    guards: Guards = "crash"
    more_than: int | None = None
    zero_is_never: bool = False
    called: str = ""

    def amount(self, option: str) -> int:
        """Of an option with a number, how much of it; the more, the weaker."""
        found = re.fullmatch(self.pattern, option)
        if found is None or self.more_than is None:
            return 0
        return int(found["number"]) or (sys.maxsize if self.zero_is_never else 0)

    def fits(self, option: str) -> bool:
        """Whether `option` is this one, with a value that weakens."""
        if re.fullmatch(self.pattern, option) is None:
            return False
        return self.more_than is None or self.amount(option) > self.more_than


_EXT = ("ext3", "ext4", "ldiskfs")
_JOURNALED = ("ext4", "ldiskfs")
_SINGLE = r"(?:-m ?|--metadata[ =])(?i:single)"
_WRITE_CACHE = r"\S*queue/write_cache = (?:write through|none)"
_BTRFS = ("btrfs",)
WEAKENINGS: tuple[Weakening, ...] = (
    Weakening("mount", _EXT, r"nobarrier|barrier=0", NO_FLUSHES, EXT4),
    Weakening("mount", ("xfs",), r"nobarrier", NO_FLUSHES, XFS),
    Weakening("mount", _BTRFS, r"nobarrier", NO_FLUSHES, BTRFS),
    Weakening("mount", ("f2fs",), r"nobarrier|fsync_mode=nobarrier", NO_FLUSHES, F2FS),
    Weakening("mount", ("nilfs2",), r"nobarrier", NO_FLUSHES, NILFS2),
    Weakening("mount", ("ocfs2",), r"barrier=0", NO_FLUSHES, OCFS2),
    Weakening("mount", ("gfs2",), r"nobarrier", NO_FLUSHES, GFS2),
    Weakening("mount", _EXT, r"data=writeback", OLD_DATA, EXT4),
    Weakening("mount", ("ocfs2",), r"data=writeback", OLD_DATA, OCFS2),
    Weakening("mount", ("gfs2",), r"data=writeback", OLD_DATA, GFS2),
    Weakening("mount", _JOURNALED, r"journal_async_commit", EARLY_COMMIT, EXT4),
    Weakening("mount", _JOURNALED, r"noauto_da_alloc|auto_da_alloc=0", EMPTY_FILES, EXT4),
    *(
        Weakening(
            "mount",
            kinds,
            r"commit=(?P<number>[0-9]{1,9})",
            f"a crash loses more seconds of what nothing synced than by default ({usual})",
            source,
            more_than=usual,
        )
        for kinds, usual, source in (
            *((_EXT, 5, EXT4), (_BTRFS, 30, BTRFS)),
            *((("gfs2",), 30, GFS2), (("ocfs2",), 5, OCFS2)),
        )
    ),
    Weakening("mount", _JOURNALED, r"nojournal_checksum", BAD_COMMITS, EXT4, "damage"),
    Weakening("mount", _BTRFS, r"nodatasum", NO_CHECKSUMS, BTRFS, "damage"),
    Weakening("mount", _BTRFS, r"nodatacow", IN_PLACE, BTRFS),
    Weakening("mount", ("overlay",), r"volatile", NO_SYNC, OVERLAY),
    Weakening("kind", ("ext2",), r"", INCONSISTENT, EXT2, called="no journal"),
    Weakening(
        "kind",
        ("tmpfs", "ramfs"),
        r"",
        "a power failure loses everything",
        "kernel.org Documentation/filesystems/tmpfs.rst",
        called="memory in place of a disk",
    ),
    Weakening("mkfs", _EXT, r"(?:none \()?\^has_journal\)?", INCONSISTENT, "mke2fs(8), ext4(5)"),
    Weakening("mkfs", _EXT, r"(?:none \()?\^metadata_csum\)?", UNCHECKED, "ext4(5)", "damage"),
    Weakening("mkfs", ("xfs",), r"(?:-m)?crc=0", UNCHECKED, "mkfs.xfs(8)", "damage"),
    Weakening("mkfs", _BTRFS, _SINGLE, KEPT_ONCE, "mkfs.btrfs(8)", "damage"),
    Weakening("tunable", (), _WRITE_CACHE, NO_FLUSH_SENT, BLOCK),
    *(
        Weakening(
            "tunable",
            (),
            rf"\S*{name}_centisecs = (?P<number>[0-9]{{1,9}})",
            "a crash loses more seconds of what nothing synced than by default"
            f" ({name}: {usual} hundredths{'; at 0 until memory is short' * zero_is_never})",
            source,
            more_than=usual,
            zero_is_never=zero_is_never,
        )
        for name, usual, zero_is_never, source in (
            ("vm/dirty_expire", 3000, False, VM),
            ("vm/dirty_writeback", 500, True, VM),
            ("fs/xfs/xfssyncd", 3000, False, XFS),
        )
    ),
    Weakening("samba", (), r"fake oplocks = (?:yes|true|on|1)", CACHED_ALONE, SMB, "damage"),
    Weakening("samba", (), r"strict sync = (?:no|false|off|0)", NO_STRICT_SYNC, SMB),
    Weakening("export", (), r"async", ANSWERS_EARLY, EXPORTS),
)

MARK = "†"
"""Behind the name of a system that gives up durability."""
MEMORY = "the storage is memory, so a power failure loses everything on every system"
NEVER_SYNCED = (
    "nothing syncs what the load writes: a crash may lose it, and the time to make it durable is"
    " not measured"
)


ANY_KIND = ("mounted", "share")
"""Kinds under which any file system may be."""


@dataclass(frozen=True)
class SystemOptions:
    """How a system is made, as far as durability depends on it.

    `kind` is the file system's own where it is known. `mount` is as after -o, in force or asked
    for; `mkfs` the words given to it; `server` options and `tunables` by name; `export` as in
    exports(5), where it is known.
    """

    kind: str
    mount: str = ""
    mkfs: Sequence[str] = ()
    tunables: Mapping[str, str] = field(default_factory=dict)
    server: Mapping[str, str] = field(default_factory=dict)
    export: str = ""


@dataclass(frozen=True)
class Weak:
    """One thing that a system gives up: by which option, what that costs, where it is written; how
    much of it where the option has a number."""

    option: str
    loses: str
    source: str
    guards: Guards
    amount: int = 0


def made_by(system: Mapping[str, Any]) -> SystemOptions:
    """How a [[system]] of a study, or of a record, is made; what it does not say is as usual."""
    return SystemOptions(
        kind=str(system.get("kind") or system["name"]),
        mount=str(system.get("mount") or ""),
        mkfs=str(system.get("mkfs") or "").split(),
        tunables=dict(system.get("tunables") or {}),
        server=dict(system.get("server") or {}),
    )


def weakened(made: SystemOptions) -> list[Weak]:
    """What it gives up, in the order of the list of options; [] for a system with nothing weak."""
    given = dict(_given(made))
    found: dict[str, Weak] = {}
    for each in WEAKENINGS:
        if each.systems and made.kind not in (*each.systems, *ANY_KIND):
            continue
        for option in given[each.place]:
            if each.fits(option):
                shown = each.called or option
                weak = Weak(shown, each.loses, each.source, each.guards, each.amount(option))
                found.setdefault(shown, weak)
    return list(found.values())


def _given(made: SystemOptions) -> Iterator[tuple[Place, list[str]]]:
    """The options of each place, one by one; of what is given twice, the last."""
    yield "mount", _in_force(_words(made.mount))
    single = [word for part in made.mkfs for word in _words(part)]
    pairs = map(" ".join, pairwise(made.mkfs))
    yield "mkfs", _features(made.mkfs) if made.kind in _EXT else [*single, *pairs]
    yield "kind", [] if made.kind in ANY_KIND else [""]
    yield "tunable", [f"{name} = {value.strip()}" for name, value in made.tunables.items()]
    yield ("samba", [f"{name} = {value.strip()}".lower() for name, value in made.server.items()])
    yield "export", _words(made.export)


_FLAGS = r"(?:^|(?<= ))-[cDFjknqSvV]*?"
"""Of mke2fs: how a word begins whose last switch may have a value."""


def _features(words: Sequence[str]) -> list[str]:
    """What mke2fs is told behind -O: the last word on a feature holds, "none" takes all away. A
    journal that -j or -J asks for is made whatever they say."""
    text = " ".join(words)
    last = dict[str, str]()
    for word in _words(",".join(re.findall(rf"{_FLAGS}O ?(\S+)", text))):
        if word == "none":
            last |= {each: f"none (^{each})" for each in ("has_journal", "metadata_csum")}
        else:
            last[word.lstrip("^")] = word
    if re.search(rf"{_FLAGS}(?:j|J ?(?:\S*,)?(?:size|device)=)", text):
        last["has_journal"] = "has_journal"
    return list(last.values())


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text.strip()) if word]


def _in_force(options: Sequence[str]) -> list[str]:
    """Of an option and its opposite, or two values of one, the last: "nobarrier,barrier=1"."""
    last: dict[str, str] = {}
    for option in options:
        name = option.partition("=")[0]
        last.pop(_stem(name), None)
        last[_stem(name)] = option
    return list(last.values())


def _stem(name: str) -> str:
    """What an option is about: "barrier" of nobarrier, barrier=0 and barrier."""
    return name.removeprefix("no")
