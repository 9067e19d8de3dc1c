"""The engine and the real Bonnie++ on one file system; an IOzone that is killed or lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.crosscheck.agreement import ProgramAgreement
from fsgauge.crosscheck.programs import crosscheck_program
from fsgauge.crosscheck.sitting import Asked, Listener, ProgramRun, paired
from fsgauge.errors import FsgaugeError
from fsgauge.machine.process.tool import find_tool
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study
from fsgauge.study.storage import RamStorage
from tests.needs import need
from tests.rigs.conftest import Scene

pytestmark = pytest.mark.root

RECORDED = Path(__file__).parents[1] / "unit/kinds/sharing/peers/iozone-one.txt"


def sharing(scene: Scene, tests: list[str]) -> Study:
    """One ext4 in memory, and a file that is quickly done."""
    study = scene.study({"name": "ext4"})
    keys = study.model_dump(mode="json", by_alias=True)
    keys["workload"] = {
        "kind": "sharing",
        "tests": tests,
        "record_sizes": [65536],
        "file_sizes": [16 << 20],
        "folder_files": 1024,
        "seeks": 300,
    }
    return Study.model_validate(keys).model_copy(update={"storage": RamStorage(size=96 << 20)})


def checked(
    study: Study, name: str, rig: HostRig, results: Path
) -> tuple[list[ProgramAgreement], list[ProgramRun]]:
    cells: list[ProgramAgreement] = []
    asked = Asked(
        paired(study, 2),
        rig=rig,
        results=results,
        destroy=None,
        command=["fsgauge", "crosscheck"],
        listener=Listener(run=lambda *_: None, cell=cells.append),
    )
    folder = crosscheck_program(asked, name)
    runs = [
        ProgramRun.model_validate_json(path.read_text())
        for path in sorted((folder / "runs/ext4").iterdir())
    ]
    return cells, runs


def test_bonnie_does_the_same_on_the_same_file_system(
    scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    if find_tool("bonnie++") is None:
        need("bonnie++: apt-get install bonnie++")
    tests = ["put_block", "rewrite_in_place", "get_block", "seeks", "create_random"]
    cells, runs = checked(sharing(scene, tests), "bonnie++", rig, tmp_path)
    assert [cell.cell_name.split(",")[0] for cell in cells] == [
        "Output by block", "Rewrite in place", "Input by block", "Random seeks", "Create",
    ]  # fmt: skip
    assert {run.tool for run in runs} == {"engine", "bonnie++"}
    # Two starts of it; a second pair of two sides only where the first had a rate.
    assert len(runs) in (4, 6, 8)
    for run in runs:
        if run.tool == "engine":
            assert all(numbers.rate for numbers in run.cells)
        else:
            assert run.output is not None and run.output.startswith("1.98,2.00a,fsgauge,")
    # Half a second is not reached here, or is, where others work: both are said.
    for cell in cells:
        assert (cell.ratio is None) == (cell.too_fast > 0)


def iozone(tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "iozone"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("FSGAUGE_IOZONE", str(program))


@pytest.mark.parametrize(("script", "words"), [
    ("exit 9", "iozone failed"),
    ("kill -9 $$", "iozone failed"),
    (f"head -c 900 {RECORDED}", "iozone printed no results"),
    ("yes iozone test complete. | head -c 1000000", "iozone printed no results"),
])  # fmt: skip
def test_a_program_that_breaks_off_is_an_error_and_leaves_nothing(
    scene: Scene,
    rig: HostRig,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    words: str,
) -> None:
    left = 'for last; do :; done; [ "$1" = -v ] || : > "$last"; '
    iozone(tmp_path, left + script, monkeypatch)
    with pytest.raises(FsgaugeError, match=words):
        checked(sharing(scene, ["write", "rewrite", "read", "reread"]), "iozone", rig, tmp_path)
    assert not [
        line for line in Path("/proc/mounts").read_text().splitlines() if str(tmp_path) in line
    ]


def test_iozones_numbers_are_those_that_it_prints(
    scene: Scene, rig: HostRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = os.environ.get("FSGAUGE_IOZONE")
    if not (named and find_tool(named)):
        iozone(tmp_path, f"cat {RECORDED}", monkeypatch)
    cells, _ = checked(
        sharing(scene, ["write", "rewrite", "read", "reread"]), "iozone", rig, tmp_path
    )
    assert [cell.cell_name.split(",")[0] for cell in cells] == [
        "Write", "Rewrite", "Read", "Reread",
    ]  # fmt: skip
    for cell in cells:
        assert cell.engine and cell.theirs and cell.too_fast == 0
        assert cell.ratio == pytest.approx(cell.engine / cell.theirs)


def test_a_kind_without_its_tests_is_refused(scene: Scene, rig: HostRig, tmp_path: Path) -> None:
    with pytest.raises(FsgaugeError, match=r"bonnie\+\+ has no tests of a study of kind overhead"):
        checked(scene.study({"name": "ext4"}), "bonnie++", rig, tmp_path)
