"""Faults carried out on nodes of ours while a run goes on, and what is told of that run."""

from __future__ import annotations

import threading
import time

import pytest

from fsgauge.errors import RigError
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import RunRecord
from fsgauge.record.strikes import Strike, StrikeKind
from fsgauge.rig.fleet.messages import HappeningMessage
from fsgauge.rig.happenings import LoadBegins
from fsgauge.rig.vm.disks import Limits
from fsgauge.rig.vm.faults import injection as module
from fsgauge.rig.vm.faults.injection import Injection
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.rig import VmRig
from fsgauge.rig.vm.session import VmSession
from fsgauge.study.parse import load_study
from fsgauge.study.rig_keys import FaultKeys
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of
from tests.unit.rig.vm.test_session import SIZE_BYTES, described, turns_of

MS = 10**6


def strike(kind: StrikeKind, at_ns: int = 20 * MS, for_ns: int = 50 * MS) -> Strike:
    return Strike(kind=kind, number=1, at_ns=at_ns, for_ns=for_ns)


def node() -> FakeNode:
    return FakeNode("node1", lambda node, order: [Reply(answer="null")])


def struck(found: FakeNode, *strikes: Strike, seconds: float = 0.3) -> Injection:
    group = group_of([found])
    group.limit(Limits(500, 64 << 20))
    system = load_study("overhead", [], ["ext4"], "loop:512MiB", 1).systems[-1]
    injection = Injection(group, strikes, system, None)
    injection.begin()
    injection.hear(LoadBegins(0.0))
    time.sleep(seconds)
    return injection


def test_a_slow_disk_is_slow_for_its_time_and_then_as_before() -> None:
    found = node()
    (done,) = struck(found, strike("slow_disk")).finish()
    assert [iops for _, iops, _ in found.monitor.limits] == [500, 50, 500]
    assert done.began_ns is not None and done.ended_ns is not None and not done.fault
    assert done.began_ns >= 20 * MS and done.ended_ns - done.began_ns >= 50 * MS


def test_a_disk_with_errors_is_mended_as_soon_as_the_run_is_over() -> None:
    found = node()
    injection = struck(found, strike("disk_error", for_ns=600 * 10**9))
    assert found.monitor.spoiled == ["disk0"]
    (done,) = injection.finish()
    assert found.monitor.spoiled == []
    assert done.ended_ns is not None and done.ended_ns < 60 * 10**9


def test_a_run_that_ends_before_its_fault_is_not_struck() -> None:
    (done,) = struck(node(), strike("slow_disk", at_ns=600 * 10**9), seconds=0.0).finish()
    assert done.began_ns is None and done.ended_ns is None


def test_a_fault_that_cannot_be_carried_out_says_why() -> None:
    found = node()
    found.monitor.refuses = "QEMU refuses blockdev-add"
    (done,) = struck(found, strike("disk_error")).finish()
    assert done.fault == "QEMU refuses blockdev-add" and done.began_ns is not None


def test_a_run_that_its_fault_has_ended_has_a_record_and_the_study_goes_on() -> None:
    """The guest breaks off in the struck run: all others are as they would be without it."""
    study = load_study("overhead", [], ["ext4"], "loop:512MiB", 1, baseline="ext4")
    cell = make_plan(study, size_bytes=SIZE_BYTES).cells[0]
    fault = FaultKeys(kind="disk_error", cell=cell.id, at=0, lasts=10**8)
    study = study.model_copy(update={"faults": [fault]})
    plan = make_plan(study, size_bytes=SIZE_BYTES, strikes=VmRig().strikes(study))
    nodes: list[FakeNode] = []
    told: list[object] = []

    def answer(of: FakeNode, order: Order) -> list[Reply | BaseException]:
        if order.do == "describe":
            return [Reply(answer=described(of.spec.name).model_dump_json())]
        if order.do != "block":
            return [Reply(answer="null")]
        (turn,) = turns_of(of, [order])
        made = _turn_record(study.systems[0].name, plan.struck[0].block, turn)
        return [
            Reply(told=HappeningMessage(kind="turn started", turn=turn)),
            Reply(told=HappeningMessage(kind="turn", turn=turn, record=made)),
            Reply(told=HappeningMessage(kind="run started", turn=turn, text=cell.id)),
            RigError("umount failed"),
        ]

    def start(kernel: str | None, has_logs: bool) -> NodeGroup:
        nodes.append(FakeNode(f"node{len(nodes) + 1}", answer, kernel))
        return group_of([nodes[-1]])

    session = VmSession(study, ["disk0"], start, lambda _: None)
    session.prepare()
    session.block(plan, plan.struck[0].block, told.append)
    (run,) = [each for each in told if isinstance(each, RunRecord)]
    assert run.fault is not None and run.fault.what == "umount failed"
    assert run.struck[0].strike.kind == "disk_error"
    assert len(nodes) == 2, "new ones, since nobody knows what these are"


def _turn_record(system: str, block: int, turn: int) -> dict[str, object]:
    facts = {
        "kind": "ext4",
        "mkfs_command": [],
        "mkfs_output": "",
        "mount_source": "",
        "mount_options": "",
        "tunables": {},
        "size_bytes": SIZE_BYTES,
        "free_bytes": None,
        "block_size_bytes": None,
    }
    return {
        "block": block,
        "turn": turn,
        "system": system,
        "again": False,
        "facts": facts,
        "target": {"kind": "files", "directory": "/mnt", "count": 1, "file_size_bytes": 1 << 20},
        "start_state": [],
        "started_unix_ns": 0,
        "prepare_ns": 0,
        "notes": [],
    }


def test_what_a_strike_has_started_lives_as_long_as_its_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """QEMU dies with the thread that started it: that thread must not end with the strike."""
    starters: list[threading.Thread] = []

    def on(*_: object) -> list[str]:
        starters.append(threading.current_thread())
        return ["disk0 lost 1 writes of 2"]

    monkeypatch.setattr(module, "power_on", on)
    monkeypatch.setattr(module, "stands_again", lambda *_: "")
    found = node()
    injection = struck(found, strike("power_off"))
    (done,) = injection.finish()
    assert done.back_ns is not None and done.words == ["disk0 lost 1 writes of 2"]
    (starter,) = starters
    assert starter.is_alive() and not found.is_away
    injection._group.end()
    starter.join(20)
    assert not starter.is_alive()
