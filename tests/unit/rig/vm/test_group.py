"""Several nodes asked at once: by machines whose QEMU is a program of ours, and by fake ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.rig.vm import group as groups
from fsgauge.rig.vm.arrangement.roles import Roles
from fsgauge.rig.vm.disks import Limits
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.rig.vm.qemu import Disk
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of
from tests.unit.rig.vm.machine import fake_node

ANSWERS = """
say(hello=version)
for order in lines("port"):
    if order["do"] == "machine":
        say(said="half done")
        say(answer=json.dumps(name))
    if order["do"] == "room":
        say(fault={"kind": "InputError", "what": "no such folder"})
    if order["do"] == "now":
        time.sleep(600)
    if order["do"] == "ask":
        say(answer=json.dumps([name, order["question"], order["words"]]))
"""
ENDS = """
say(hello=version)
write("Kernel panic - not syncing: sysrq"); time.sleep(1); sys.exit(0)
"""
Up = Callable[..., NodeGroup]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    made: list[NodeGroup] = []

    def begin(*behaviours: str) -> NodeGroup:
        nodes = [
            fake_node(tmp_path, behaviour, name=f"node{at}")
            for at, behaviour in enumerate(behaviours, start=1)
        ]
        for node in nodes:
            node.start()
        made.append(NodeGroup(nodes, Roles(len(nodes), None, tuple(range(len(nodes))))))
        for node in nodes:
            node.wait_until_up()
        return made[-1]

    yield begin
    for each in made:
        each.end()


def test_an_order_reaches_all_and_each_answers(up: Up) -> None:
    group = up(ANSWERS, ANSWERS)
    heard: list[Reply] = []
    answers = group.give(dict.fromkeys((0, 1), Order(do="machine")), 60, heard.append)
    assert answers == {0: '"node1"', 1: '"node2"'}
    assert [reply.said for reply in heard] == ["half done"] * 2


def test_questions_of_the_fleet_are_answered_by_name(up: Up) -> None:
    group = up(ANSWERS, ANSWERS)
    found = group.ask_each({"node2": {"known": 3}, "node1": {"known": 4}}, "look", 60)
    assert found == {
        "node1": ["node1", "look", {"known": 4}],
        "node2": ["node2", "look", {"known": 3}],
    }


def test_a_refusal_is_raised_once_all_have_answered(up: Up) -> None:
    group = up(ANSWERS, ANSWERS)
    with pytest.raises(InputError, match="node1: no such folder"):
        group.give({0: Order(do="room"), 1: Order(do="machine")}, 60)
    assert group.tell_one(1, Order(do="machine"), 60) == '"node2"', "no answer is left over"


def test_a_node_that_ends_is_seen_while_another_one_is_waited_for(up: Up) -> None:
    """A server that has panicked answers no client, and none of them would ever come back."""
    group = up(ENDS, ANSWERS)
    with pytest.raises(NodeLostError) as error:
        group.tell_one(1, Order(do="now"), 600)
    assert "node1 has ended" in error.value.what
    assert "console: Kernel panic - not syncing: sysrq" in error.value.details
    assert group.is_lost


def test_what_the_listener_raises_aborts_all_that_are_waited_for() -> None:
    def answer(node: FakeNode, order: Order) -> list[Reply | BaseException]:
        return [Reply(said="on its way"), Reply(answer="null")]

    nodes = [FakeNode(f"node{at}", answer) for at in range(2)]

    def full(_: Reply) -> None:
        raise RigError("the disk for records is full")

    with pytest.raises(RigError, match="is full"):
        group_of(nodes).give(dict.fromkeys((0, 1), Order(do="machine")), 60, full)
    assert [node.aborted for node in nodes] == [1, 1]


def test_a_shared_disk_has_its_limits_once_for_all_nodes() -> None:
    disks = (Disk("disk0", Path("/none")), Disk("shared", Path("/none"), is_shared=True))
    nodes = [FakeNode(f"node{at}", lambda *_: [], None, *disks) for at in range(2)]
    group_of(nodes).limit(Limits(500, 1000))
    for node in nodes:
        assert node.monitor.limits == [("disk0", 500, 1000), ("shared", 250, 500)]


def test_a_block_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    node = FakeNode("node1", lambda *_: [Reply(answer=json.dumps("working"))])
    group = group_of([node])
    monkeypatch.setattr(groups.time, "monotonic", lambda: 100.0)
    group.end_asking_after(50)
    assert group.ask(["node1"], "look", 1.0) == {"node1": "working"}
    monkeypatch.setattr(groups.time, "monotonic", lambda: 151.0)
    with pytest.raises(NodeLostError, match="did not finish the block within 50 s"):
        group.ask(["node1"], "look", 1.0)
    assert group.is_lost


def test_people_hear_what_a_guest_says_but_not_of_its_own_disks() -> None:
    said: list[str] = []
    node: Any = FakeNode("node1", lambda *_: [])
    group = NodeGroup([node], Roles(1, None, (0,)), say=said.append)
    for sentence in (
        "reading /dev/vdd",
        "sampling /dev/vde for data",
        "node1: destroying /dev/vdd",
        "node1: a warning",
        "more",
    ):
        group.say(sentence)
    assert said == ["node1: a warning", "more"]
