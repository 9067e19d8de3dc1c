"""What files may fill: their share of the room, as far as what else is written leaves it."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.cost import require_files_fit
from fsgauge.plan.space import layout_bytes, planned_room
from fsgauge.study.parse import load_study

MIB = 1 << 20


def test_logs_that_leave_no_room_are_refused_by_the_plan_too() -> None:
    """The plan took 4 % of 128 MiB, and the run found no room next to a log of 256 MiB."""
    study = load_study("commits", ['workload.meanwhile=["backup"]'])
    assert layout_bytes(study, 1000 * MIB) == 40 * MIB
    assert layout_bytes(study, 260 * MIB) == 4 * MIB
    with pytest.raises(InputError, match="the log would have 0 B") as refused:
        require_files_fit(study, 128 * MIB)
    assert refused.value.cause == "one file has 4 % of 128 MiB, plus 256 MiB for logs"


def test_a_mix_on_a_system_that_copies_on_write_is_refused_by_the_plan() -> None:
    """The plan took its files for all that they need, and writes ended with ENOSPC."""
    both = ["workload.group.log.file_sizes=800MiB"]
    require_files_fit(load_study("mix", both), 2048 * MIB)
    with pytest.raises(InputError, match='on "btrfs", which keeps each'):
        require_files_fit(load_study("mix", both, ["ext4", "btrfs"]), 2048 * MIB)
    require_files_fit(load_study("mix", systems=["ext4", "btrfs"]), 2048 * MIB)


def test_a_room_says_whether_what_is_in_it_is_served() -> None:
    """A mix of small files over SMB was taken for one at the speed of local calls."""
    assert not planned_room(load_study("connections"), 1000 * MIB).is_served
    assert planned_room(load_study("connections", serve="samba"), 1000 * MIB).is_served
