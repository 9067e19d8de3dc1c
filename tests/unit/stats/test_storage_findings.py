"""Findings of preconditioning, and of files that fit into memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsgauge.record.machine import cached_direct_cautions
from fsgauge.record.preconditioning import CellPreconditioning, StoragePreconditioning
from fsgauge.record.records import RunRecord
from fsgauge.report.disclosure import disclosed
from fsgauge.report.write import Report, read_report
from fsgauge.stats.results import Finding
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic.setting import with_machine

GIB = 1 << 30


def stored(study: SyntheticStudy, folder: Path) -> Report:
    study.write(folder)
    return read_report(folder)


def found(report: Report, code: str) -> Finding | None:
    return next((each for each in report.results.findings if each.code == code), None)


def purged(study: SyntheticStudy, *, purge: bool) -> SyntheticStudy:
    done = StoragePreconditioning(
        purge="whole device discarded" if purge else "signatures wiped; it cannot discard",
        purged=purge,
        written_bytes=16 * GIB,
        block_size_bytes=128 << 10,
        started_unix_ns=1,
        elapsed_ns=40 * 10**9,
    )
    storage = study.before.storage.model_copy(update={"preconditioning": done})
    before = with_machine(study.before, storage=storage)
    return SyntheticStudy(**{**vars(study), "before": before})


def with_runs(study: SyntheticStudy, runs: list[RunRecord]) -> SyntheticStudy:
    return SyntheticStudy(**{**vars(study), "runs": runs})


def conditioned(run: RunRecord, reached: bool) -> RunRecord:
    rates = [200.0] * 5 if reached else [100.0, 200.0] * 12 + [100.0]
    done = CellPreconditioning(
        rounds=rates,
        reached=reached,
        range_share=0.0 if reached else 0.71,
        slope_share=0.0 if reached else 0.01,
    )
    return run.model_copy(update={"preconditioning": done})


@pytest.fixture
def small() -> SyntheticStudy:
    return make_study(**ONE_CELL, blocks=3)


def test_what_was_reached_is_disclosed_and_no_finding(
    small: SyntheticStudy, tmp_path: Path
) -> None:
    runs = [conditioned(run, reached=True) for run in small.runs]
    report = stored(with_runs(purged(small, purge=True), runs), tmp_path)
    assert not any(each.code.startswith("precondition.") for each in report.results.findings)
    rows = {
        name: value
        for group in disclosed(report.results, report.stored)
        for name, value in group.rows
    }
    assert rows["purge before the study"] == "whole device discarded"
    assert rows["written before the study"] == "16 GiB sequentially in 128 KiB, in 40 s"
    assert rows["before cells"] == (
        f"the cell's own load, up to 5 rounds; steady before {len(runs)} of {len(runs)} runs"
    )


def test_a_window_that_was_not_reached_is_a_warning(small: SyntheticStudy, tmp_path: Path) -> None:
    runs = [conditioned(run, reached=index != 0) for index, run in enumerate(small.runs)]
    report = stored(with_runs(purged(small, purge=False), runs), tmp_path)
    late = found(report, "precondition.not_steady")
    assert late is not None and late.level == "warning" and late.count == 1
    assert "after 25 rounds" in late.sentence
    assert late.where[0].endswith("range 71 %, trend 1 %")
    unpurged = found(report, "precondition.no_purge")
    assert unpurged is not None and "it cannot discard" in unpurged.sentence


def test_a_study_without_it_has_no_such_finding(small: SyntheticStudy, tmp_path: Path) -> None:
    report = stored(small, tmp_path)
    assert not any(each.code.startswith("precondition.") for each in report.results.findings)
    text = (tmp_path / "environment-before.json").read_text() + small.runs[0].model_dump_json()
    assert "preconditioning" not in text


@pytest.mark.parametrize(("memory_bytes", "is_found"), [(8 * GIB, True), (7 * GIB, False)])
def test_buffered_reads_of_files_smaller_than_memory_are_said(
    small: SyntheticStudy, tmp_path: Path, memory_bytes: int, is_found: bool
) -> None:
    before = with_machine(small.before, memory_bytes=memory_bytes)
    study = SyntheticStudy(**{**vars(small), "before": before})
    direct = stored(study, tmp_path / "direct")
    assert found(direct, "cache.file_set") is None
    runs = [
        run.model_copy(update={"job": run.job.model_copy(update={"direct": False})})
        for run in study.runs
    ]
    report = stored(with_runs(study, runs), tmp_path / "buffered")
    note = found(report, "cache.file_set")
    assert (note is not None) == is_found
    if note is not None:
        assert "7 GiB" in note.sentence and "8 GiB" in note.sentence
        assert "memory the device itself has is not known" in note.sentence


def test_direct_io_that_was_copied_is_a_warning_on_the_first_screen(
    small: SyntheticStudy, tmp_path: Path
) -> None:
    """The page said "direct I/O" of a btrfs whose 20,000 writes made 20,031 pages."""
    storage = small.before.storage.model_copy(
        update={"cached_direct": {"btrfs": "1,024 of 1,024 pages of a direct write"}}
    )
    study = replace(small, before=with_machine(small.before, storage=storage))
    report = stored(study, tmp_path / "a")
    said = found(report, "direct.cached")
    assert said is not None and said.level == "warning"
    assert "btrfs" in said.sentence and "1,024 of 1,024 pages" in said.sentence
    page = report.page()
    first_screen = page[page.index('id="first-screen"') : page.index("</header>")]
    assert "goes through the page cache" in first_screen
    assert found(stored(small, tmp_path / "b"), "direct.cached") is None


def test_many_systems_whose_direct_io_is_cached_are_one_sentence() -> None:
    """A race over 16 btrfs said the same words of each, half a page long."""
    all_pages, half = "1,024 of 1,024 pages of a direct write", "512 of 1,024 pages of it"
    cached = {f"btrfs {number}": all_pages for number in range(5)} | {"zfs": half}
    assert cached_direct_cautions(cached) == [
        'direct I/O of "btrfs 0", "btrfs 1", "btrfs 2" and 2 more goes through the page cache:'
        f" {all_pages} were seen there",
        f'direct I/O of "zfs" goes through the page cache: {half} were seen there',
    ]
