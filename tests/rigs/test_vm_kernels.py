"""Two kernels are two systems of one block, each in a machine of its own. Fetches 70 MB."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.rig.vm.cache import kernels
from fsgauge.rig.vm.recipe import recipe
from fsgauge.store import read_results
from tests.needs import need, need_tool
from tests.rigs.virtual import SMALL, fsgauge

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def other_kernel() -> str:
    """A kernel of the archive next to the stock one."""
    need_tool("qemu-system-x86_64", "qemu-system-x86")
    done = fsgauge("rig", "build", "--kernel", "linux-image-none")
    offered = [
        word.strip(",")
        for word in done.stderr.split()
        if word.startswith("linux-image-") and word.strip(",").endswith("-amd64")
    ]
    stock = next(each.facts.package for each in kernels() if each.facts.recipe == recipe().key)
    others = [name for name in offered if name != stock and "-rt-" not in name]
    if not others:
        need(f"a second kernel of the archive: {done.stderr}")
    built = fsgauge("rig", "build", "--kernel", others[0])
    assert built.returncode == 0, built.stderr
    stock_again = fsgauge("rig", "build")
    assert stock_again.returncode == 0, stock_again.stderr
    return others[0]


def test_each_system_is_mounted_by_its_own_kernel(other_kernel: str, tmp_path: Path) -> None:
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", "--system", "usual=ext4", "--system", "other=ext4"),
        *("--set", f"system.other.rig.kernel={other_kernel}", *SMALL),
        *("--set", f"storage.directory={tmp_path}", "--results", str(tmp_path / "results")),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    stored = read_results(folder)
    assert len(stored.runs) == 8 and all(run.fault is None for run in stored.runs)
    by_system = {turn.system: turn.facts.details["kernel"] for turn in stored.turns}
    assert by_system["other"] == other_kernel != by_system["usual"]
    machines = {run.system: run.parts[0].machine for run in stored.runs}
    assert machines == {"raw": "node1", "usual": "node1", "other": "node2"}
    versions = {each.name: each.kernel for each in stored.before.machines}
    assert other_kernel.removeprefix("linux-image-") in versions["node2"]
    assert other_kernel.removeprefix("linux-image-") not in versions["node1"]


def test_a_kernel_that_is_not_built_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = fsgauge(
        *("run", "overhead", "--rig", "vm", "--system", "ext4", *SMALL),
        *("--set", "system.ext4.rig.kernel=linux-image-1.0", "--results", str(tmp_path)),
    )
    assert done.returncode == 3
    assert "fsgauge rig build --kernel linux-image-1.0" in done.stderr
