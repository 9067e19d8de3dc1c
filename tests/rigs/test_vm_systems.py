"""Systems over nodes of the virtual rig, each set up, written on one node and read on another.

Real machines, emulated where KVM does not work: a few systems in make test-all, and all of them in
make test-rig, a quarter of an hour.
"""

from __future__ import annotations

import re

import pytest

from fsgauge.rig.vm.trials import trials
from tests.rigs.virtual import WHOLE, fsgauge

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("guest")]
FEW = ["f2fs", "vxfs", "overlay over ext4"]
"""On one node: test_vm_sharing.py has a server with a client, test_vm_nodes.py a shared disk."""


@pytest.fixture(scope="module")
def lines(guest: None) -> dict[str, str]:
    """What is said of each system: of all in make test-rig, else of a few."""
    said = fsgauge("rig", "test", *([] if WHOLE else FEW), seconds=3000)
    assert said.returncode in (0, 1), said.stdout + said.stderr
    names = sorted((each.name for each in trials()), key=len, reverse=True)
    found = {}
    for line in said.stdout.splitlines():
        name = next((name for name in names if line.startswith(f"{name}  ")), None)
        if name is not None:
            found[name] = line.removeprefix(name).strip()
    return found


def test_what_one_node_wrote_another_one_reads(lines: dict[str, str]) -> None:
    tried = [each for each in trials() if WHOLE or each.name in FEW]
    assert set(lines) == {each.name for each in tried}
    for each in tried:
        if each.known:
            continue  # it may work on another kernel, and has its reason where it does not
        said = lines[each.name]
        assert re.search(r", in [0-9]+\.[0-9] s$", said), f"{each.name}: {said}"
        on_another = each.loads > 1 or each.reached_by in ("nfs3", "nfs4", "smb")
        assert said.startswith("written on one node, read on another") or not on_another, said


@pytest.mark.skipif(not WHOLE, reason="make test-rig tries NFS with a cache")
def test_what_was_read_once_is_read_from_the_cache(lines: dict[str, str]) -> None:
    cached = {name: said for name, said in lines.items() if "-fscache" in name}
    assert cached
    for said in cached.values():
        found = re.search(r"the first read took ([0-9]+) NFS READs, the second 0", said)
        assert found is not None and int(found[1]) > 0, said
