"""What fsgauge rig test tries, and what it makes of what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.rig.vm import qemu
from fsgauge.rig.vm import trials as module
from fsgauge.rig.vm.arrangement.roles import roles_of
from fsgauge.rig.vm.node import NodeLostError, NotUpError
from fsgauge.rig.vm.recipe import recipe
from fsgauge.rig.vm.trials import RigTest, RigTestResult, alike, chosen, outcomes, trials
from fsgauge.study.model import Study, System


def test_every_system_of_the_guest_is_tried() -> None:
    names = {each.name for each in trials()}
    assert set(recipe().kinds) <= names
    nfs = {f"{version} over {kind}" for version in ("nfs3", "nfs4") for kind in ("ext3", "xfs")}
    shared = {
        f"{kind} on {volume}, {nodes} nodes"
        for kind in ("ocfs2", "gfs2")
        for volume in ("shared", "iscsi-lvm")
        for nodes in (2, 3)
    }
    others = {"smb over ext4", "xfs on iscsi-lvm", "ext4 on stripe8", "vxfs", "overlay over ext4"}
    assert nfs | shared | others <= names
    assert len(names) == len(trials())


def test_a_word_chooses_all_that_have_it() -> None:
    assert {each.kind for each in chosen(["nfs3"])} == {"ext3", "ext4", "xfs"}
    assert [each.name for each in chosen(["gfs2 on shared, 3 nodes"])] == [
        "gfs2 on shared, 3 nodes"
    ]
    assert len(chosen([])) == len(trials())
    with pytest.raises(InputError, match="zfs") as error:
        chosen(["zfs"])
    assert "nfs4" in error.value.render()


def test_what_the_same_nodes_can_try_is_tried_on_them() -> None:
    groups = alike(chosen([]))
    assert sum(map(len, groups)) == len(trials())
    for group in groups:
        assert len({(each.nodes, each.has_server) for each in group}) == 1
    assert next(each for each in trials() if each.name == "nfs4 over xfs").nodes == 2
    assert next(each for each in trials() if each.name == "xfs on iscsi").has_server
    assert not next(each for each in trials() if each.name == "gfs2 on shared, 2 nodes").has_server


class Nodes:
    """In place of the rig: systems that work, do not, or take their nodes along."""

    def __init__(self, bad: dict[str, Exception]) -> None:
        self.bad = bad
        self.started_for: list[list[str]] = []

    @contextmanager
    def started(self, study: Study) -> Iterator[Nodes]:
        self.started_for.append([system.name for system in study.systems])
        assert roles_of(study).nodes == (2 if "nfs" in study.systems[0].name else 1)
        yield self

    def try_out(self, system: System) -> float:
        if system.name in self.bad:
            raise self.bad[system.name]
        return 1.5

    @contextmanager
    def standing(self, system: System) -> Iterator[None]:
        if system.name in self.bad:
            raise self.bad[system.name]
        yield


Run = Callable[..., tuple[list[RigTestResult], list[list[str]]]]


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Run:
    """What comes of trials on such nodes, and the systems that nodes were started for."""
    monkeypatch.setattr(module, "require_memory", lambda _: None)

    def run(
        bad: dict[str, Exception], *wanted: RigTest
    ) -> tuple[list[RigTestResult], list[list[str]]]:
        nodes = Nodes(bad)
        monkeypatch.setattr(module, "VmRig", lambda *_: nodes)
        monkeypatch.setattr(module, "require_machines", lambda: None)
        monkeypatch.setattr(module, "_proved", lambda *_: "written and read")
        return list(outcomes(wanted, None, lambda _: None)), nodes.started_for

    return run


def test_one_that_does_not_work_has_its_reason_and_the_others_go_on(tried: Run) -> None:
    bad = {"xfs": RigError("mkfs failed", details=("no room",))}
    found, started = tried(
        bad, RigTest("ext4"), RigTest("xfs"), RigTest("ext4", reached_by="overlay")
    )
    assert [each.fault for each in found] == ["", "mkfs failed; no room", ""]
    assert found[0].said == "made, mounted and filled" and found[0].seconds == 1.5
    assert len(started) == 1, "all on the same node"


def test_nodes_that_are_lost_are_replaced_once_and_then_for_the_others(tried: Run) -> None:
    bad = {"xfs": NodeLostError("the machine node1 has ended")}
    found, started = tried(bad, RigTest("ext4"), RigTest("xfs"), RigTest("btrfs"))
    assert [each.fault for each in found] == ["", "the machine node1 has ended", ""]
    assert started == [["ext4", "xfs", "btrfs"], ["xfs", "btrfs"], ["btrfs"]]


def test_other_numbers_of_nodes_are_other_nodes(tried: Run) -> None:
    _, started = tried({}, RigTest("ext4"), RigTest("ext4", reached_by="nfs4"))
    assert started == [["ext4"], ["nfs4 over ext4"]]


def test_machines_that_do_not_start_are_no_system_s_fault(tried: Run) -> None:
    bad = {"ext4": NotUpError("the machine node1 is not up within 240 s")}
    with pytest.raises(NotUpError, match="is not up"):
        tried(bad, RigTest("ext4"), RigTest("xfs"))


def test_without_qemu_the_command_is_named_and_no_system_is_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each system was said not to work, with no command, and the exit code was that of a system."""
    monkeypatch.setattr(qemu, "find_tool", lambda _: None)
    with pytest.raises(RigError, match="QEMU is not installed") as error:
        next(outcomes([RigTest("ext4"), RigTest("xfs")], None, lambda _: None))
    assert "apt-get install" in error.value.next and error.value.exit_code == 3


def test_nodes_that_memory_does_not_hold_leave_the_others_to_be_tried(
    tried: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hold(nodes: int) -> None:
        if nodes > 1:
            raise RigError("2 GiB of memory are available")

    monkeypatch.setattr(module, "require_memory", hold)
    nfs = RigTest("ext4", reached_by="nfs4")
    found, started = tried({}, RigTest("ext4"), nfs)
    assert [each.fault for each in found] == ["", "2 GiB of memory are available"]
    assert started == [["ext4"]]
