"""SQL over many clients, and their rows in Parquet: the same numbers before and after."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fsgauge.stats.metrics import values
from fsgauge.store import read_results
from fsgauge.store.rows import histograms
from fsgauge.store.views import VIEWS
from tests.sealing import compacted as compact
from tests.synthetic_connections import make_connections
from tests.synthetic_curve import Queue
from tests.synthetic_kinds import make_metadata
from tests.unit.store.queried import has_its_columns, rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One block in Parquet and one in JSON."""
    path = make_connections(blocks=2).write(tmp_path_factory.mktemp("results") / "study")
    compact(path, 0)
    return path


def buckets(directory: Path) -> list[tuple[Any, ...]]:
    """Every filled bucket of every operation of clients, as the records have it."""
    return sorted(
        (run.block, run.turn, run.position, name.removeprefix("client_"), bucket, operations)
        for run in read_results(directory).runs
        if run.result
        for name, each in histograms(run.result).items()
        if name.startswith("client_")
        for bucket, operations in each.counts
    )


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_view_has_the_columns_that_are_documented(folder: Path, view: Any) -> None:
    assert has_its_columns(folder, view)


def test_rows_are_the_same_before_and_after(tmp_path: Path) -> None:
    path = make_connections(blocks=2).write(tmp_path / "study")
    before = buckets(path)
    assert before
    compact(path, 1)
    assert buckets(path) == before
    for file in path.glob("records/001-*/[0-9]*.json"):
        clients = json.loads(file.read_text())["parts"][0]["slices"][0]["result"]["clients"]
        for each in clients["operations"]:
            assert each["response_latency"]["counts"] == []
            assert each["service_latency"]["counts"] == []
            assert each["operations"] == each["response_latency"]["operations"]


def test_histograms_of_each_operation_are_those_of_the_records(folder: Path) -> None:
    sql = (
        "select block, turn, position, operation || '.' || latency, bucket, operations"
        " from client_histograms order by all"
    )
    assert rows(folder, sql) == buckets(folder)
    assert rows(folder, "select count(*) from client_histograms where high_ns < low_ns") == [(0,)]


def test_reads_and_writes_of_clients_are_not_counted_twice(folder: Path) -> None:
    for operation in ("read", "write"):
        expected = sum(
            getattr(run.result, operation).operations
            for run in read_results(folder).runs
            if run.result and getattr(run.result, operation)
        )
        found = rows(
            folder,
            "select operation, sum(operations) from histograms where latency = 'service'"
            " group by operation",
        )
        assert dict(found)[operation] == expected


def test_operations_are_those_of_the_records(folder: Path) -> None:
    expected = sorted(
        (
            *(run.block, run.turn, run.position, each.operation, each.operations),
            *(each.size_bytes, each.errors, each.response_latency.sum_ns),
        )
        for run in read_results(folder).runs
        if run.result and run.result.clients
        for each in run.result.clients.operations
    )
    sql = (
        "select block, turn, position, operation, operations, size_bytes, errors, response_sum_ns"
        " from client_operations order by all"
    )
    assert rows(folder, sql) == expected


def test_a_run_has_what_its_clients_did(folder: Path) -> None:
    expected = sorted(
        (run.block, run.turn, run.position, run.result.clients.files, run.result.clients.active_ns)
        for run in read_results(folder).runs
        if run.result and run.result.clients
    )
    assert rows(
        folder, "select block, turn, position, files, active_ns from runs order by all"
    ) == (expected)


@pytest.mark.parametrize("view", ["histograms", "client_histograms", "intervals", "rates"])
def test_rows_of_many_clients_are_joined_in_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    """72 runs took 3 GiB: each bucket took the whole document of its run along."""
    monkeypatch.setattr("fsgauge.plain_files.bounds.DATABASE_MEMORY", "150MiB")
    path = make_connections(blocks=2).write(tmp_path / "study")
    assert len(rows(path, f"from {view}")) > 0


def test_rates_of_files_are_those_of_the_page_and_nothing_is_called_no_operations(
    tmp_path: Path,
) -> None:
    made = make_metadata({"ext4": Queue(5000.0)}, "workload.clients=[1]", blocks=2)
    path = made.write(tmp_path / "metadata")
    on_page = [values(run.result)["files"] for run in made.runs if run.result is not None]
    found = rows(path, "select iops, files from rates")
    assert sorted(files for _, files in found) == pytest.approx(sorted(on_page))
    assert {iops for iops, _ in found} == {None}
