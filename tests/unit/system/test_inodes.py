"""The change that makes a system with more inodes keeps what the study asks of mkfs."""

from __future__ import annotations

import pytest

from fsgauge.study.model import System
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
