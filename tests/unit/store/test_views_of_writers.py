"""SQL over a writers study: each writer, and each block that did not read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsgauge.store import read_results
from fsgauge.store.views import VIEWS
from tests.sealing import compacted as compact
from tests.synthetic_writers import broken, make_writers
from tests.unit.store.queried import has_its_columns, rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One block in Parquet and one in JSON; ext4 lost data in the second."""
    study = make_writers(
        blocks=2,
        writers=(1, 4),
        integrity=lambda turn, cell: (
            broken(torn=2, lost=1) if (turn.block, turn.system) == (1, "ext4") else broken()
        ),
    )
    path = study.write(tmp_path_factory.mktemp("results") / "study")
    compact(path, 0)
    return path


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_view_has_the_columns_that_are_documented(folder: Path, view: Any) -> None:
    assert has_its_columns(folder, view)


def test_jobs_are_those_of_the_records(folder: Path) -> None:
    expected = sorted(
        (run.block, run.turn, run.position, run.system, run.cell.id, writer, *job)
        for run in read_results(folder).runs
        if run.result
        for writer, job in enumerate(
            (job.operations, job.size_bytes, job.elapsed_ns) for job in run.result.jobs
        )
    )
    sql = (
        "select block, turn, position, system, cell, number, operations, size_bytes, elapsed_ns"
        " from jobs order by all"
    )
    assert rows(folder, sql) == expected
    assert len(expected) == 2 * 4 * (1 + 4)


def test_every_faulty_block_is_a_row(folder: Path) -> None:
    sql = "select system, block, fault, file, offset_bytes from integrity order by all"
    run = [("ext4", 1, "lost", 0, 0), ("ext4", 1, "torn", 0, 0), ("ext4", 1, "torn", 0, 8192)]
    assert rows(folder, sql) == sorted(2 * run), "two cells"


def test_runs_count_what_was_read_back(folder: Path) -> None:
    sql = "select sum(checked_blocks), sum(torn_blocks), sum(lost_blocks) from runs"
    assert rows(folder, sql) == [(16 * 1000, 4, 2)]


def test_cells_say_ranges_and_access(folder: Path) -> None:
    assert rows(folder, "select jobs, ranges, access from cells order by jobs") == [
        (1, "shared", "direct"),
        (4, "shared", "direct"),
    ]
