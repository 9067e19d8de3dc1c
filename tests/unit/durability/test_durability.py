"""Options that weaken durability, one by one, and those that do not."""

from __future__ import annotations

import re

import pytest

from fsgauge.durability import WEAKENINGS, SystemOptions, weakened
from fsgauge.pages import explain_metric

WEAK = [
    (SystemOptions("ext4", mount="rw,noatime,nobarrier"), "nobarrier"),
    (SystemOptions("ext3", mount="barrier=0"), "barrier=0"),
    (SystemOptions("xfs", mount="nobarrier"), "nobarrier"),
    (SystemOptions("btrfs", mount="nobarrier"), "nobarrier"),
    (SystemOptions("f2fs", mount="fsync_mode=nobarrier"), "fsync_mode=nobarrier"),
    (SystemOptions("nilfs2", mount="nobarrier"), "nobarrier"),
    (SystemOptions("ocfs2", mount="barrier=0"), "barrier=0"),
    (SystemOptions("ocfs2", mount="data=writeback"), "data=writeback"),
    (SystemOptions("gfs2", mount="nobarrier"), "nobarrier"),
    (SystemOptions("gfs2", mount="data=writeback"), "data=writeback"),
    (SystemOptions("ext4", mount="rw,data=writeback"), "data=writeback"),
    (SystemOptions("ext4", mount="journal_async_commit"), "journal_async_commit"),
    (SystemOptions("ext4", mount="noauto_da_alloc"), "noauto_da_alloc"),
    (SystemOptions("ext4", mount="commit=60"), "commit=60"),
    (SystemOptions("btrfs", mount="commit=120"), "commit=120"),
    (SystemOptions("btrfs", mount="nodatasum"), "nodatasum"),
    (SystemOptions("btrfs", mount="nodatacow"), "nodatacow"),
    (SystemOptions("overlay", mount="rw,lowerdir=/a,upperdir=/b,workdir=/c,volatile"), "volatile"),
    (SystemOptions("ext2", mount="rw"), "no journal"),
    (SystemOptions("tmpfs", mount="rw"), "memory in place of a disk"),
    (SystemOptions("ext4", mkfs=["-q", "-O", "^has_journal,extent", "/dev/loop0"]), "^has_journal"),
    (SystemOptions("ext4", mkfs=["-FO^metadata_csum"]), "^metadata_csum"),
    (SystemOptions("ext4", mkfs=["-O", "none", "-j"]), "none (^metadata_csum)"),
    (SystemOptions("ext4", mkfs=["-O", "none,metadata_csum"]), "none (^has_journal)"),
    (SystemOptions("xfs", mkfs=["-m", "crc=0,reflink=0"]), "crc=0"),
    (
        SystemOptions("ext4", tunables={"queue/write_cache": "write through"}),
        "queue/write_cache = write through",
    ),
    (
        SystemOptions("ext4", tunables={"queue/write_cache": "none"}),
        "queue/write_cache = none",
    ),
    (SystemOptions("gfs2", mount="commit=600"), "commit=600"),
    (SystemOptions("ocfs2", mount="commit=600"), "commit=600"),
    (SystemOptions("ext4", mount="nojournal_checksum"), "nojournal_checksum"),
    (SystemOptions("btrfs", mkfs=["-d", "single", "-m", "single"]), "-m single"),
    (SystemOptions("btrfs", mkfs=["--metadata=single"]), "--metadata=single"),
    (SystemOptions("btrfs", mkfs=["-m", "SINGLE"]), "-m SINGLE"),
    *(
        (SystemOptions("xfs", tunables={f"/proc/sys/{name}": value}), f"/proc/sys/{name} = {value}")
        for name, value in (
            ("vm/dirty_writeback_centisecs", "0"),
            ("vm/dirty_writeback_centisecs", "60000"),
            ("vm/dirty_expire_centisecs", "360000"),
            ("fs/xfs/xfssyncd_centisecs", "720000"),
        )
    ),
    (SystemOptions("share", server={"Fake Oplocks": "Yes"}), "fake oplocks = yes"),
    (SystemOptions("xfs", server={"strict sync": "No"}), "strict sync = no"),
    (SystemOptions("share", export="rw,async,wdelay"), "async"),
    (SystemOptions("mounted", mount="rw,data=writeback"), "data=writeback"),
]
SAFE = [
    SystemOptions(
        "ext4", mount="rw,noatime,nodelalloc,data=ordered,commit=5,auto_da_alloc,barrier=1"
    ),
    SystemOptions("ext4", mount="nobarrier,barrier=1"),
    SystemOptions("ext4", mount="data=writeback,data=journal"),
    SystemOptions("xfs", mount="noatime,logbufs=8,wsync"),
    SystemOptions("btrfs", mount="notreelog,flushoncommit,commit=30,compress=zstd"),
    SystemOptions("xfs", mount="commit=60", mkfs=["-m", "crc=1"]),
    SystemOptions("ext4", mkfs=["-O", "^has_journal_checks,extent"]),
    SystemOptions("xfs", server={"strict sync": "yes", "aio read size": "0"}),
    SystemOptions("share", export="rw,sync,wdelay"),
    SystemOptions("ext4", tunables={"queue/write_cache": "write back", "queue/scheduler": "none"}),
    SystemOptions("ext4", mkfs=["-O", "^has_journal,has_journal"]),
    SystemOptions("ext4", mkfs=["-L", "none"]),
    *(
        SystemOptions("ext4", mkfs=["-O", "^has_journal", *each])
        for each in (["-J", "size=64"], ["-Jsize=64"], ["-qj"])
    ),
    SystemOptions("ext4", mkfs=["-O", "none,has_journal,metadata_csum"]),
    SystemOptions("btrfs", mkfs=["-m", "dup", "-d", "single"]),
    SystemOptions("gfs2", mount="commit=30"),
    SystemOptions("xfs", tunables={"/proc/sys/vm/dirty_expire_centisecs": "3000"}),
    SystemOptions("raw"),
]


