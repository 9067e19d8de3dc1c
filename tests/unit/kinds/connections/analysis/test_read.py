"""All of a study's records: what is there, what is not, and what other studies do not have."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.stats.results import Results
from tests.synthetic import make_study
from tests.synthetic_connections import BASELINE, OTHER, make_connections

ALL = ("write", "read", "stat", "mix", "backup")
SMALL: dict[str, Any] = {"clients": 20, "blocks": 3}


def results(**changes: Any) -> Results:
    return make_connections(**{**SMALL, **changes}).results()


def test_another_study_has_none() -> None:
    made = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=2)
    found = made.results()
    assert found.own is None
    assert {metric.name for metric in found.metrics} & {"complete", "files", "create.mean"} == set()


def test_cells_are_judged_by_bytes_or_by_files() -> None:
    metrics = results(tests=ALL).primary_metrics
    files = {cell for cell, metric in metrics.items() if metric == "files"}
    assert files == {"stat", "mix"} and set(metrics.values()) == {"files", "bandwidth"}


def test_every_operation_has_its_latency_from_the_moment_it_was_asked_for() -> None:
    found = results(tests=ALL)
    assert found.latency_kind == "response"
    measured = {(m.cell, m.metric) for m in found.measurements}
    for operation in ("create", "open", "write", "close"):
        assert ("write", f"{operation}.mean") in measured
    assert ("stat", "stat.mean") in measured and ("mix", "list.mean") in measured
    assert ("write", "write.p99") in measured
    assert ("write", "create.p999") not in measured  # 200 creates: fewer than ten beyond
    run = next(run for run in make_connections(**SMALL).runs if run.cell.id == "write")
    assert run.result is not None and run.result.clients is not None
    made = next(m for m in found.measurements if (m.cell, m.metric) == ("write", "create.mean"))
    part = next(p for p in run.result.clients.operations if p.operation == "create")
    assert made.value == pytest.approx(
        part.response_latency.sum_ns / part.response_latency.operations, rel=0.2
    )


def test_the_call_itself_is_less_than_the_response() -> None:
    connections = results().own
    assert connections is not None
    (creates,) = [
        each
        for each in connections.times
        if (each.cell, each.system, each.operation) == ("write", OTHER, "create")
    ]
    assert creates.share.value == pytest.approx(0.5, rel=0.01) and creates.operations == 200


def test_the_slowest_clients_share_and_the_ends() -> None:
    connections = results(slowest=lambda turn, cell: 0.8).own
    assert connections is not None
    shares = next(e for e in connections.shares if (e.cell, e.system) == ("write", BASELINE))
    assert shares.smallest.value == pytest.approx(0.8, abs=0.005)
    assert shares.smallest.value < shares.tenth.value < shares.half.value < shares.largest.value
    assert shares.first_done_ns is not None and shares.last_done_ns is not None
    assert shares.first_done_ns.value < shares.last_done_ns.value
    assert {each.cell for each in connections.shares} == {"write", "read", "backup-fill"}


def test_runs_end_by_their_work_and_a_mix_by_its_time() -> None:
    sure = results(tests=ALL).sureness
    assert sure.runs_judged_steady == 9  # of the mix
    assert sure.runs_by_passes == sure.runs_complete - 9
    assert sure.io_errors == sure.client_errors == 0


def test_a_run_that_failed_is_left_out_of_its_cell_alone() -> None:
    found = results(blocks=4, faults=lambda turn, cell: turn.block == 1 and cell.id == "read")
    write, read = (
        found.comparison("write", OTHER, "bandwidth"),
        found.comparison("read", OTHER, "bandwidth"),
    )
    assert write is not None and write.n == 4
    assert read is not None and read.n == 3 and read.left_out == [1]


def test_results_are_stored_and_read_again() -> None:
    found = results()
    assert Results.model_validate_json(found.model_dump_json()) == found
