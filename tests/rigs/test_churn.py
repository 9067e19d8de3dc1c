"""Churn on a real file system: an aged tree and its fresh copy, read and written beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.engine.wire import sides_of
from fsgauge.errors import InputError
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.report import write_report
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.read import read_stored
from fsgauge.store.abandon import whole_blocks
from fsgauge.study.model import Study
from tests.rigs.conftest import MEBIBYTE, Scene
from tests.rigs.measured import measured

pytestmark = pytest.mark.root


def study_of(mkfs: str = "-m 0", **keys: object) -> Study:
    """Small files, so that a small device holds many; in memory, so that it is quick."""
    return Study.model_validate(
        {
            "format": 1,
            "name": "churn",
            "question": "What does churn cost?",
            "storage": {"kind": "ram", "size": 128 * MEBIBYTE},
            "system": [{"name": "ext4", "mkfs": mkfs}],
            "workload": {
                "kind": "churn",
                "fills": [90],
                "median_size": 8192,
                "size_sigma": 2.0,
                "storage_age": 3.0,
                "new_file_size": MEBIBYTE,
                "clients": 2,
            }
            | keys,
            "plan": {"seed": 1, "blocks": 2},
        }
    )


def test_an_aged_tree_and_its_fresh_copy_are_read_whole_and_written_beside(
    rig: HostRig, scene: Scene, tmp_path: Path
) -> None:
    _, stored = measured(study_of(), rig, tmp_path)
    assert whole_blocks(stored) == {0, 1}
    churn = read_stored(stored).own
    aged, fresh = (churn.layout("ext4", 90, wear) for wear in ("aged", "fresh"))
    assert aged.files == fresh.files > 1000
    assert aged.extents_per_file.value > 1.02 > fresh.extents_per_file.value
    assert aged.layout_score < fresh.layout_score
    assert aged.free_extents > 4 * fresh.free_extents
    assert {(d.side, d.fill_percent, d.n) for d in churn.damages} == {
        ("read", 90, 2),
        ("write", 90, 2),
    }
    assert churn.different_trees == []
    trees = {(step.block, step.turn): step.result for step in stored.steps}
    for run in stored.runs:
        tree = trees[run.block, run.turn]
        assert run.result is not None and run.result.clients is not None and tree is not None
        if ChurnFactors.of(run.cell).side == "read":
            assert run.result.clients.files == tree.live_files
            assert sum(side.size_bytes for side in sides_of(run.result)) == tree.live_bytes
        else:
            assert run.result.clients.files % 2 == 0
            assert run.result.clients.files_given_up == 0
    assert all(scan.result and scan.result.counts.unwritten_extents == 0 for scan in stored.scans)
    assert "Damage by ageing" in write_report(stored.directory).read_text(encoding="utf-8")
    assert scene.left() == []


def test_a_file_system_without_the_inodes_for_its_tree_is_refused(
    rig: HostRig, scene: Scene, tmp_path: Path
) -> None:
    """Ageing ran out of them, which was a finding after the whole study."""
    with pytest.raises(InputError, match=r"files need [\d,]+ inodes with their folders"):
        measured(study_of("-m 0 -N 512"), rig, tmp_path)
    assert scene.left() == []
