"""Writers on real systems: every run is measured, read back whole, and leaves nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import LoadResult
from fsgauge.errors import InputError
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.rig.host.rig import HostRig
from fsgauge.store import read_results
from fsgauge.study.model import Study
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene
from tests.rigs.measured import measured
from tests.synthetic.setting import result_of

pytestmark = pytest.mark.root


def study_of(scene: Scene, names: list[str], workload: dict[str, object]) -> Study:
    """A small study of writers; 2 % of the storage is the file."""
    size = {"writers": [1, 2], "fill": 2}
    return Study.model_validate(
        {
            "format": 1,
            "name": "writers",
            "question": "Do writers take turns?",
            "storage": {"kind": "ram", "size": 320 * MEBIBYTE},
            "system": [{"name": name} for name in names],
            "workload": {"kind": "writers"} | size | workload,
            "plan": {"seed": 1, "blocks": 2},
        }
    )


def runs_of(study: Study, rig: HostRig, results: Path) -> list[dict[str, Any]]:
    outcome, _ = measured(study, rig, results)
    assert outcome.ended_by is None
    files = outcome.directory.glob("records/*/[0-9]*.json")
    return [json.loads(path.read_text()) for path in files]


@pytest.mark.parametrize(
    ("names", "workload"),
    [
        (["raw", "ext4", "xfs"], {"workers": "processes"}),
        (
            ["raw", "ext4", "xfs"],
            {"ranges": ["shared", "own files"], "access": ["direct", "buffered"]},
        ),
        (["ext4"], {"allocation": ["extend"], "ranges": ["segmented"]}),
        (
            ["ext4"],
            {"workers": "threads", "descriptors": "shared", "sync": "fsync", "sync_every": 64}
            | {"readers": 1, "passes": None, "duration": 300_000_000},
        ),
    ],
    ids=["published", "files and access", "extend", "a database"],
)
def test_every_run_is_whole(
    names: list[str],
    workload: dict[str, object],
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
) -> None:
    study = study_of(scene, names, workload)
    runs = runs_of(study, rig, tmp_path / "results")
    writers = study.workload
    assert isinstance(writers, WritersWorkload)
    cells = 2 * len(writers.ranges) * len(writers.access)
    assert len(runs) == 2 * (len(names) + 1) * cells
    for run in runs:
        assert run["fault"] is None, run
        result = LoadResult.model_validate(result_of(run))
        assert result.write is not None and result.write.operations > 0
        assert len(result.jobs) == run["cell"]["factors"]["writers"]
        assert result.limits is not None
        integrity = result.integrity
        assert integrity is not None and integrity.checked_blocks > 0
        assert integrity.faulty == []
        if writers.passes:
            assert all(each.elapsed_ns for each in result.jobs)
            assert result.ended == "size_limit"
    assert scene.left() == []


def test_a_pass_covers_the_file_once_by_each_writer(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    study = study_of(scene, ["raw"], {"writers": [2]})
    for run in runs_of(study, rig, tmp_path / "results"):
        size = run["job"]["target"]["size_bytes"]
        assert result_of(run)["write"]["size_bytes"] == 2 * size


@pytest.mark.long
def test_raw_does_the_nearest_thing_where_the_others_need_files(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    workload = {
        "ranges": ["shared", "own files"],
        "access": ["buffered"],
        "allocation": ["overwrite", "extend"],
        "fill": 20,
    }
    study = study_of(scene, ["raw", "ext4"], workload)
    runs = runs_of(study, rig, tmp_path / "results")
    assert len(runs) == 2 * 3 * 8
    covered: dict[tuple[str, str], set[int]] = {}
    for run in runs:
        assert run["fault"] is None, run
        job, cell, result = (
            run["job"],
            run["cell"]["factors"],
            result_of(run),
        )
        raw = job["target"]["kind"] == "block"
        assert job["direct"] is raw and result["integrity"]["faulty"] == []
        assert not (raw and job["extend"])
        if raw:
            own = cell["ranges"] == "own files"
            assert job["ranges"]["kind"] == ("segmented" if own else "shared")
        written = result["write"]["size_bytes"]
        covered.setdefault((run["cell"]["id"], "raw" if raw else "files"), set()).add(written)
    for (cell_id, who), written in covered.items():
        assert len(written) == 1 and written == covered[cell_id, "files"], (cell_id, who)
    (results,) = (tmp_path / "results").iterdir()
    stored = read_results(results)
    notes = {turn.system: turn.notes for turn in stored.turns}
    assert any("the device's limit: direct overwrites" in note for note in notes["raw"])
    assert not any("the device's limit" in note for note in notes["ext4"])
    assert not any("end in memory" in note for note in notes["raw"])
    assert scene.left() == []


def test_a_device_with_large_sectors_refuses_small_blocks(
    scene: Scene, rig: HostRig, make_loop: MakeLoop
) -> None:
    device = make_loop(64 * MEBIBYTE, "--sector-size", "4096")
    study = study_of(scene, ["raw"], {"block_sizes": [512]})
    storage = {"kind": "device", "device": device}
    study = Study.model_validate(study.model_dump(by_alias=True) | {"storage": storage})
    with pytest.raises(InputError) as refusal:
        rig.check(study, None)
    assert "does direct I/O in whole blocks of 4 KiB" in refusal.value.what
    assert 'a block size of "4 KiB"' in refusal.value.next
    assert scene.left() == []