@pytest.mark.parametrize(("made", "option"), WEAK, ids=[option for _, option in WEAK])
def test_an_option_that_weakens_is_found_with_its_reason(made: SystemOptions, option: str) -> None:
    (found,) = weakened(made)
    assert found.option == option
    assert found.loses and found.source


@pytest.mark.parametrize("made", SAFE, ids=str)
def test_what_gives_nothing_up_is_not_named(made: SystemOptions) -> None:
    assert weakened(made) == []


def test_every_entry_of_the_list_is_tried() -> None:
    """An entry without an example here may fit nothing."""
    found = {(weak.source, weak.loses) for made, _ in WEAK for weak in weakened(made)}
    assert found == {(each.source, each.loses) for each in WEAKENINGS}


def test_two_options_are_two_reasons_and_damage_is_no_crash() -> None:
    found = weakened(SystemOptions("btrfs", mount="nodatasum,nobarrier"))
    assert [(each.option, each.guards) for each in found] == [
        ("nobarrier", "crash"),
        ("nodatasum", "damage"),
    ]


def test_features_of_mke2fs_come_after_each_other() -> None:
    """As it makes them: without a journal, in all."""
    for words, named in (
        (["-O", "none,extent"], ["none (^has_journal)", "none (^metadata_csum)"]),
        (
            ["-O", "^has_journal,^metadata_csum", "-O", "fast_commit"],
            ["^has_journal", "^metadata_csum"],
        ),
        (["-O", "^has_journal", "-J", "fast_commit_size=64"], ["^has_journal"]),
    ):
        assert [each.option for each in weakened(SystemOptions("ext4", mkfs=words))] == named


def test_the_page_that_explains_it_names_every_option_and_source() -> None:
    page = explain_metric("durability")
    for made, option in WEAK:
        word = re.split(r" ?= ?\d|mem|\)", option.removeprefix("none ("))[0]
        assert word.lower() in page.lower(), (made, option)
    for each in WEAKENINGS:
        written = re.split(r"[ /]", each.source.removeprefix("kernel.org ").partition(",")[0])[-1]
        assert written in page, each.source
