"""What files may fill: their share of the room, as far as what else is written leaves it."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.plan.cost import require_files_fit
from fsgauge.plan.space import layout_bytes
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
