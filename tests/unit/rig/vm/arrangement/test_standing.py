"""A system set up over nodes of ours: in which order, on which of them, and how it is undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import Interrupted, RigError
from fsgauge.rig.fleet.messages import Fault
from fsgauge.rig.vm.arrangement.roles import arrangement_of, arrangements, roles_of
from fsgauge.rig.vm.arrangement.standing import (
    NotReadyError,
    SystemOverNodes,
    TeardownError,
    standing,
)
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.in_force import NotInForceError
from fsgauge.rig.vm.messages import Order, Reply
from fsgauge.rig.vm.node import NodeLostError
from fsgauge.rig.vm.qemu import Disk
from fsgauge.study.model import Study
from fsgauge.study.rig_keys import RigKeys
from tests.unit.rig.vm.arrangement.given import ours, study
from tests.unit.rig.vm.fake_nodes import FakeNode

pytestmark = pytest.mark.usefixtures(ours.__name__)
SERVED = "system.ext4.rig.reached_by=served"
MADE = {"mkfs_command": ["mkfs.ext4"], "mkfs_output": "", "mount_options": "rw"}


class Scene:
    """Nodes that do what they are told, but for texts that fail or kill; `log` has what each was
    told, in order."""

    def __init__(self, given: Study) -> None:
        self.fails: set[str] = set()
        self.kills: set[str] = set()
        self.lost: dict[str, list[str]] = {}
        self.held: list[str] = []
        self.log: list[str] = []
        self.environments: dict[str, dict[str, str]] = {}
        self.study, self.roles = given, roles_of(given)
        own, shared = Disk("disk0", Path("/none")), Disk("shared", Path("/none"), is_shared=True)
        self.nodes = [
            FakeNode(f"node{at + 1}", self._answer, None, own, shared) for at in self.roles.all
        ]
        given_nodes: Any = self.nodes
        self.group = NodeGroup(given_nodes, self.roles)

    def stood(self) -> SystemOverNodes:
        (found,) = arrangements(self.study)
        with standing(self.group, found, 1 << 20) as stood:
            self.log.append("--")
        return stood

    def _answer(self, node: FakeNode, order: Order) -> list[Reply | BaseException]:
        if order.do in ("hold", "held"):
            self.held.append(f"{order.do} {node.spec.name}")
            if "held" in self.fails:
                return [Fault.of(RigError("the shell did not end")).raised(node.spec.name)]
            return [Reply(answer=json.dumps(self.lost.get(node.spec.name, [])))]
        text = str(order.words.get("text", order.do))
        self.log.append(f"{node.spec.name} {text}")
        if order.do == "run":
            self.environments[f"{node.spec.name} {text}"] = order.words["environment"]
        if text in self.kills:
            return [NodeLostError(f"{node.spec.name} panicked")]
        if text in self.fails:
            return [Fault.of(RigError("it failed", details=("why",))).raised(node.spec.name)]
        answer = MADE if order.do == "stand" else 5 << 20 if order.do == "room" else "printed"
        return [Reply(answer=json.dumps(answer))]


def test_a_served_file_system_is_made_exported_and_mounted_then_undone() -> None:
    scene = Scene(study(SERVED, nodes=3))
    stood = scene.stood()
    assert scene.log == [
        *("node1 stand", "node1 export", "node2 mount", "node3 mount", "--"),
        *("node3 umount", "node2 umount", "node1 unexport", "node1 fall"),
    ]
    assert stood.facts == MADE
    (stand,) = [each for each in scene.nodes[0].orders if each.do == "stand"]
    assert stand.words["folder"] == "/mnt/below"
    assert stand.words["device"] == "/dev/disk/by-id/virtio-disk0"


def test_a_file_system_of_several_nodes_is_made_once_and_mounted_by_turns() -> None:
    scene = Scene(study(systems=("a=clustered",), nodes=2))
    scene.stood()
    made = ["node1 mkfs", "node1 mount", "node2 mount", "--"]
    first = ["node1 blank", "node1 daemons", "node2 daemons", *made]
    assert scene.log == [*first, "node2 umount", "node1 umount"]
    scene.log.clear()
    scene.stood()
    assert scene.log[:5] == ["node1 blank", *made], "daemons go on"
    found = scene.environments["node2 mount"]
    assert found["DISK"] == found["SHARED"] == "/dev/disk/by-id/virtio-shared"
    assert (found["NODE"], found["NUMBER"], found["FIRST"]) == ("node2", "2", "node1")
    assert found["LOADS"] == "node1 node2" and found["SERVER"] == ""


def test_what_the_study_asks_of_mkfs_and_mount_is_in_the_environment() -> None:
    given = study(
        "system.a.mkfs=-b 4096", "system.a.mount=noatime", systems=("a=clustered",), nodes=2
    )
    scene = Scene(given)
    scene.stood()
    found = scene.environments["node1 mkfs"]
    assert (found["MKFS"], found["MOUNT"]) == ("-b 4096", ",noatime")
    assert found["REACHED_MOUNT"] == ""


def test_options_of_the_mount_that_reaches_it_are_in_the_environment() -> None:
    scene = Scene(study(SERVED, "system.ext4.rig.mount=tcp,rsize=32768", nodes=2))
    scene.stood()
    assert scene.environments["node2 mount"]["REACHED_MOUNT"] == ",tcp,rsize=32768"
    assert (
        "reached by Served with tcp,rsize=32768"
        in arrangement_of(scene.study, scene.study.systems[0]).words
    )


def test_a_volume_is_made_where_the_file_system_is() -> None:
    scene = Scene(study(SERVED, "system.ext4.rig.volume=stripe", nodes=2))
    scene.stood()
    assert scene.log[:2] == ["node1 make stripe", "node1 stand"]
    (stand,) = [each for each in scene.nodes[0].orders if each.do == "stand"]
    assert stand.words["device"] == "/dev/mapper/stripe"


def test_a_step_that_fails_is_named_and_what_was_made_is_undone() -> None:
    scene = Scene(study(SERVED, nodes=2))
    scene.fails = {"mount"}
    with pytest.raises(RigError) as error:
        scene.stood()
    assert '"ext4" is not set up (Served, step 2): node2: it failed' in error.value.what
    assert error.value.details == ("why",)
    assert scene.log[-2:] == ["node1 unexport", "node1 fall"]
    assert not scene.group.is_lost, "another system can be set up"


def test_what_a_node_does_not_say_in_time_as_a_system_is_set_up_is_no_fault_of_the_system() -> None:
    """It was "not set up", in the table of how often each system failed."""
    scene = Scene(study(SERVED, nodes=2))
    scene.fails = {"held"}
    with pytest.raises(NotReadyError, match="is in force cannot be asked: node1: the shell did"):
        scene.stood()
    assert scene.log[-2:] == ["node1 unexport", "node1 fall"]


def test_what_cannot_be_undone_makes_the_nodes_useless_and_is_no_loss_of_them() -> None:
    """It was called "not set up", after all of it had been measured."""
    scene = Scene(study(SERVED, nodes=2))
    scene.fails = {"unexport"}
    with pytest.raises(TeardownError, match=r"is not removed \(Served, step 1, undone"):
        scene.stood()
    assert scene.group.is_lost


def test_what_failed_first_is_raised_and_what_is_left_of_the_system_is_told_too() -> None:
    """It was passed over: the next system began on nodes with remains of this one."""
    scene = Scene(study(SERVED, nodes=2))
    scene.fails = {"umount"}
    (found,) = arrangements(scene.study)
    remains: list[TeardownError] = []
    with (
        pytest.raises(RigError, match=r"^a run failed$"),
        standing(scene.group, found, 1 << 20, remains.append),
    ):
        raise RigError("a run failed")
    (left,) = remains
    assert left.what.startswith('"ext4" is not removed (Served, step 2, undone): node2: it failed')
    assert scene.group.is_lost and "unexport" not in scene.log[-1]


def test_of_a_set_up_that_fails_what_was_done_has_to_go() -> None:
    """The step that failed need not be undone; the ones before it were done."""
    scene = Scene(study(SERVED, nodes=2))
    scene.fails = {"mount", "umount"}
    with pytest.raises(RigError, match="is not set up"):
        scene.stood()
    assert not scene.group.is_lost
    scene.fails = {"mount", "unexport"}
    with pytest.raises(RigError, match="is not set up"):
        scene.stood()
    assert scene.group.is_lost


def test_a_node_that_dies_while_the_system_is_removed_costs_nothing_that_was_measured() -> None:
    scene = Scene(study(SERVED, nodes=2))
    scene.kills = {"umount"}
    with pytest.raises(TeardownError, match="node2 panicked"):
        scene.stood()


def test_a_system_that_is_not_what_its_name_says_is_undone_and_says_what_is_lost() -> None:
    scene = Scene(study(SERVED, nodes=2))
    scene.lost = {"node2": ["node2: its cache has no daemon"]}
    with pytest.raises(NotInForceError, match=r'"ext4" was not what .*its cache has no daemon'):
        scene.stood()
    assert scene.log[-3:] == ["node2 umount", "node1 unexport", "node1 fall"]


def test_every_node_is_asked_once_it_stands_and_the_others_by_themselves_after_a_run() -> None:
    scene = Scene(study(SERVED, nodes=3))
    (found,) = arrangements(scene.study)
    with standing(scene.group, found, 1 << 20) as stood:
        assert scene.held == ["hold node1", "hold node2", "hold node3"]
        mounts = {
            at: [e["read"].split("'")[1].strip() for e in orders.words["held"]]
            for at, node in enumerate(scene.nodes)
            for orders in [next(each for each in node.orders if each.do == "hold")]
        }
        assert mounts == {0: ["/mnt/below"], 1: ["/mnt/system"], 2: ["/mnt/system"]}
        scene.held.clear()
        scene.lost = {"node1": ["node1: its server is gone"], "node2": ["node2: never asked here"]}
        assert stood.lost_beside() == ["node1: its server is gone"]
        assert scene.held == ["held node1"]
        with pytest.raises(NotInForceError, match="server is gone; node2"):
            stood.require_held()
        scene.held.clear()
        stood.let_go()
        assert stood.lost_beside() == [] and "held node1" not in scene.held


def test_on_a_node_that_is_lost_nothing_is_undone() -> None:
    scene = Scene(study(SERVED, nodes=2))
    scene.kills = {"mount"}
    with pytest.raises(NodeLostError, match="node2 panicked"):
        scene.stood()
    assert scene.log[-1] == "node2 mount"


def test_a_study_that_is_interrupted_leaves_the_nodes_to_their_end() -> None:
    scene = Scene(study(SERVED, nodes=2))
    (found,) = arrangements(scene.study)
    with pytest.raises(Interrupted), standing(scene.group, found, 1 << 20):
        scene.log.clear()
        raise Interrupted("Ctrl-C")
    assert scene.log == []


def test_scripts_run_on_a_node_and_the_least_room_counts() -> None:
    scene = Scene(study(SERVED, nodes=3))
    (found,) = arrangements(scene.study)
    with standing(scene.group, found, 1 << 20) as stood:
        assert stood.run(2, "ls /mnt/system") == "printed"
        assert stood.room_bytes() == 5 << 20
    assert scene.environments["node3 ls /mnt/system"]["FOLDER"] == "/mnt/system"


def test_a_system_is_mounted_anew_by_the_last_step_that_mounted_it() -> None:
    scene = Scene(study(SERVED, nodes=3))
    (found,) = arrangements(scene.study)
    with standing(scene.group, found, 1 << 20) as stood:
        stood.before_runs(RigKeys(nodes=2, remount=True))
    for node, name in zip(scene.nodes[1:], ("node2", "node3"), strict=True):
        (order,) = [each for each in node.orders if each.do == "remount"]
        (undo, away), (do, back) = order.words["orders"]
        assert (undo, away["text"], do, back["text"]) == ("run", "umount", "run", "mount")
        assert back["environment"]["NODE"] == name
    assert [each for each in scene.nodes[0].orders if each.do == "remount"] == []


def test_what_fsgauge_mounts_itself_is_not_made_anew() -> None:
    scene = Scene(study("system.ext4.rig.volume=stripe"))
    (found,) = arrangements(scene.study)
    with standing(scene.group, found, 1 << 20) as stood:
        stood.before_runs(RigKeys(nodes=2, remount=True))
    (order,) = [each for each in scene.nodes[0].orders if each.do == "remount"]
    (fall, where), (stand, words) = order.words["orders"]
    assert (fall, stand, words["anew"]) == ("fall", "stand", False)
    assert where["folder"] == words["folder"] == "/mnt/system"


def test_a_server_that_is_to_stay_warm_is_left_alone_and_the_record_says_so() -> None:
    scene = Scene(study(SERVED, nodes=3))
    (found,) = arrangements(scene.study)
    with standing(scene.group, found, 1 << 20) as stood:
        stood.before_runs(RigKeys(nodes=3, drop_caches=[]))
        assert stood.drop_caches() == "node1: caches kept"
        stood.before_runs(RigKeys(nodes=3))
        assert "dropped" in stood.drop_caches()
