"""Blocks on machines of ours: void where one is lost, and each kernel in a machine of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fsgauge.engine.wire import Engine
from fsgauge.errors import RigError
from fsgauge.machine.facts.environment import capture_machine
from fsgauge.plan.turns import make_plan
from fsgauge.record.machine import StorageFacts
from fsgauge.record.records import Plan, RunRecord, SystemFacts, TurnRecord
from fsgauge.rig.fleet.messages import Described, HappeningMessage
from fsgauge.rig.happenings import BlockGivenUp, BlockVoid, NotRemoved, StepStarted, TurnStarted
from fsgauge.rig.session import Description
from fsgauge.rig.vm.arrangement.standing import Remains, TeardownError
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.rig.vm.session import MOST_REPEATS, VmSession
from fsgauge.study.model import DeviceStorage, Study, System
from fsgauge.study.parse import load_study
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of

SIZE_BYTES = 512 << 20
FACTS = SystemFacts(
    kind="ext4",
    mkfs_command=[],
    mkfs_output="",
    mount_source="",
    mount_options="",
    tunables={},
    size_bytes=SIZE_BYTES,
    free_bytes=None,
    block_size_bytes=None,
)
TARGET = {"kind": "files", "directory": "/x", "count": 16, "file_size_bytes": 1 << 20}
PANIC = ("console: Kernel panic", "console: RIP: 0010:f")


def described(name: str) -> Description:
    facts = StorageFacts(
        kind="device", sentence="", size_bytes=SIZE_BYTES, device_chain=[], cautions=[]
    )
    machine = capture_machine([], facts).model_copy(update={"name": name})
    build = Engine(version="1", profile="release", target="none", commit="none")
    return Description(SIZE_BYTES, build, [machine])


def turns_of(node: FakeNode, orders: list[Order] | None = None) -> list[int]:
    """The turns that a node was told to measure."""
    return [
        turn.turn
        for order in orders or node.orders
        if order.do == "block"
        for turn in Plan.model_validate_json(order.plan).turns
        if turn.block == order.block
    ]


def study(*overrides: str) -> Study:
    systems = ["usual=ext4", "other=ext4"]
    return load_study("overhead", list(overrides), systems, "loop:512MiB", 1)


class Scene:
    """A session with what was made for it, and what it told; machines are lost `losses` times."""

    def __init__(self, given: Study, losses: int = 0, *, makes: bool = False) -> None:
        self.nodes: list[FakeNode] = []
        self.told: list[object] = []
        self.said: list[str] = []
        self._losses, self._makes = losses, makes

        def start(kernel: str | None, has_logs: bool) -> NodeGroup:
            self.nodes.append(FakeNode(f"node{len(self.nodes) + 1}", self._answer, kernel))
            return group_of([self.nodes[-1]])

        self.session = VmSession(given, ["disk0"], start, self.said.append)
        self.session.prepare()
        self.plan = make_plan(given, size_bytes=SIZE_BYTES)

    def _answer(self, node: FakeNode, order: Order) -> list[Reply | BaseException]:
        """Each turn begins, and a step of it."""
        if order.do == "describe":
            return [Reply(answer=Described.dump_json(described(node.spec.name)).decode())]
        if order.do != "block":
            return [Reply(answer="null")]
        found: list[Reply | BaseException] = []
        for turn in turns_of(node, [order]):
            found.append(Reply(told=HappeningMessage(kind="turn started", turn=turn)))
            if self._makes:
                made = self._made(turn, order.block)
                found.append(Reply(told=HappeningMessage(kind="turn", turn=turn, record=made)))
            found.append(
                Reply(told=HappeningMessage(kind="step started", turn=turn, text="ageing"))
            )
            if self._losses:
                self._losses -= 1
                return [*found, NodeLostError("it panicked", details=PANIC)]
        return [*found, Reply(answer="null")]

    def _made(self, number: int, block: int) -> dict[str, Any]:
        """A record of a turn as a guest tells it."""
        turn = next(t for t in self.plan.turns if (t.block, t.turn) == (block, number))
        record = TurnRecord(
            block=block,
            turn=number,
            system=turn.system,
            again=turn.again,
            facts=FACTS,
            target=TARGET,
            start_state=[],
            started_unix_ns=0,
            prepare_ns=0,
            notes=[],
        )
        return record.model_dump(mode="json")

    def block(self, number: int = 0) -> None:
        self.session.block(self.plan, number, self.told.append)


def test_disks_are_limited_once_the_study_is_prepared() -> None:
    (node,) = Scene(study()).nodes
    assert node.monitor.limits == [("disk0", 500, 64 << 20)]


def test_the_page_learns_what_is_emulated_and_below() -> None:
    load, below = Scene(study()).session.describe().machines
    assert load.virtual_machine == "QEMU, emulated without KVM"
    assert load.storage is not None and "500 IOPS" in load.storage.sentence
    assert "processor too" in load.storage.cautions[0]
    assert (below.role, below.storage) == ("host", None)


def test_a_lost_machine_voids_its_block_and_a_new_one_measures_it() -> None:
    scene = Scene(study(), losses=1)
    scene.block()
    first, second = scene.nodes
    assert first.is_lost and len(turns_of(second)) == 4
    kinds = [type(each) for each in scene.told]
    turn = [TurnStarted, StepStarted]
    assert kinds == [*turn, BlockVoid, *turn * 4]
    assert scene.said == ["it panicked; console: Kernel panic"]
    (void,) = [each for each in scene.told if isinstance(each, BlockVoid)]
    assert void == BlockVoid(0, "it panicked", PANIC)


def test_a_block_is_tried_three_times_at_most() -> None:
    scene = Scene(study(), losses=9)
    with pytest.raises(NodeLostError):
        scene.block()
    assert len(scene.nodes) == MOST_REPEATS + 1


def test_what_a_lost_block_lacks_has_failed_and_the_study_goes_on() -> None:
    scene = Scene(study(), losses=MOST_REPEATS + 1, makes=True)
    scene.block()
    turns = [turn for turn in scene.plan.turns if turn.block == 0]
    after = scene.told[[type(each) for each in scene.told].index(BlockGivenUp) :]
    failed = [each for each in after if isinstance(each, RunRecord)]
    assert {(run.turn, run.cell.id) for run in failed} == {
        (turn.turn, cell) for turn in turns for cell in turn.cells
    }
    faults = {run.fault.what for run in failed if run.fault is not None}
    assert faults == {"it panicked; console: Kernel panic"}
    scene.block(1)
    assert len(turns_of(scene.nodes[-1])) == 4, "the next block is measured"


def test_two_blocks_that_are_lost_one_after_the_other_end_the_study() -> None:
    scene = Scene(study(), losses=MOST_REPEATS + 2, makes=True)
    scene.block()
    with pytest.raises(NodeLostError):
        scene.block(1)
    assert len(scene.nodes) == MOST_REPEATS + 2, "the second is not tried again"


def test_each_turn_is_measured_by_the_kernel_of_its_system() -> None:
    scene = Scene(study("system.other.rig.kernel=linux-image-2"))
    scene.block()
    usual, other = scene.nodes
    by_turn = {turn.turn: turn.system for turn in scene.plan.turns if turn.block == 0}
    assert {by_turn[turn] for turn in turns_of(usual)} == {"raw", "usual"}
    assert {by_turn[turn] for turn in turns_of(other)} == {"other"}
    told = [each.turn.turn for each in scene.told if isinstance(each, TurnStarted)]
    assert told == sorted(by_turn), "in the plan's order, whichever machine it is"
    roles = [each.role for each in scene.session.describe().machines]
    assert roles == ["load", "kernel linux-image-2", "host"]


def test_a_bare_disk_and_a_file_system_are_measured_on_one_volume_that_stands_to_the_end() -> None:
    """The published storage is a stripe of eight columns, and what is held against it is raw."""
    on = ["system.raw.rig.volume=stripe8", "system.usual.rig.volume=stripe8"]
    given = load_study("overhead", on, ["usual=ext4"], "loop:512MiB", 1)
    scene = Scene(given, losses=1, makes=True)
    scene.block()
    for node in scene.nodes:
        steps = [order.words["text"] for order in node.orders if order.do == "run"]
        assert len(steps) == 1 and "dmsetup create fsgauge" in steps[0]
        (prepare,) = [order for order in node.orders if order.do == "prepare"]
        storage = Study.model_validate_json(prepare.study).storage
        assert isinstance(storage, DeviceStorage) and storage.device == "/dev/mapper/fsgauge"
        assert not [order for order in node.orders if order.do in ("stand", "fall", "room")]
    assert len(scene.nodes) == 2, "the first was lost, and has another one with a volume"
    made = [each for each in scene.told if isinstance(each, TurnRecord)]
    assert {each.facts.details["set up"] for each in made if each.system == "raw"} == {
        "raw on a stripe of 8 columns of 1 MiB"
    }


class Stood:
    """A system that stands on the nodes and does as it is told."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        return lambda *_: ""


