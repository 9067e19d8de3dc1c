"""Runs of two machines, one with two slices: stored, moved to Parquet, asked by SQL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.errors import InputError
from fsgauge.record.parts import Part, Slice
from fsgauge.record.records import EnvironmentRecord, RunRecord
from fsgauge.store.read import read_results
from fsgauge.store.rows import histograms
from tests.sealing import compacted
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import MACHINE, with_result
from tests.unit.store.queried import rows

LATER_NS = 90 * 10**9
SMALL: dict[str, Any] = {"blocks": 2, "queue_depths": (1,), "block_sizes": (4096,)}


def in_parts(run: RunRecord) -> RunRecord:
    """The same numbers on one machine in two slices, and once more on another machine."""
    assert run.result is not None
    slices = [Slice(start_ns=at, result=run.result) for at in (0, LATER_NS)]
    parts = [
        Part(machine=MACHINE, slices=slices),
        Part(machine="other", slices=slices[:1]),
    ]
    return run.model_copy(update={"parts": parts})


def study() -> SyntheticStudy:
    made = make_study(**SMALL)
    other = made.before.load.model_copy(update={"name": "other", "role": "node-1"})
    both = EnvironmentRecord(machines=[made.before.load, other])
    return replace(made, runs=[in_parts(run) for run in made.runs], before=both, after=both)


def everything(directory: Path) -> list[Any]:
    found: list[Any] = []
    for run in read_results(directory).runs:
        for part in run.parts:
            for each in part.slices:
                counts = {n: list(h.counts) for n, h in histograms(each.result).items()}
                found.append((run.block, part.machine, counts, list(each.result.intervals)))
    return found


def test_rows_of_every_slice_move_and_come_back(tmp_path: Path) -> None:
    folder = study().write(tmp_path / "study")
    before = everything(folder)
    assert len(before) == 3 * len(study().runs) and all(counts for *_, counts, _ in before)
    compacted(folder, 0)
    assert everything(folder) == before, "one block in Parquet, one in JSON"


@pytest.mark.parametrize("blocks", [(), (0,), (0, 1)])
def test_views_say_which_machine_and_which_slice(tmp_path: Path, blocks: tuple[int, ...]) -> None:
    made = study()
    folder = made.write(tmp_path / "study")
    for block in blocks:
        compacted(folder, block)
    places = [(MACHINE, 0), (MACHINE, 1), ("other", 0)]
    for view in ("runs", "jobs", "histograms", "intervals"):
        found = rows(folder, f"select distinct machine, slice from {view} order by all")  # noqa: S608
        assert found == sorted(places), view
    in_one_go = make_study(**SMALL).write(tmp_path / "one")
    for sql in (
        "select sum(operations) from histograms",
        "select sum(elapsed_ns) from runs",
        "select sum(read_operations) + sum(write_operations) from intervals",
    ):
        assert rows(folder, sql)[0][0] == 3 * rows(in_one_go, sql)[0][0], sql
    begins = "select min(start_ns) from intervals where machine = '{}' and slice = {}"
    assert rows(folder, begins.format(MACHINE, 1)) == [(LATER_NS,)], "since the run began"
    assert rows(folder, begins.format("other", 0)) == [(0,)]


def test_the_environment_has_a_row_a_machine(tmp_path: Path) -> None:
    folder = study().write(tmp_path / "study")
    found = rows(folder, "select moment, machine, role from environment order by all")
    both = [("other", "node-1"), (MACHINE, "load")]
    assert found == [(moment, *each) for moment in ("after", "before") for each in both]


def test_a_run_that_failed_is_a_row_without_machine(tmp_path: Path) -> None:
    made = study()
    fault = EngineFault(what="no room", cause="", next="", code="io.failed")
    first = with_result(made.runs[0], None, fault)
    folder = replace(made, runs=[first, *made.runs[1:]]).write(tmp_path / "study")
    failed = "select machine, slice, elapsed_ns, fault from runs where machine is null"
    assert rows(folder, failed) == [(None, None, None, "no room")]
    assert rows(folder, "select count(*) from runs") == [(1 + 3 * (len(made.runs) - 1),)]


def test_a_part_of_an_unknown_machine_is_refused(tmp_path: Path) -> None:
    made = study()
    stranger = in_parts(make_study(**SMALL).runs[0])
    parts = [part.model_copy(update={"machine": "stranger"}) for part in stranger.parts[:1]]
    first = made.runs[0].model_copy(update={"parts": parts})
    folder = replace(made, runs=[first, *made.runs[1:]]).write(tmp_path / "study")
    with pytest.raises(InputError, match="not a run of this study's plan"):
        read_results(folder)
