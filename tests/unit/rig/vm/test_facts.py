"""What the virtual rig says of its machines on the first screen, and of a system as it was made."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.machine import LOAD
from fsgauge.rig.vm.arrangement.roles import arrangements
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.disks import limits_of
from fsgauge.rig.vm.facts import HOLDS, _as_virtual, as_made, sentence_of
from fsgauge.study.parse import load_study
from tests.synthetic import make_study
from tests.unit.rig.vm.fake_nodes import FakeNode, group_of


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (2, "of 2 virtual machines, of which node1 serves and 1 drives the load"),
        (3, "of 3 virtual machines, of which node1 serves and 2 drive the load"),
    ],
)
def test_the_nodes_are_counted_by_what_they_do(nodes: int, words: str) -> None:
    study = load_study("sharing", [f"rig.nodes={nodes}"], [], None, 1)
    assert words in sentence_of(study, 1, limits_of(study))


def test_the_limits_of_a_shared_disk_are_divided_and_said_to_be() -> None:
    """One node of `two-nodes` did 249 requests a second on "a disk limited to 500 IOPS"."""
    words = "of the limits of a shared disk each node has an equal part"
    for name, is_said in (("two-nodes", True), ("sharing", False)):
        study = load_study(name, [], [], None, 1)
        assert (words in sentence_of(study, 1, limits_of(study))) == is_said


def test_the_file_system_below_is_told_with_its_own_block_size() -> None:
    """statvfs of an NFS mount says 128 KiB, whatever the server's file system has."""
    study = load_study("sharing", [], [], None, 1)
    nfs = next(each for each in arrangements(study) if each.system.name == "nfs")
    group = group_of([FakeNode("node1", lambda *_: []), FakeNode("node2", lambda *_: [])], server=0)
    made = {"mkfs_command": ["mkfs.ext3"], "mkfs_output": "", "mount_options": "rw"}
    stood = SystemOverNodes(group, nfs, 1 << 20, facts={**made, "block_size_bytes": 1024})
    details = as_made(make_study().turns[0], group, stood).facts.details
    assert (details["mounted below"], details["block size below"]) == ("rw", "1 KiB")


@pytest.mark.parametrize("accelerator", ["tcg", "kvm"])
def test_the_first_screen_says_what_the_numbers_of_an_emulated_machine_hold_for(
    accelerator: str,
) -> None:
    """It was said among the findings alone, below the charts."""
    study = load_study("overhead-virtual", [], [], None, 1)
    node: Any = FakeNode("node1", lambda *_: [])
    node.accelerator = accelerator
    machine = _as_virtual(study, make_study().before.load, node, limits_of(study), LOAD)
    assert machine.storage is not None
    assert (HOLDS in machine.storage.sentence) == (accelerator == "tcg")
