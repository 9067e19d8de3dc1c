"""Turns over paths beside a server: read apart, and part of a whole block."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.record.records import RunRecord
from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from fsgauge.store.query import asked
from fsgauge.store.views import VIEWS
from tests.sealing import compacted as compact
from tests.sealing import seal
from tests.synthetic_serving import make_serving


def test_they_are_read_apart(tmp_path: Path) -> None:
    made = make_serving()
    stored = read_results(made.write(tmp_path))
    assert len(stored.runs) == len(made.runs) and len(stored.path_runs) == len(made.path_runs)
    assert not any(run.over_path for run in stored.runs)
    assert all(run.over_path for run in stored.path_runs)
    assert all(turn.server is None for turn in stored.path_turns)
    assert stored.turns and all(turn.server is not None for turn in stored.turns)


def operations(runs: list[RunRecord]) -> int:
    return sum(
        part.operations
        for run in runs
        if run.result and run.result.clients
        for part in run.result.clients.operations
    )


@pytest.mark.parametrize("compacted", [False, True])
def test_no_sum_over_a_view_mixes_them(tmp_path: Path, compacted: bool) -> None:
    stored = read_results(make_serving().write(tmp_path))
    if compacted:
        compact(tmp_path, 0)

    def total(sql: str) -> object:
        with asked(tmp_path, sql) as answer:
            ((value,),) = next(answer.batches())
            return value

    for prefix, turns, runs in (
        ("", stored.turns, stored.runs),
        ("path_", stored.path_turns, stored.path_runs),
    ):
        assert total(f"from {prefix}turns select count(*)") == len(turns)
        assert total(f"from {prefix}runs select count(*)") == len(runs)
        expected = operations(runs)
        assert total(f"from {prefix}client_operations select sum(operations)") == expected
        histograms = f"from {prefix}client_histograms select sum(operations)"
        assert total(f"{histograms} where latency = 'service'") == expected
    assert total("select count(*) from plan where over_path") == len(stored.path_turns)


def test_a_view_of_paths_has_the_columns_of_its_twin(tmp_path: Path) -> None:
    make_serving().write(tmp_path)
    columns = {view.name: view.columns for view in VIEWS}
    twins = [view for view in VIEWS if view.twin_of]
    assert twins
    for view in twins:
        assert view.name == f"path_{view.twin_of}" and view.columns == columns[view.twin_of or ""]
        with asked(tmp_path, f"from {view.name}") as answer:
            assert answer.columns == [column.name for column in view.columns]


def test_a_scan_of_such_a_turn_is_no_scan_of_the_study(tmp_path: Path) -> None:
    made = make_serving()
    made.write(tmp_path)
    own = read_results(tmp_path).scans
    run = made.path_runs[0]
    (folder,) = (tmp_path / "records").glob(f"{run.block:03d}-{run.turn:02d}-*")
    scan = made.scans[0].model_copy(
        update={"block": run.block, "turn": run.turn, "system": run.system, "again": False}
    )
    (folder / f"scan-after-{scan.cell}.json").write_text(scan.model_dump_json(), encoding="utf-8")
    seal(tmp_path)
    assert read_results(tmp_path).scans == own
    with asked(tmp_path, "select count(*) from scans") as answer:
        assert next(answer.batches()) == [(len(own),)]


def test_a_block_without_one_of_them_is_measured_again(tmp_path: Path) -> None:
    made = make_serving()
    stored = read_results(made.write(tmp_path))
    assert whole_blocks(stored) == {0, 1, 2}
    last = made.path_runs[-1]
    (path,) = (tmp_path / "records").glob(
        f"{last.block:03d}-{last.turn:02d}-*/*{last.cell.id}.json"
    )
    path.unlink()
    seal(tmp_path)
    assert whole_blocks(read_results(tmp_path)) == {0, 1, 2} - {last.block}
