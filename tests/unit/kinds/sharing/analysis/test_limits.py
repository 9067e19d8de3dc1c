"""What limited a rate: the emulated processor, a disk's limit, or neither."""

from __future__ import annotations

import pytest

from fsgauge.kinds.sharing.analysis.limits import (
    busiest,
    disk_share,
    limits_finding,
    share_of_test,
)
from fsgauge.kinds.sharing.analysis.model import CellLimit, Limit
from fsgauge.traffic import Traffic
from fsgauge.wire import FinishResult, MachineProcessorTime, ProcessorTime
from tests.synthetic import make_study
from tests.synthetic.setting import MACHINE, with_result
from tests.unit.stats.one_run import ONE_CELL, one_run, result_of, tampered

ALLOWED = {"disk_requests": 300.0, "disk_bytes": 8.0 * (1 << 20)}


def test_the_busiest_emulated_node_counts() -> None:
    time = MachineProcessorTime(busy_ns=99, total_ns=100)
    run = with_result(one_run(), result_of(one_run()).model_copy(update={"machine_cpu": time}))
    assert busiest(run, {MACHINE}) == pytest.approx(0.99)
    assert busiest(run, set()) is None


def test_a_disk_s_share_is_that_of_requests_or_of_bytes() -> None:
    run = one_run()
    seconds = result_of(run).elapsed_ns / 1e9
    counted = [
        Traffic(name="disk_requests", title="", unit="", parts={"read": round(30 * seconds)}),
        Traffic(name="disk_bytes", title="", unit="", parts={"read": round(4 * seconds * 2**20)}),
        Traffic(name="nfs_operations", title="", unit="", parts={"READ": 1}),
    ]
    assert disk_share(run, ALLOWED) is None
    with_traffic = run.model_copy(update={"traffic": counted})
    assert disk_share(with_traffic, ALLOWED) == pytest.approx(0.5, rel=0.05)


def limit(system: str, of: Limit) -> CellLimit:
    cell = make_study(**ONE_CELL).study.plan.cells[0].id
    shares = dict.fromkeys(("processor_share", "disk_share", "test_share"))
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
        ("disk", "neither", False),
        ("disk", "disk", True),
        ("emulator", "neither", True),
        ("neither", "emulator", True),
    ],
)
def test_a_ratio_is_the_rig_s_where_one_is_the_emulation_or_both_the_disk(
    theirs: Limit, ours: Limit, is_decided: bool
) -> None:
    plan = make_study(**ONE_CELL).study.plan
    other = next(each for each in plan.systems if each != plan.baseline)
    found = list(limits_finding([limit(plan.baseline, theirs), limit(other, ours)], plan))
    assert bool(found) == is_decided
