"""What limited a rate: the emulated processor, requests or bytes of one disk, or neither."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from fsgauge.engine.wire import MachineProcessorTime
from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.limit import RigLimit
from fsgauge.stats.rig_limits import busiest, disk_shares, limits_of, rig_limits
from tests.synthetic import make_study
from tests.synthetic.setting import MACHINE, with_result
from tests.unit.stats.one_run import ONE_CELL, one_run, result_of


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


def test_places_where_a_disk_met_its_limit_are_named_with_the_disk() -> None:
    """Two nodes did 1.99 times the reads of one: each has half of the disk's limit for itself."""
    study = make_study(**ONE_CELL).study
    (cell,) = study.plan.cells
    one, two = study.plan.systems[:2]
    met = RigLimit("IOPS", 0.2, 0.99, 0.1, "node1 disk0")
    free = RigLimit("neither", 0.2, 0.5, 0.1, "node1 disk0")
    evidence = Mock(spec=Evidence, study=study, limits={(cell.id, one): met, (cell.id, two): free})
    (found,) = rig_limits(evidence)
    assert found.sentence.startswith("A disk did all that its limit allows in 1 of 2 places")
    assert found.where == [f"{one}, {cell.name}: a disk's IOPS limit (node1 disk0)"]
    evidence.limits = {(cell.id, two): free}
    assert list(rig_limits(evidence)) == []
