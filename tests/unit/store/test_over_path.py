"""Turns over paths beside a server: read apart, and part of a whole block."""

from __future__ import annotations

from pathlib import Path

from fsgauge.store import read_results
from fsgauge.store.abandon import whole_blocks
from tests.synthetic_serving import make_serving


def test_they_are_read_apart(tmp_path: Path) -> None:
    made = make_serving()
    stored = read_results(made.write(tmp_path))
    assert len(stored.runs) == len(made.runs) and len(stored.path_runs) == len(made.path_runs)
    assert not any(run.over_path for run in stored.runs)
    assert all(run.over_path for run in stored.path_runs)
    assert all(turn.server is None for turn in stored.path_turns)
    assert stored.turns and all(turn.server is not None for turn in stored.turns)


def test_a_block_without_one_of_them_is_measured_again(tmp_path: Path) -> None:
    made = make_serving()
    stored = read_results(made.write(tmp_path))
    assert whole_blocks(stored) == {0, 1, 2}
    last = made.path_runs[-1]
    (path,) = (tmp_path / "records").glob(
        f"{last.block:03d}-{last.turn:02d}-*/*{last.cell.id}.json"
    )
    path.unlink()
    assert whole_blocks(read_results(tmp_path)) == {0, 1, 2} - {last.block}
