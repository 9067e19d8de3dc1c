"""What the controller adds to what guests tell: empty caches of other nodes, requests of disks."""

from __future__ import annotations

import json
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.record.parts import DiskDone
from fsgauge.record.records import RunRecord
from fsgauge.record.strikes import Strike, Struck
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.vm.arrangement.roles import arrangement_of, arrangements
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.disks import Limits
from fsgauge.rig.vm.facts import Telling
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.qemu import Disk
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import RigKeys
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of
from tests.unit.rig.vm.test_around_runs import CELL, TURN, record

DISK = Disk("disk0", Path("/none"))


def answers(node: FakeNode, order: Order) -> list[Reply | BaseException]:
    return [Reply(answer=json.dumps("printed"))]


def counts(reads: int) -> dict[str, dict[str, dict[str, int]]]:
    return {
        DISK.device: {"disk_requests": {"read": reads}, "disk_bytes": {"read": reads << 12}},
        "/machine/peripheral/root": {"disk_requests": {"read": 9}, "disk_bytes": {"read": 9}},
    }


def telling_of_nfs(
    limits: Limits | None = None,
) -> tuple[FakeNode, FakeNode, Telling, list[object]]:
    """A server and a client of NFS, and what is told of them."""
    server, load = (FakeNode(f"node{at}", answers, None, DISK) for at in (1, 2))
    group = group_of([server, load], server=0)
    if limits is not None:
        group.limit(limits)
    study = load_study("sharing", [], [], None, 1)
    nfs = next(each for each in arrangements(study) if each.system.name == "nfs")
    told: list[object] = []
    return server, load, Telling(group, SystemOverNodes(group, nfs, 1 << 20), told.append), told


def test_the_server_s_caches_are_dropped_before_a_run_and_all_disks_counted() -> None:
    server, load, telling, told = telling_of_nfs()
    for node in (server, load):
        node.monitor.counts = counts(10)
    telling(RunStarted(TURN, CELL))
    (order,) = [each for each in server.orders if each.do == "run"]
    assert "drop_caches" in order.words["text"] and load.orders == []
    server.monitor.counts = counts(17)
    found = telling_result(telling, told)
    assert found.caches.startswith("node1: synced")
    assert {each.name: each.count for each in found.traffic} == {
        "disk_requests": 7,
        "disk_bytes": 7 << 12,
    }


def test_each_disk_is_counted_next_to_its_own_limit_and_without_its_flushes() -> None:
    """A page had "disk's limit 147 %": the server's disk and the cache's against one disk's limit,
    flushes included, which QEMU does not hold back."""
    limits = Limits(iops=300, bytes_per_second=8 << 20)
    server, load, telling, told = telling_of_nfs(limits)
    for node in (server, load):
        node.monitor.counts = counts(0)
    telling(RunStarted(TURN, CELL))
    for node, reads in ((server, 200), (load, 40)):
        node.monitor.counts = counts(reads)
        node.monitor.counts[DISK.device]["disk_requests"] |= {"write": 5, "flush": 60}
    found = telling_result(telling, told)
    asked = next(each for each in found.traffic if each.name == "disk_requests")
    assert asked.parts == {"read": 240, "write": 10, "flush": 120}
    assert asked.of_disks == {
        "node1 disk0": DiskDone(count=205, limit_per_second=300),
        "node2 disk0": DiskDone(count=45, limit_per_second=300),
    }
    moved = next(each for each in found.traffic if each.name == "disk_bytes")
    assert moved.of_disks["node1 disk0"].limit_per_second == 8 << 20


def telling_result(telling: Telling, told: list[object]) -> RunRecord:
    telling(record())
    found = told[-1]
    assert isinstance(found, RunRecord)
    return found


def test_of_a_shared_disk_each_node_has_its_part_of_the_limit() -> None:
    shared = Disk("disk0", Path("/none"), is_shared=True)
    nodes = [FakeNode(f"node{at}", answers, None, shared) for at in (1, 2)]
    group = group_of(nodes)
    assert group.limits_of(shared) is None
    group.limit(Limits(iops=500, bytes_per_second=64 << 20))
    assert group.limits_of(shared) == Limits(iops=250, bytes_per_second=32 << 20)
    assert all(node.monitor.limits == [("disk0", 250, 32 << 20)] for node in nodes)


