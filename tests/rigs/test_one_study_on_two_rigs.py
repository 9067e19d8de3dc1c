"""One study on this host and in the simulator: what it fills is the same, within 1 %."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.progress import Progress
from fsgauge.rig.host.rig import HostRig
from fsgauge.rig.simulator.rig import SimulatorRig
from fsgauge.run import run_study
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study
from tests.rigs.conftest import MEBIBYTE
from tests.rigs.measured import measured

pytestmark = pytest.mark.root


def study_of(size_mib: int, kind: str, options: dict[str, str]) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "churn",
            "question": "Does the model agree with the kernel?",
            "storage": {"kind": "ram", "size": size_mib * MEBIBYTE},
            "system": [{"name": kind, **options}],
            "workload": {"kind": "churn", "fills": [80], "storage_age": 2.0, "tests": ["read"]},
            "plan": {"seed": 77, "blocks": 2},
        }
    )


def trees(stored: StoredStudy) -> dict[tuple[int, int], tuple[int, int]]:
    """Files and bytes of each turn's tree."""
    return {
        (scan.block, scan.turn): (scan.result.counts.files, scan.result.counts.extent_bytes)
        for scan in stored.scans
        if scan.result is not None and scan.when == "aged"
    }


@pytest.mark.parametrize(
    ("size_mib", "kind", "options"),
    [
        (512, "ext4", {}),
        (512, "ext4", {"mount": "nodelalloc"}),
        (512, "ext4", {"mkfs": "-m 20 -J size=64 -I 512"}),
        (160, "ext4", {}),
        (512, "xfs", {}),
    ],
)
def test_both_fill_the_same(
    size_mib: int, kind: str, options: dict[str, str], rig: HostRig, tmp_path: Path
) -> None:
    """The simulator left nothing to root: 3,361 files stood against 3,060 of the kernel."""
    study = study_of(size_mib, kind, options)
    _, on_host = measured(study, rig, tmp_path / "host")
    model = SimulatorRig()
    placed = model.placed(study)
    outcome = run_study(
        placed,
        rig=model,
        results=tmp_path / "model",
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    assert outcome.ended_by is None, outcome.ended_by
    found, expected = trees(read_results(outcome.directory)), trees(on_host)
    assert found.keys() == expected.keys() and len(found) >= 4
    for turn, (files, size_bytes) in expected.items():
        assert found[turn][0] == pytest.approx(files, rel=0.01), turn
        assert found[turn][1] == pytest.approx(size_bytes, rel=0.01), turn
