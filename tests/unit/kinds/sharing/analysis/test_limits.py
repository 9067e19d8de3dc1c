"""What limited a rate: the emulated processor, a disk's limit, or neither."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import FinishResult, ProcessorTime
from fsgauge.kinds.sharing.analysis.limits import by_place, limits_finding, share_of_test
from fsgauge.kinds.sharing.analysis.model import CellLimit
from fsgauge.stats.rig_limits import Limit, ratios_limited
from tests.synthetic import make_study
from tests.synthetic.setting import with_result
from tests.unit.stats.one_run import ONE_CELL, one_run, tampered


def limit(system: str, of: Limit) -> CellLimit:
    cell = make_study(**ONE_CELL).study.plan.cells[0].id
    shares = dict.fromkeys(("processor_share", "iops_share", "bandwidth_share", "test_share"))
    return CellLimit(cell=cell, system=system, limit=of, **shares)


def test_a_test_s_share_of_cpu_is_of_its_time_with_fsync_and_close() -> None:
    """Bonnie++ counts both in both: of 2 s of which 0.5 s were fsync, 0.5 s of CPU are 25 %."""
    run = one_run()
    whole = ProcessorTime(user_ns=200_000_000, system_ns=300_000_000, threads=1)
    finish = FinishResult(fsync_ns=500_000_000, close_ns=0, elapsed_ns=2_000_000_000, cpu=whole)
    changes = {"elapsed_ns": 1_500_000_000, "finish": finish}
    assert share_of_test(with_result(run, tampered(run, **changes))) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("theirs", "ours", "is_decided"),
    [
        ("neither", "neither", False),
        ("IOPS", "neither", False),
        ("IOPS", "IOPS", True),
        ("bandwidth", "bandwidth", True),
        ("bandwidth", "IOPS", False),
        ("unknown", "unknown", False),
        ("emulator", "neither", True),
        ("neither", "emulator", True),
    ],
)
def test_a_ratio_is_the_rig_s_where_one_is_the_emulation_or_both_meet_one_limit(
    theirs: Limit, ours: Limit, is_decided: bool
) -> None:
    plan = make_study(**ONE_CELL).study.plan
    other = next(each for each in plan.systems if each != plan.baseline)
    found = list(limits_finding([limit(plan.baseline, theirs), limit(other, ours)], plan))
    assert bool(found) == is_decided
    limits = [limit(plan.baseline, theirs), limit(other, ours)]
    assert bool(ratios_limited(by_place(limits), plan.baseline)) == is_decided