def test_a_system_that_cannot_be_removed_costs_none_of_the_runs_that_were_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was "not set up", or its whole block was void, after all of it had been measured."""
    scene, asked = Scene(study()), 0

    @contextmanager
    def standing(system: System, remains: Remains = lambda _: None) -> Iterator[Stood]:
        nonlocal asked
        asked += 1
        yield Stood()
        if asked == 1:
            scene.nodes[0].give_up()
            raise TeardownError("it is not removed", details=("umount: target is busy",))

    monkeypatch.setattr(scene.session, "_is_arranged", True)
    monkeypatch.setattr(scene.session, "_room_bytes", 1 << 30)
    monkeypatch.setattr(scene.session, "standing", standing)
    scene.block()
    first, second = scene.nodes
    assert len(turns_of(first)) == 1 and len(turns_of(second)) == 3
    assert not [each for each in scene.told if isinstance(each, BlockVoid | RunRecord)]
    (told,) = [each for each in scene.told if isinstance(each, NotRemoved)]
    assert told.turn == scene.plan.turns[0]
    assert told.because == "it is not removed; umount: target is busy"


def test_a_system_that_fails_and_cannot_be_removed_either_is_a_finding_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(study())

    @contextmanager
    def standing(system: System, remains: Remains = lambda _: None) -> Iterator[Stood]:
        yield Stood()
        remains(TeardownError("it is not removed", details=("umount: target is busy",)))
        raise RigError("a run failed")

    monkeypatch.setattr(scene.session, "_is_arranged", True)
    monkeypatch.setattr(scene.session, "_room_bytes", 1 << 30)
    monkeypatch.setattr(scene.session, "standing", standing)
    with pytest.raises(RigError, match="a run failed"):
        scene.block()
    (told,) = [each for each in scene.told if isinstance(each, NotRemoved)]
    assert told == NotRemoved(scene.plan.turns[0], "it is not removed; umount: target is busy")
    assert scene.said == ["it is not removed; umount: target is busy"]


def test_a_machine_that_does_not_come_up_voids_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was measured of the block counts; what it lacks is no fault of a system."""
    scene, is_first = Scene(study(), makes=True), True
    scene.block()
    before = len(scene.told)

    def not_up(*_: object) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            raise NotUpError("node1 is not up within 240 s")

    monkeypatch.setattr(scene.session, "_measure_block", not_up)
    scene.block(1)
    told = scene.told[before:]
    assert not [each for each in told if isinstance(each, BlockVoid)]
    codes = {each.fault.code for each in told if isinstance(each, RunRecord) and each.fault}
    assert codes == {"rig.not_up"}
