"""What limited a rate: the emulated processor, a disk's limit, or neither."""

from __future__ import annotations

import pytest

from fsgauge.kinds.sharing.analysis.limits import by_place, limits_finding, share_of_test
from fsgauge.kinds.sharing.analysis.model import CellLimit
from fsgauge.stats.rig_limits import Limit, busiest, disk_shares, limits_of, ratios_limited
from fsgauge.traffic import DiskDone, Traffic
from fsgauge.wire import FinishResult, MachineProcessorTime, ProcessorTime
from tests.synthetic import make_study
from tests.synthetic.setting import MACHINE, with_result
from tests.unit.stats.one_run import ONE_CELL, one_run, result_of, tampered


def test_the_busiest_emulated_node_counts() -> None:
    time = MachineProcessorTime(busy_ns=99, total_ns=100)
    run = with_result(one_run(), result_of(one_run()).model_copy(update={"machine_cpu": time}))
    assert busiest(run, {MACHINE}) == pytest.approx(0.99)
    assert busiest(run, set()) is None


def done(name: str, limit: int, **counts: float) -> Traffic:
    """By disk, what it did."""
    disks = {
        disk: DiskDone(count=round(count), limit_per_second=limit) for disk, count in counts.items()
    }
    parts = {"read": sum(each.count for each in disks.values())}
    return Traffic(name=name, title="", unit="", parts=parts, of_disks=disks)


def test_a_disk_s_share_is_of_its_own_limit_in_requests_and_in_bytes() -> None:
    """A page had "disk's limit 147 %": the server's disk and the cache's were added up and held
    against what one of them may do."""
    run = one_run()
    seconds = (result_of(run).warm_up_ns + result_of(run).elapsed_ns) / 1e9
    assert disk_shares(run, "disk_requests") == {}
    counted = [
        done("disk_requests", 300, server=240 * seconds, cache=201 * seconds),
        done("disk_bytes", 8 << 20, server=4 * seconds * 2**20),
        Traffic(name="nfs_operations", title="", unit="", parts={"READ": 1}),
    ]
    with_traffic = run.model_copy(update={"traffic": counted})
    assert disk_shares(with_traffic, "disk_requests") == {
        "server": pytest.approx(0.8, rel=0.01),
        "cache": pytest.approx(0.67, rel=0.01),
    }
    assert disk_shares(with_traffic, "disk_bytes") == {"server": pytest.approx(0.5, rel=0.01)}


@pytest.mark.parametrize(
    ("requests", "mib", "says"),
    [(290, 1, "IOPS"), (20, 7.9, "bandwidth"), (20, 1, "neither"), (None, None, "unknown")],
)
def test_requests_and_bytes_are_limits_of_their_own(
    requests: float | None, mib: float | None, says: str
) -> None:
    study = make_study(**ONE_CELL)
    runs = []
    for run in study.runs:
        seconds = (result_of(run).warm_up_ns + result_of(run).elapsed_ns) / 1e9
        traffic = []
        if requests is not None and mib is not None:
            traffic = [
                done("disk_requests", 300, disk0=requests * seconds),
                done("disk_bytes", 8 << 20, disk0=mib * 2**20 * seconds),
            ]
        runs.append(run.model_copy(update={"traffic": traffic}))
    found = limits_of(study.study.plan, runs, study.before)
    assert {each.limit for each in found.values()} == {says}


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
