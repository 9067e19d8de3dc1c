"""SQL over a results folder: right numbers, no writing, no file outside."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import InputError
from fsgauge.stats.metrics import values
from fsgauge.store import read_results
from fsgauge.store.__main__ import reference_page
from fsgauge.store.query import asked
from fsgauge.store.rows import histograms
from fsgauge.store.views import VIEWS
from tests.sealing import compacted as compact
from tests.synthetic import make_study
from tests.synthetic_aging import make_aging
from tests.synthetic_curve import make_curve
from tests.unit.store.queried import rows

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "records.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One block in Parquet and one in JSON, in a folder whose name is full of patterns."""
    path = tmp_path_factory.mktemp("results") / "it's [a] *study?"
    path.mkdir()
    make_study(blocks=2, queue_depths=(1,), block_sizes=(4096,)).write(path)
    compact(path, 1)
    return path


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_view_has_the_columns_that_are_documented(folder: Path, view: Any) -> None:
    with asked(folder, f"from {view.name}") as answer:
        assert answer.columns == [column.name for column in view.columns]
        may_be_empty = view.name in ("journal", "integrity", "companions", "scans", "steps")
        assert list(answer.batches()) or may_be_empty or view.name.startswith(("client_", "path_"))


def test_rates_are_those_of_the_page(folder: Path) -> None:
    """Of each run: what `runs` has to be summed up for, and what `histograms` has to be."""
    found = rows(folder, "select block, turn, position, iops, bandwidth, p99_ms from rates")
    runs = {(run.block, run.turn, run.position): run for run in read_results(folder).runs}
    assert len(found) == len(runs) > 0
    for block, turn, position, iops, bandwidth, p99_ms in found:
        result = runs[block, turn, position].result
        assert result is not None
        on_page = values(result)
        assert iops == pytest.approx(on_page["iops"], rel=1e-6)
        assert bandwidth == pytest.approx(on_page["bandwidth"], rel=1e-6)
        assert p99_ms is None or p99_ms > 0


def test_a_percentile_is_of_all_operations_and_withheld_where_they_are_few(folder: Path) -> None:
    by_hand = """select block, turn, position, sum(operations) from histograms
        where operation in ('read', 'write') and latency = 'service' group by all"""
    totals = {tuple(row[:3]): row[3] for row in rows(folder, by_hand)}
    for *run, p99_ms in rows(folder, "select block, turn, position, p99_ms from rates"):
        total = totals[tuple(run)]
        assert (p99_ms is None) == (total - math.ceil(0.99 * total) < 10)
        if p99_ms is not None:
            above = rows(
                folder,
                f"""select coalesce(sum(operations), 0) from histograms where block = {run[0]}
                and turn = {run[1]} and position = {run[2]} and latency = 'service'
                and operation in ('read', 'write') and low_ns / 1e6 > {p99_ms!r}""",  # noqa: S608
            )
            assert above[0][0] <= 0.01 * total


def test_under_a_pace_the_percentile_is_of_the_response_as_on_the_page(tmp_path: Path) -> None:
    made = make_curve(blocks=2)
    folder = made.write(tmp_path / "paced")
    on_page = [values(run.result)["read.p99"] for run in made.runs if run.result is not None]
    found = [each for (each,) in rows(folder, "select 1e6 * p99_ms from rates")]
    assert sorted(found) == pytest.approx(sorted(on_page), rel=0.01)


def test_histograms_are_those_of_the_records(folder: Path) -> None:
    expected = {
        (run.block, run.turn, run.position, *name.split("."), bucket, operations)
        for run in read_results(folder).runs
        if run.result
        for name, histogram in histograms(run.result).items()
        for bucket, operations in histogram.counts
    }
    found = rows(
        folder,
        "select block, turn, position, operation, latency, bucket, operations from histograms",
    )
    assert set(found) == expected
    assert len(found) == len(expected)


def test_buckets_have_the_bounds_of_the_engine(folder: Path) -> None:
    from tests.synthetic import bucket_index

    for bucket, low, high in rows(
        folder, "select distinct bucket, low_ns, high_ns from histograms"
    ):
        assert bucket_index(low) == bucket_index(high) == bucket
        assert bucket_index(high + 1) == bucket + 1


def test_intervals_are_those_of_the_records(folder: Path) -> None:
    expected = sorted(
        (run.block, run.turn, run.position, each.start_ns, each.read.operations)
        for run in read_results(folder).runs
        if run.result
        for each in run.result.intervals
    )
    found = rows(
        folder,
        "select block, turn, position, start_ns, read_operations from intervals order by all",
    )
    assert found == expected


def test_runs_add_up(folder: Path) -> None:
    total = sum(
        part.operations
        for run in read_results(folder).runs
        if run.result
        for part in (run.result.read, run.result.write)
        if part
    )
    runs = "select sum(coalesce(read_operations, 0) + coalesce(write_operations, 0)) from runs"
    assert rows(folder, runs) == [(total,)]
    assert rows(folder, "select sum(operations) from histograms") == [(total,)]


@pytest.mark.parametrize(
    "sql",
    [
        "copy runs to 'out.csv'",
        "create table t as select 1",
        "attach 'other.db'",
        "install httpfs",
        "set memory_limit = '1GB'",
        "select 1; select 2",
        "explain analyze copy runs to 'out.csv'",
        "",
        "-- nothing",
    ],
)
def test_only_one_select(folder: Path, sql: str) -> None:
    before = sorted(folder.rglob("*"))
    with pytest.raises(InputError, match="one SELECT"):
        rows(folder, sql)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_csv('/etc/passwd')",
        "select * from read_text('/etc/hostname')",
        "select * from glob('/etc/*')",
        "select * from '/etc/passwd'",
    ],
)
def test_no_file_outside_of_the_folder(folder: Path, sql: str) -> None:
    with pytest.raises(InputError):
        rows(folder, sql)


def test_the_words_of_duckdb_name_the_nearest_column(folder: Path) -> None:
    with pytest.raises(InputError) as refused:
        rows(folder, "select sytem from runs")
    assert refused.value.exit_code == 2
    assert '"system"' in refused.value.render()


def test_all_columns_are_sorted_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1,260 runs took more than 2 GiB: each column kept a copy of the document it is read from."""
    monkeypatch.setattr("fsgauge.plain_files.bounds.DATABASE_MEMORY", "300MiB")
    made = make_aging(blocks=2)
    made.write(tmp_path)
    with asked(tmp_path, "SELECT * FROM runs ORDER BY block DESC, system") as answer:
        rows = [row for batch in answer.batches() for row in batch]
    assert len(rows) == len(made.runs)


def test_a_query_that_needs_too_much_memory_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsgauge.plain_files.bounds.DATABASE_MEMORY", "100 MiB")
    with pytest.raises(InputError) as refused:
        rows(folder, "select list(repeat(a.system, 300)) from intervals a, intervals b, runs")
    assert "of memory, the most allowed" in refused.value.what
    assert "not right" not in refused.value.cause


def test_times_with_a_zone_are_text(folder: Path) -> None:
    assert isinstance(rows(folder, "select now() as t, 1 as n;")[0][0], str)


def test_the_reference_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == reference_page(), (
        "run: python -m fsgauge.store > docs/reference/records.md"
    )
