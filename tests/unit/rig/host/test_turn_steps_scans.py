"""Scans of a study: two a turn where it asks for them, recorded, read back, resumed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.progress import Progress
from fsgauge.report import write_report
from fsgauge.run import resume_study, run_study
from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.laboratory import NoDiskEngine, NoDiskRig
from tests.sealing import seal

pytestmark = pytest.mark.usefixtures("blank_pictures")


def study(*more: str) -> Study:
    overrides = ["storage.size=16MiB", "plan.blocks=3", *more]
    return load_study("demo-user", overrides, ["one=mounted", "two=mounted"], "path:/tmp", 7)


def run(results: Path, *more: str) -> Path:
    engine = NoDiskEngine(0)
    return run_study(
        study(*more),
        rig=NoDiskRig(engine),
        results=results,
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    ).directory


def test_each_turn_has_one_before_and_one_after(tmp_path: Path) -> None:
    stored = read_results(run(tmp_path, "workload.scan=true"))
    places = [(scan.block, scan.turn, scan.when) for scan in stored.scans]
    turns = [(turn.block, turn.turn) for turn in stored.study.plan.turns]
    assert places == [(*turn, when) for turn in turns for when in ("before", "after")]
    result = stored.scans[0].result
    assert result is not None and result.map is None and result.source.path.startswith("/")


def test_nothing_is_scanned_unasked(tmp_path: Path) -> None:
    stored = read_results(run(tmp_path))
    assert stored.scans == [] and list(tmp_path.rglob("scan-*.json")) == []


def test_the_report_has_them_and_the_first_screen_where_they_are_primary(tmp_path: Path) -> None:
    plain = run(tmp_path / "a", "workload.scan=true")
    primary = run(tmp_path / "b", "workload.scan=true", "plan.primary=['layout']")
    none = run(tmp_path / "c")
    pages = [write_report(each).read_text() for each in (plain, primary, none)]
    assert ['id="layouts"' in page for page in pages] == [True, True, False]
    assert ["<dt>Layout</dt>" in page for page in pages] == [False, True, False]


def test_a_block_that_lacks_a_scan_is_not_whole_and_is_measured_again(tmp_path: Path) -> None:
    directory = run(tmp_path, "workload.scan=true")
    next(iter(directory.glob("records/001-*/scan-after.json"))).unlink()
    seal(directory)
    assert whole_blocks(read_results(directory)) == {0, 2}
    engine = NoDiskEngine(0)
    resume_study(directory, rig=lambda _: NoDiskRig(engine), destroy=None, progress=Progress())
    stored = read_results(directory)
    assert whole_blocks(stored) == {0, 1, 2}
    assert len(stored.scans) == 2 * len(stored.turns)


def test_a_scan_of_another_turn_is_foreign(tmp_path: Path) -> None:
    directory = run(tmp_path, "workload.scan=true")
    first, second = sorted(directory.glob("records/*/scan-after.json"))[:2]
    second.write_text(first.read_text())
    seal(directory)
    with pytest.raises(InputError, match=r"scan-after\.json"):
        read_results(directory)


def test_the_layout_cannot_be_primary_without_a_scan() -> None:
    with pytest.raises(InputError) as caught:
        study("plan.primary=['layout']")
    assert "no scan measures it" in caught.value.render()
    assert "workload.scan" in caught.value.render()


def test_the_layout_stands_once() -> None:
    with pytest.raises(InputError, match="twice"):
        study("workload.scan=true", "plan.primary=['layout', 'layout']")


def test_bare_devices_alone_have_nothing_to_scan() -> None:
    with pytest.raises(InputError, match="bare device"):
        load_study("overhead", ["workload.scan=true"], ["raw"], "loop:512MiB", 7)
