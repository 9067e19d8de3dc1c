"""Rows of a finished block in Parquet: the same numbers, and a crash at any step loses none."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import PlainFolder
from fsgauge.record.records import RunRecord
from fsgauge.store import ResultsFolder, blocks, read_results
from fsgauge.store.rows import histograms
from fsgauge.store.seals import ChangedError
from tests.sealing import compacted as compact
from tests.sealing import seal
from tests.synthetic import make_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two blocks, everything in JSON."""
    return make_study(blocks=2, queue_depths=(1,), block_sizes=(4096,)).write(tmp_path / "study")


def rows_of(directory: Path) -> list[Any]:
    found: list[Any] = []
    for run in read_results(directory).runs:
        assert run.result is not None
        counts = {name: list(each.counts) for name, each in histograms(run.result).items()}
        found.append((run.block, run.turn, run.position, counts, list(run.result.intervals)))
    return found


def test_rows_are_the_same_before_and_after(folder: Path) -> None:
    before = rows_of(folder)
    assert all(counts and intervals for *_, counts, intervals in before)
    compact(folder, 1)
    assert rows_of(folder) == before, "one block in Parquet, one in JSON"
    compact(folder, 0)
    assert rows_of(folder) == before
    for path in folder.glob("records/*/[0-9]*.json"):
        result = json.loads(path.read_text())["parts"][0]["slices"][0]["result"]
        assert result["intervals"] == []
        assert all(
            not result[each] or result[each]["service_latency"]["counts"] == []
            for each in ("read", "write")
        )


def test_the_rows_of_a_short_study_stay_where_they_are(folder: Path) -> None:
    """Parquet took a seventh of a demo's time, and no report was sooner for it."""
    size_bytes = sum(path.stat().st_size for path in folder.glob("records/001-*/[0-9]*.json"))
    with PlainFolder.opened(folder) as files, closing(ResultsFolder(files)) as opened:
        blocks.compact(opened, 1, blocks=2, short_bytes=2 * size_bytes + 1)
        assert not (folder / "series").exists()
        blocks.compact(opened, 1, blocks=2, short_bytes=2 * size_bytes)
    assert (folder / "series" / "001.json").exists()


def test_what_was_begun_is_ended_however_short_the_study(folder: Path) -> None:
    """As a crash leaves it: one record was not written anew yet."""
    path = next(folder.glob("records/001-*/00-*.json"))
    before, whole = rows_of(folder), path.read_bytes()
    compact(folder, 1)
    path.write_bytes(whole)
    seal(folder)
    with PlainFolder.opened(folder) as files, closing(ResultsFolder(files)) as opened:
        blocks.compact(opened, 1, blocks=2)
    assert json.loads(path.read_text())["series"] == "001"
    assert rows_of(folder) == before


def test_doing_it_again_changes_nothing(folder: Path) -> None:
    compact(folder, 1)
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    compact(folder, 1)
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before


@pytest.mark.parametrize("step", range(9))
def test_a_crash_at_any_step_loses_nothing(
    folder: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each rename is a step: two Parquet files, their mark, then a run record each."""
    before = rows_of(folder)
    real, done = os.rename, 0

    def rename(*names: Any, **folders: Any) -> None:
        nonlocal done
        if done == step:
            raise KeyboardInterrupt
        done += 1
        real(*names, **folders)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "rename", rename)
        compact(folder, 1)
    assert rows_of(folder) == before
    compact(folder, 1)
    assert rows_of(folder) == before
    assert all(json.loads(path.read_text())["series"] for path in folder.glob("records/001*/0*"))


def test_rows_that_do_not_read_back_stay_in_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in folder.glob("records/*/*")}
    real = blocks._read_parquet

    def one_off(path: Path, opened: Path, names: Any) -> Any:
        return {name: column + 1 for name, column in real(path, opened, names).items()}

    monkeypatch.setattr(blocks, "_read_parquet", one_off)
    with pytest.raises(RigError, match="does not read back"):
        compact(folder, 1)
    assert {path: path.read_bytes() for path in folder.glob("records/*/*")} == before


@pytest.mark.parametrize("name", ["001-counts.parquet", "001-intervals.parquet"])
def test_a_damaged_file_is_named_not_believed(folder: Path, name: str) -> None:
    compact(folder, 1)
    path = folder / "series" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ChangedError) as refused:
        rows_of(folder)
    assert refused.value.exit_code == 3
    assert f"series/{name}: this record was changed" in refused.value.details[0]
    path.unlink()
    with pytest.raises(ChangedError, match="were changed") as refused:
        rows_of(folder)
    assert refused.value.details == (f"series/{name}: it is missing",)


def test_a_run_cannot_borrow_another_blocks_rows(folder: Path) -> None:
    compact(folder, 1)
    compact(folder, 0)
    path = next(folder.glob("records/001*/00-*.json"))
    record = RunRecord.model_validate_json(path.read_text())
    path.write_text(record.model_copy(update={"series": "000"}).model_dump_json())
    seal(folder)
    with pytest.raises(InputError, match="belongs to another block"):
        read_results(folder)
