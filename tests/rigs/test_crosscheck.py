"""The engine and the real fio on real files: both do the same work, measured by both alike.

This machine is shared: only factors that no noise makes are tested, and no time.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.crosscheck import Asked, Listener, crosscheck
from fsgauge.crosscheck.agreement import CellAgreement
from fsgauge.crosscheck.sitting import paired
from fsgauge.engine.client import Engine
from fsgauge.machine.process.tool import find_tool
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.storage import RamStorage
from tests.needs import need
from tests.rigs.conftest import Scene

# Alone: their rates are compared, and work beside them would be in one of the two.
pytestmark = [pytest.mark.root, pytest.mark.alone]


@pytest.fixture(autouse=True)
def _fio_is_here() -> None:
    if find_tool("fio") is None:
        need("fio: apt-get install fio")


@pytest.mark.parametrize(("system", "pattern", "depth", "submit_batch"), [
    ("raw", "randwrite", 1, None),
    ("ext4", "randread", 32, 16),
    ("ext4", "rw", 8, None),
])  # fmt: skip
def test_both_tools_do_the_same(
    scene: Scene,
    rig: HostRig,
    engine: Engine,
    tmp_path: Path,
    system: str,
    pattern: str,
    depth: int,
    submit_batch: int | None,
) -> None:
    study = scene.study(
        {"name": system},
        patterns=[pattern],
        block_sizes=[4096],
        queue_depths=[depth],
        submit_batch=submit_batch,
        warm_up=50_000_000,
        duration=200_000_000,
    ).model_copy(update={"storage": RamStorage(size=64 << 20)})
    cells: list[CellAgreement] = []
    asked = Asked(
        paired(study, 4),
        rig=rig,
        results=tmp_path / "results",
        destroy=None,
        command=["test"],
        listener=Listener(run=lambda *_: None, cell=cells.append),
    )
    folder = crosscheck(asked)
    found = {each.metric: each for each in cells[0].agreements}
    assert 0.5 < found["iops"].ratio < 2, found["iops"]
    side = "write" if pattern == "randwrite" else "read"
    assert {"iops", f"{side}.mean", f"{side}.p50", "cpu"} <= found.keys()
    for path in folder.glob("runs/*/*-fio.json"):
        job = json.loads(path.read_text())["fio"]["jobs"][0]
        operations = (job["read"]["io_bytes"] + job["write"]["io_bytes"]) / 4096
        # fio counts operations when they begin and bytes when they end: a queue's worth differs.
        counted = job["read"]["total_ios"] + job["write"]["total_ios"]
        assert abs(operations - counted) <= depth
    # Where the engine submits in groups, fio is run as it submits by itself too.
    by_itself = list(folder.glob("runs/*/*-fio-by-itself.json"))
    in_groups = submit_batch is not None
    assert len(by_itself) == (4 if in_groups else 0)
    assert bool(cells[0].own_agreements) == in_groups
    assert scene.left() == []
