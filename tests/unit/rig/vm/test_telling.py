"""What the controller adds to what guests tell: empty caches of other nodes, requests of disks."""

from __future__ import annotations

import json
from pathlib import Path

from fsgauge.record import RunRecord
from fsgauge.rig.rig import RunStarted
from fsgauge.rig.vm.arrangement.roles import arrangements
from fsgauge.rig.vm.arrangement.standing import Standing
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.qemu import Disk
from fsgauge.rig.vm.telling import Telling
from fsgauge.study.parse import load_study
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of
from tests.unit.rig.vm.test_guest_counting import CELL, TURN, record

DISK = Disk("disk0", Path("/none"))


def answers(node: FakeNode, order: Order) -> list[Reply | BaseException]:
    return [Reply(answer=json.dumps("printed"))]


def counts(reads: int) -> dict[str, dict[str, dict[str, int]]]:
    return {
        DISK.device: {"disk_requests": {"read": reads}, "disk_bytes": {"read": reads << 12}},
        "/machine/peripheral/root": {"disk_requests": {"read": 9}, "disk_bytes": {"read": 9}},
    }


def test_the_server_s_caches_are_dropped_before_a_run_and_all_disks_counted() -> None:
    server, load = (FakeNode(f"node{at}", answers, None, DISK) for at in (1, 2))
    group = group_of([server, load], server=0)
    study = load_study("sharing", [], [], None, 1)
    nfs = next(each for each in arrangements(study) if each.system.name == "nfs")
    told: list[object] = []
    telling = Telling(group, Standing(group, nfs, 1 << 20), told.append)
    for node in (server, load):
        node.monitor.counts = counts(10)
    telling(RunStarted(TURN, CELL))
    (order,) = [each for each in server.orders if each.do == "run"]
    assert "drop_caches" in order.words["text"] and load.orders == []
    server.monitor.counts = counts(17)
    telling(record())
    found = told[-1]
    assert isinstance(found, RunRecord)
    assert found.caches.startswith("node1: synced")
    assert {each.name: each.count for each in found.traffic} == {
        "disk_requests": 7,
        "disk_bytes": 7 << 12,
    }


def test_a_machine_alone_is_told_as_it_is() -> None:
    told: list[object] = []
    Telling(group_of([FakeNode("node1", answers)]), None, told.append)(record())
    assert told == [record()]
