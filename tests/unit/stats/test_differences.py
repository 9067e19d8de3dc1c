"""What differs between systems, in words."""

from __future__ import annotations

from fsgauge.stats.differences import words_of
from fsgauge.stats.results import Difference


def test_systems_of_one_value_are_named_together() -> None:
    """ "ext4 none, xfs inode64, logbsize=32k, btrfs subvol=/" was a row of commas."""
    options = "inode64, logbsize=32k"
    found = Difference(fact="options", values={"ext4": "none", "xfs": options, "xfs 2": options})
    assert words_of(found) == "options: none (ext4); inode64, logbsize=32k (xfs, xfs 2)"
