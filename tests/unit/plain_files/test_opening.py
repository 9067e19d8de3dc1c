"""An open folder is listed as it is now, whenever it was opened."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.plain_files.opening import entries_of, names_in


def test_what_was_made_since_it_was_opened_is_listed_too(tmp_path: Path) -> None:
    """btrfs ends an open folder's list where it ended when it was opened, until it is rewound."""
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        assert names_in(descriptor) == []
        (tmp_path / "since").touch()
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        assert names_in(descriptor) == ["since"]
        with entries_of(descriptor) as entries:
            assert [each.name for each in entries] == ["since"]
    finally:
        os.close(descriptor)