def test_a_server_that_no_longer_serves_fails_the_run_and_one_that_is_late_does_not() -> None:
    said: list[Reply | BaseException] = [Reply(answer='["node1: its NFS server does not serve"]')]

    def server_says(_: FakeNode, order: Order) -> list[Reply | BaseException]:
        return list(said) if order.do == "held" else [Reply(answer='"x"')]

    server, load = FakeNode("node1", server_says, None, DISK), FakeNode("node2", answers)
    group = group_of([server, load], server=0)
    study = load_study("sharing", [], [], None, 1)
    nfs = next(each for each in arrangements(study) if each.system.name == "nfs")
    told: list[object] = []
    stood = SystemOverNodes(group, nfs, 1 << 20, held=(0, 1))
    found = telling_result(Telling(group, stood, told.append), told)
    assert found.fault is not None and found.fault.code == "system.not_in_force"
    assert found.fault.what.endswith("node1: its NFS server does not serve") and load.orders == []
    said[:] = [RigError("the shell did not end within 30 s")]
    found = telling_result(Telling(group, stood, told.append), told)
    assert found.fault is None and found.not_read[0].endswith("did not end within 30 s")


def test_a_machine_alone_is_told_as_it_is() -> None:
    told: list[object] = []
    Telling(group_of([FakeNode("node1", answers)]), None, told.append)(record())
    assert told == [record()]


def test_of_a_run_that_was_struck_no_requests_are_counted() -> None:
    """A node that was started again has counted from nothing since."""
    (node,) = nodes = [FakeNode("node1", answers, None, DISK)]
    group = group_of(nodes)
    (plain,) = arrangements(load_study("overhead", [], ["ext4"], "loop:512MiB", 1, baseline="ext4"))
    told: list[object] = []
    telling = Telling(group, SystemOverNodes(group, plain, 1 << 20), told.append)
    node.monitor.counts = counts(10)
    telling(RunStarted(TURN, CELL))
    node.monitor.counts = counts(2)
    slow = Strike(kind="slow_disk", number=1, at_ns=0, for_ns=1)
    telling(record().model_copy(update={"struck": [Struck(strike=slow)]}))
    found = told[-1]
    assert isinstance(found, RunRecord) and found.traffic == []


def test_a_cache_on_disk_is_emptied_by_all_steps_of_its_node() -> None:
    """FS-Cache's disk is made anew between the unmount and the mount; other systems stay."""
    for name, empties in (("nfs3-fscache", True), ("nfs3", False)):
        given = load_study("sharing", [], [], None, 1)
        system = next(each for each in given.systems if each.name == "nfs")
        assert system.rig is not None
        own = system.model_copy(update={"rig": system.rig.model_copy(update={"reached_by": name})})
        found = arrangement_of(given, own)
        nodes = [FakeNode(f"node{at}", answers, None, DISK) for at in (1, 2)]
        stood = SystemOverNodes(group_of(nodes, server=0), found, 1 << 20)
        stood.before_runs(RigKeys(nodes=2, drop_caches=["server", "disk"]))
        (order,) = [each for each in nodes[1].orders if each.do == "remount"]
        assert bool(order.words["orders"]) == empties  # none: those of the system before are gone
        if empties:
            texts = [words["text"].strip() for _, words in order.words["orders"]]
            assert [text.partition(" ")[0] for text in texts[:2]] == [
                "umount",
                "/usr/lib/fsgauge/client-cache",
            ]
            assert "client-cache start" in texts[2] and "mount -t nfs" in texts[3]
            assert "emptied" in order.words["done"]


def test_disks_that_are_not_counted_in_time_cost_a_run_these_counts_alone() -> None:
    """QEMU that answered late was told as a system that is not set up, and the run was lost."""
    load = FakeNode("node1", answers, None, DISK)
    group = group_of([load, FakeNode("node2", answers)], server=None)
    study = load_study("sharing", [], [], None, 1)
    nfs = next(each for each in arrangements(study) if each.system.name == "nfs")
    for before, after in (("", "late"), ("late", "")):
        told: list[object] = []
        telling = Telling(group, SystemOverNodes(group, nfs, 1 << 20), told.append)
        load.monitor.refuses = before
        telling(RunStarted(TURN, CELL))
        load.monitor.refuses = after
        found = telling_result(telling, told)
        assert found.fault is None and found.parts == record().parts and found.traffic == []
        assert found.not_read == ["what disks were asked for: late"]
