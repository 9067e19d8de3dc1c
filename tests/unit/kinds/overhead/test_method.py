"""Plain loads on equal files: what the files have no room for."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.workload import method_of


def test_jobs_that_walk_have_a_block_each() -> None:
    """A plan was shown, and the engine refused the runs: its jobs go over parts of their own."""
    of = {"block_sizes": [1 << 20], "files": 2, "jobs": [1, 8]}
    walking = method_of(OverheadWorkload(patterns=["randread", "rw"], **of))
    walking.require_room(4 << 20, "the disk")
    with pytest.raises(InputError) as refused:
        walking.require_room(3 << 20, "the disk")
    assert "8 jobs of rw each go over a part of their own" in refused.value.what
    assert "the files hold 6 blocks of 1 MiB" in refused.value.what
    assert refused.value.next == "--set 'workload.jobs=[1]', or larger storage"
    method_of(OverheadWorkload(patterns=["randread"], **of)).require_room(1 << 20, "the disk")
