"""An open folder is listed as it is now, whenever it was opened; descriptors are closed again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.plain_files.opening import closing, entries_of, names_in


def test_what_was_made_since_it_was_opened_is_listed_too(tmp_path: Path) -> None:
    """btrfs ends an open folder's list where it ended when it was opened, until it is rewound."""
    with closing(os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)) as descriptor:
        assert names_in(descriptor) == []
        (tmp_path / "since").touch()
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        assert names_in(descriptor) == ["since"]
        with entries_of(descriptor) as entries:
            assert [each.name for each in entries] == ["since"]


def test_a_descriptor_is_closed_where_the_body_fails(tmp_path: Path) -> None:
    """The error of the body comes through, and the descriptor is free again."""
    descriptor = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    with pytest.raises(ValueError, match="within"), closing(descriptor):
        raise ValueError("within")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
