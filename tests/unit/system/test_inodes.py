"""The change that makes a system with more inodes keeps what the study asks of mkfs."""

from __future__ import annotations

import pytest

from fsgauge.study.model import System
from fsgauge.system.ext import EXT4
from fsgauge.system.inodes import made_with_inodes

GIB = 1 << 30


@pytest.mark.parametrize(
    ("system", "change"),
    [
        (System(name="ext4", kind="ext4"), "--set 'system.ext4.mkfs=-N 100011'"),
        (
            System(name="small inodes", kind="ext4", mkfs="-I 128"),
            "--set 'system.small inodes.mkfs=-I 128 -N 100011'",
        ),
        (System(name="xfs", kind="xfs", mkfs="-i maxpct=1"), ""),
        (System(name="m", kind="mounted", path="/mnt"), ""),
    ],
)
def test_the_change(system: System, change: str) -> None:
    assert made_with_inodes(system, GIB)(100_000) == change


@pytest.mark.parametrize(("options", "left"), [(["-N", "5"], 0), (["-N", "100"], 89)])
def test_no_fewer_than_none_are_left(options: list[str], left: int) -> None:
    assert EXT4.inodes_made(GIB, options) == left
