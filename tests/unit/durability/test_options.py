"""Options that weaken durability, one by one, and those that do not."""

from __future__ import annotations

import re

import pytest

from fsgauge.durability.options import WEAKENINGS, Made, weakened
from fsgauge.pages import explain_metric

WEAK = [
    (Made("ext4", mount="rw,noatime,nobarrier"), "nobarrier"),
    (Made("ext3", mount="barrier=0"), "barrier=0"),
    (Made("xfs", mount="nobarrier"), "nobarrier"),
    (Made("btrfs", mount="nobarrier"), "nobarrier"),
    (Made("f2fs", mount="fsync_mode=nobarrier"), "fsync_mode=nobarrier"),
    (Made("nilfs2", mount="nobarrier"), "nobarrier"),
    (Made("ocfs2", mount="barrier=0"), "barrier=0"),
    (Made("ocfs2", mount="data=writeback"), "data=writeback"),
    (Made("gfs2", mount="nobarrier"), "nobarrier"),
    (Made("gfs2", mount="data=writeback"), "data=writeback"),
    (Made("ext4", mount="rw,data=writeback"), "data=writeback"),
    (Made("ext4", mount="journal_async_commit"), "journal_async_commit"),
    (Made("ext4", mount="noauto_da_alloc"), "noauto_da_alloc"),
    (Made("ext4", mount="commit=60"), "commit=60"),
    (Made("btrfs", mount="commit=120"), "commit=120"),
    (Made("btrfs", mount="nodatasum"), "nodatasum"),
    (Made("btrfs", mount="nodatacow"), "nodatacow"),
    (Made("overlay", mount="rw,lowerdir=/a,upperdir=/b,workdir=/c,volatile"), "volatile"),
    (Made("ext2", mount="rw"), "no journal"),
    (Made("tmpfs", mount="rw"), "memory for a disk"),
    (Made("ext4", mkfs=["-q", "-O", "^has_journal,extent", "/dev/loop0"]), "^has_journal"),
    (Made("ext4", mkfs=["-O", "^metadata_csum"]), "^metadata_csum"),
    (Made("xfs", mkfs=["-m", "crc=0,reflink=0"]), "crc=0"),
    (
        Made("ext4", tunables={"queue/write_cache": "write through"}),
        "queue/write_cache = write through",
    ),
    (Made("xfs", server={"strict sync": "No"}), "strict sync = no"),
    (Made("share", export="rw,async,wdelay"), "async"),
    (Made("mounted", mount="rw,data=writeback"), "data=writeback"),
]
SAFE = [
    Made("ext4", mount="rw,noatime,nodelalloc,data=ordered,commit=5,auto_da_alloc,barrier=1"),
    Made("ext4", mount="nobarrier,barrier=1"),
    Made("ext4", mount="data=writeback,data=journal"),
    Made("xfs", mount="noatime,logbufs=8,wsync"),
    Made("btrfs", mount="notreelog,flushoncommit,commit=30,compress=zstd"),
    Made("xfs", mount="commit=60", mkfs=["-m", "crc=1"]),
    Made("ext4", mkfs=["-O", "^has_journal_checks,extent"]),
    Made("xfs", server={"strict sync": "yes", "aio read size": "0"}),
    Made("share", export="rw,sync,wdelay"),
    Made("ext4", tunables={"queue/write_cache": "write back", "queue/scheduler": "none"}),
    Made("raw"),
]


@pytest.mark.parametrize(("made", "option"), WEAK, ids=[option for _, option in WEAK])
def test_an_option_that_weakens_is_found_with_its_reason(made: Made, option: str) -> None:
    (found,) = weakened(made)
    assert found.option == option
    assert found.loses and found.source


@pytest.mark.parametrize("made", SAFE, ids=str)
def test_what_gives_nothing_up_is_not_named(made: Made) -> None:
    assert weakened(made) == []


def test_every_entry_of_the_list_is_tried() -> None:
    """An entry without an example here may fit nothing."""
    found = {(weak.source, weak.loses) for made, _ in WEAK for weak in weakened(made)}
    assert found == {(each.source, each.loses) for each in WEAKENINGS}


def test_two_options_are_two_reasons_and_damage_is_no_crash() -> None:
    found = weakened(Made("btrfs", mount="nodatasum,nobarrier"))
    assert [(each.option, each.guards) for each in found] == [
        ("nobarrier", "crash"),
        ("nodatasum", "damage"),
    ]


def test_the_page_that_explains_it_names_every_option_and_source() -> None:
    page = explain_metric("durability")
    for made, option in WEAK:
        word = re.split(r"=\d|mem", option)[0]
        assert word in page, (made, option)
    for each in WEAKENINGS:
        written = re.split(r"[ /]", each.source.removeprefix("kernel.org ").partition(",")[0])[-1]
        assert written in page, each.source
