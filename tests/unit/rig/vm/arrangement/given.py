"""Tables of systems of ours, and studies over them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from fsgauge.rig.vm.arrangement import refusing, roles
from fsgauge.rig.vm.recipe import DISK, SHARED, Tables, Volume
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

TEXT = """
[volume.stripe]
title = "a stripe"
disks = 2
device = "/dev/mapper/stripe"
[[volume.stripe.step]]
do = "make stripe"
undo = "remove stripe"

[volume.remote]
title = "a disk by network"
server = true
shared = true
device = "/dev/remote"
[[volume.remote.step]]
on = "server"
do = "target"
[[volume.remote.step]]
on = "loads"
do = "login"
undo = "logout"

[file_system.clustered]
title = "Clustered"
modules = ["clustered-fs"]
volume = "shared"
[[file_system.clustered.step]]
on = "loads"
once = true
do = "daemons"
[[file_system.clustered.step]]
on = "first"
do = "mkfs"
[[file_system.clustered.step]]
on = "loads"
by_turns = true
seconds = 9
do = "mount"
undo = "umount"

[file_system.old]
title = "Old"
read_only = true

[reached_by.served]
title = "Served"
server = true
[[reached_by.served.step]]
on = "server"
do = "export"
undo = "unexport"
[[reached_by.served.step]]
on = "loads"
do = "mount"
undo = "umount"

[reached_by.over]
title = "Over"
below = "all"
least_nodes = 2
[[reached_by.over.step]]
on = "loads"
do = "over $REACHED_MOUNT"
undo = "under"
"""


def given_tables() -> Tables:
    """Those above, and the volumes that every guest has."""
    found: dict[str, Any] = tomllib.loads(TEXT)
    found["volume"] |= {
        DISK: Volume(title="a disk of its own"),
        SHARED: Volume(title="one disk of all nodes", shared=True),
    }
    return Tables.model_validate(found)


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The guest has those tables."""
    found = given_tables()
    monkeypatch.setattr(roles, "tables", lambda: found)
    monkeypatch.setattr(refusing, "tables", lambda: found)
    yield


def study(*overrides: str, systems: tuple[str, ...] = ("ext4",), nodes: int = 1) -> Study:
    """Over so many nodes, without the bare disk."""
    words = [f"rig.nodes={nodes}"] if nodes > 1 else []
    return load_study(
        "overhead",
        [*words, *overrides],
        list(systems),
        "loop:512MiB",
        1,
        baseline=systems[0].partition("=")[0],
    )
