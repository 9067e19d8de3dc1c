"""Systems of a block side by side on real loop devices, memory and folders; nothing stays."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fsgauge.machine.facts.mounts import mounts
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import RunRecord
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.rig import design_of
from fsgauge.study.model import RamStorage, Study
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import measured

pytestmark = pytest.mark.root
SHORT = {
    "patterns": ["randread", "randwrite"],
    "block_sizes": [4096],
    "queue_depths": [1],
    "warm_up": 50_000_000,
    "duration": 800_000_000,
}


def beside(study: Study) -> Study:
    plan = study.plan.model_copy(update={"blocks": 2, "side_by_side": "true"})
    return study.model_copy(update={"plan": plan})


def by_time(runs: list[RunRecord]) -> list[RunRecord]:
    """A run for each of its slices, in order of time."""
    at = [
        (run.started_unix_ns + each.start_ns, number, run)
        for number, run in enumerate(runs)
        for each in run.parts[0].slices
    ]
    return [run for _, _, run in sorted(at, key=lambda each: each[:2])]


def test_every_kind_of_system_at_once(scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    """Each has a device of its own while it is measured, and its slices lie between others'."""
    study = beside(scene.study(*[{"name": name} for name in ("raw", "ext4", "xfs")], **SHORT))
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and scene.left() == []
    assert all(run.fault is None for run in stored.runs) and len(stored.runs) == 2 * 4 * 2
    for block in range(2):
        runs = [run for run in stored.runs if run.block == block]
        devices = {run.turn: run.device.name for run in runs if run.device is not None}
        assert len(devices) == len(set(devices.values())) == 4
        for cell in {run.cell.id for run in runs}:
            order = [run.turn for run in by_time([run for run in runs if run.cell.id == cell])]
            assert order[:4] == order[4:][::-1] and len(set(order)) == 4
    for run in stored.runs:
        writes = run.cell.factors["read_percent"] == 0
        synced = [each.sync_ns is not None for each in run.parts[0].slices]
        assert synced == [writes] * 2
        assert run.result is not None and run.result.elapsed_ns >= 800_000_000


def test_in_memory_and_in_folders(scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    ram = RamStorage(size=128 * MEBIBYTE)
    in_memory = beside(scene.study({"name": "raw"}, {"name": "ext4"}, **SHORT))
    in_memory = in_memory.model_copy(update={"storage": ram})
    folder = tmp_path / "place"
    folder.mkdir()
    document = in_memory.model_dump(mode="json", by_alias=True)
    document["storage"] = {"kind": "path", "path": str(folder), "size": 32 * MEBIBYTE}
    document["system"] = [{"name": name, "kind": "mounted"} for name in ("one", "two")]
    in_folders = Study.model_validate(document)
    for number, study in enumerate((in_memory, in_folders)):
        outcome, stored = measured(study, rig, tmp_path / f"results-{number}")
        assert outcome.ended_by is None and all(run.fault is None for run in stored.runs)
        assert len({turn.target.get("directory", turn.turn) for turn in stored.turns}) >= 3
        assert scene.left() == [] and list(folder.iterdir()) == []


def test_work_that_builds_on_itself_goes_cell_by_cell(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    """Writers overwrite in whole passes: each run in one go, its partners right after it."""
    writers = {
        "kind": "writers",
        "writers": [1, 2],
        "fill": 30,
        "block_sizes": [1 << 20],
        "verify": False,
    }
    study = scene.study({"name": "ext4"}, {"name": "xfs"}, **SHORT)
    document = study.model_dump(mode="json", by_alias=True) | {"workload": writers}
    study = beside(Study.model_validate(document))
    outcome, stored = measured(study, rig, tmp_path / "results")
    assert outcome.ended_by is None and scene.left() == []
    assert all(len(run.parts[0].slices) == 1 for run in stored.runs)
    for block in range(2):
        cells = [run.cell.id for run in by_time([r for r in stored.runs if r.block == block])]
        assert sum(one != other for one, other in pairwise(cells)) == len(set(cells)) - 1


def test_what_stands_in_its_way_is_said(scene: Scene, rig: HostRig) -> None:
    def because(**changes: object) -> str:
        study = scene.study({"name": "raw"}, {"name": "ext4", **changes})
        plan = study.plan.model_copy(update={"side_by_side": "auto"})
        return design_of(rig, study.model_copy(update={"plan": plan})).because

    assert because() == ""
    assert "the whole machine" in because(tunables={"/proc/sys/vm/dirty_ratio": "10"})
    assert "UUID" in because(mkfs="-U 01234567-0123-0123-0123-012345678901")
    large = scene.study({"name": "raw"}, storage={"size": 1 << 50})
    assert "2 systems at once take" in rig.hindrance(large)


def test_an_error_while_all_are_mounted_leaves_nothing(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    class Stop(Exception):
        pass

    study = beside(scene.study({"name": "ext4"}, {"name": "xfs"}, **SHORT))
    seen: list[int] = []

    def tell(happening: object) -> None:
        if isinstance(happening, RunRecord):
            seen.append(sum(str(scene.ledgers) in each.mount_point for each in mounts()))
            raise Stop

    with pytest.raises(Stop), rig.opened(study) as session:
        plan = make_plan(study, size_bytes=session.describe().size_bytes, side_by_side=True)
        session.block(plan, 0, tell)
    assert seen == [3] and scene.left() == []
