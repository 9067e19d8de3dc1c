"""Where overwrites are copied, profile `database` is written and leaves room for the copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.age.overwriting import file_system_of, mode_and_fill
from fsgauge.errors import InputError
from fsgauge.wire import AgeEnd, ChurnProfile, DatabaseProfile, OperationsEnd, StorageAgeEnd

DATABASE = DatabaseProfile()
FIVE = StorageAgeEnd(storage_age=5)


def test_defaults_follow_what_an_overwrite_does() -> None:
    assert mode_and_fill(DATABASE, "btrfs", None, None, FIVE) == ("write", 40.0)
    assert mode_and_fill(DATABASE, "btrfs", "direct", None, FIVE) == ("direct", 40.0)
    assert mode_and_fill(DATABASE, "ext4", None, None, FIVE) == ("fast", 80.0)
    assert mode_and_fill(ChurnProfile(), "btrfs", None, None, FIVE) == ("fast", 80.0)


def test_what_is_asked_for_stays() -> None:
    assert mode_and_fill(DATABASE, "xfs", "fast", 90.0, FIVE) == ("fast", 90.0)
    assert mode_and_fill(DATABASE, "btrfs", "write", 30.0, FIVE) == ("write", 30.0)


def test_fast_is_refused_with_its_reason() -> None:
    with pytest.raises(InputError, match="fast cannot overwrite on btrfs") as caught:
        mode_and_fill(DATABASE, "btrfs", "fast", None, FIVE)
    assert "holes would be punched" in caught.value.render()


@pytest.mark.parametrize(
    ("fill_percent", "end", "fits"),
    [
        (50.0, FIVE, True),
        (60.0, FIVE, False),
        (80.0, StorageAgeEnd(storage_age=1.2), True),
        (90.0, StorageAgeEnd(storage_age=1.2), False),
        (90.0, OperationsEnd(operations=100), True),
    ],
)
def test_a_fill_without_room_for_the_copies_is_refused(
    fill_percent: float, end: AgeEnd, fits: bool
) -> None:
    if fits:
        assert mode_and_fill(DATABASE, "btrfs", None, fill_percent, end)[1] == fill_percent
        return
    with pytest.raises(InputError, match="no room for overwrites") as caught:
        mode_and_fill(DATABASE, "btrfs", None, fill_percent, end)
    assert caught.value.next == "--fill 40%"


def test_the_file_system_of_a_folder_is_as_the_kernel_names_it() -> None:
    assert file_system_of(Path("/proc")) == "proc"
