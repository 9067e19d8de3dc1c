"""Nodes of ours append to real files while one of them is struck; and nodes as agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.agents.agent import Agent
from fsgauge.agents.agents import AgentLostError
from fsgauge.coherence.on_nodes import NodeAgents
from fsgauge.failure import carrying_out as module
from fsgauge.failure.carrying_out import Surviving, longest_pause
from fsgauge.record.strikes import Strike
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import NodeLostError
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of

MS = 10**6
CUT = Strike(kind="link_cut", number=2, at_ns=50 * MS, for_ns=100 * MS)
Change = Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None]
"""What becomes of an answer to a step; None where there is none."""


def node(name: str, folder: Path, change: Change = lambda step, answer: answer) -> FakeNode:
    agent = Agent(str(folder / "work"))

    def answer(node: FakeNode, order: Order) -> list[Reply | BaseException]:
        step = order.words["step"]
        changed = change(step, agent.done(step))
        return [] if changed is None else [Reply(answer=json.dumps(changed))]

    return FakeNode(name, answer)


def stood_on(*nodes: FakeNode) -> Any:
    return SimpleNamespace(group=group_of(list(nodes)), found=SimpleNamespace(system=None))


def carried_out(*nodes: FakeNode) -> Surviving:
    surviving = Surviving(stood_on(*nodes), CUT, "work")
    surviving.carried_out()
    return surviving


def test_both_go_on_and_all_that_was_synced_is_read_by_both(tmp_path: Path) -> None:
    done = carried_out(node("node1", tmp_path), node("node2", tmp_path))
    assert done.struck is not None and done.struck.ended_ns is not None
    first, second = done.nodes[0], done.nodes[1]
    assert (first.is_struck, second.is_struck) == (False, True)
    for each in (first, second):
        assert each.lost == {"node1": 0, "node2": 0} and not each.is_stuck
        assert len(each.synced) >= 10
        pause = longest_pause(each.synced, (done.struck.began_ns or 0) / 1e9)
        assert pause is not None and pause < 1.0


def test_records_that_a_reader_misses_and_errors_are_counted(tmp_path: Path) -> None:
    failed: list[object] = []

    def forgets(step: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        if step["do"] == "append" and not failed:
            failed.append(step)
            return {"error": "EIO"}
        if step["do"] == "records":
            return {**answer, "records": answer["records"][:-2], "torn": 1}
        return answer

    done = carried_out(node("node1", tmp_path), node("node2", tmp_path, forgets))
    assert done.nodes[0].lost == {"node1": 0, "node2": 2}
    assert done.nodes[0].torn == {"node1": 0, "node2": 1}
    assert [name for name, _ in done.nodes[1].errors] == ["EIO"]


def test_a_node_that_never_answers_again_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AFTER_SECONDS", 0.3)
    monkeypatch.setattr(module, "_SETTLE_SECONDS", 0.3)

    def hangs(step: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any] | None:
        return None if step.get("first") == 2 else answer

    done = carried_out(node("node1", tmp_path), node("node2", tmp_path, hangs))
    assert done.nodes[1].is_stuck and len(done.nodes[1].synced) == 2
    assert done.nodes[1].lost == {"node1": 0}, "read by the other one alone"
    assert not done.nodes[0].is_stuck


def test_steps_go_to_the_nodes_that_drive_the_load(tmp_path: Path) -> None:
    nodes = [node(f"node{at}", tmp_path) for at in range(1, 4)]
    group = group_of(nodes, server=0)
    agents = NodeAgents(group, "work")
    assert list(agents.names) == ["node2", "node3"]
    assert agents.ask({1: {"do": "make"}}, 5) == {1: {}}
    assert [len(each.orders) for each in nodes] == [0, 0, 1]
    assert nodes[2].orders[0].words["folder"] == "/mnt/system/work"


def test_a_node_that_is_lost_is_a_lost_hand(tmp_path: Path) -> None:
    error = NodeLostError("the machine node2 did not finish (agent) within 5 s")
    lost = FakeNode("node2", lambda node, order: [error])
    group = group_of([node("node1", tmp_path), lost])
    agents = NodeAgents(group, "work")
    with pytest.raises(AgentLostError, match="did not finish") as raised:
        agents.ask({1: {"do": "make"}}, 5)
    assert not raised.value.has_ended
