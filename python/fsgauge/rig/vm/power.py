"""A node whose power was off, started again on the same disks, as a part of its group."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

from fsgauge.errors import FsgaugeError
from fsgauge.rig.vm.arrangement.environment import FOLDER
from fsgauge.rig.vm.arrangement.standing import Standing
from fsgauge.rig.vm.disks import device_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.messages import Order
from fsgauge.rig.vm.write_log import restore
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind
from fsgauge.units import format_size

_SECONDS = 300.0


def power_on(group: NodeGroup, at: int) -> list[str]:
    """Start it and wait until it is up, with its address and its disks' limits; gives what its
    disks have lost, in sentences."""
    node, words = group.nodes[at], []
    for disk in node.spec.disks:
        if disk.log is not None:
            kept = restore(disk.log, disk.image, disk.image.stat().st_size)
            disk.log.write_bytes(b"")
            if kept.lost + kept.kept:
                words.append(f"{disk.serial} lost {kept.lost} writes of {kept.lost + kept.kept}")
    if group.switch is None:
        node.power_on()
    else:
        own, of_machine = socket.socketpair()
        with of_machine:
            node.power_on(of_machine.fileno())
        group.switch.replace(at, own)
    node.wait_until_up()
    group.join_again(at)
    return words


def stands_again(group: NodeGroup, at: int, system: System, stood: Standing | None) -> str:
    """What of the system is on the node's disks after its power was off, in a sentence.

    A system that is set up over nodes goes on there; one that a node made for itself is mounted
    and looked at.
    """
    if stood is not None:
        mounting = stood.again(at)
        return f"it was set up again, and mounted in {mounting:.1f} s" if mounting else ""
    if not isinstance(find_kind(system.kind), FileSystem):
        return ""
    node = group.nodes[at]
    words = {
        "system": system.model_copy(update={"rig": None}).model_dump_json(),
        "device": device_of(node.spec.disks[0].serial),
        "folder": FOLDER,
        "anew": False,
    }
    try:
        node.ask(Order(do="stand", words=words), _SECONDS)
    except FsgaugeError as error:
        return f"it could not be mounted again: {'; '.join([error.what, *error.details[-1:]])}"
    try:
        found = json.loads(node.ask(Order(do="seen", words={"folder": FOLDER}), _SECONDS))
    finally:
        with suppress(FsgaugeError):
            node.ask(Order(do="fall", words={"folder": FOLDER}), _SECONDS)
    many = f"{found['files']} file" + "s" * (found["files"] != 1)
    return f"it was mounted again, with {many} of {format_size(found['bytes'])}"
