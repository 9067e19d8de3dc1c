"""What is read out of a run."""

from __future__ import annotations

import pytest

from fsgauge.stats.analysis import Analysis
from fsgauge.stats.metrics import BUCKET, METRICS, readings, values
from tests.synthetic import make_study

ONE_CELL = {"patterns": ("randrw",), "block_sizes": (4096,), "queue_depths": (32,), "blocks": 1}


def test_rates_latencies_and_cpu_follow_from_the_counts() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None and run.result.read and run.result.write
    found = values(run.result)
    operations = run.result.read.operations + run.result.write.operations
    assert found["iops"] == pytest.approx(operations / 10)
    assert found["bandwidth"] == pytest.approx(operations * 4096 / 10)
    cpu_ns = run.result.cpu.user_ns + run.result.cpu.system_ns
    assert found["cpu"] == pytest.approx(cpu_ns / operations)
    assert found["read.p50"] < found["read.p99"] < found["read.p999"]
    assert set(found) <= set(METRICS)


def test_percentiles_are_known_to_their_buckets_and_nothing_else_is() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None
    found = readings(run.result)
    assert {name: reading.value for name, reading in found.items()} == values(run.result)
    open_ = {name for name, reading in found.items() if reading.reach}
    assert open_ == {name for name in found if METRICS[name].resolution}
    assert all(BUCKET / 4 < found[name].reach < BUCKET for name in open_)


def test_under_a_pace_latency_counts_from_the_intended_start() -> None:
    run = make_study(**ONE_CELL, rate=5000.0).runs[0]
    assert run.result is not None and run.result.read is not None
    slower = run.result.read.service_latency.model_copy(update={"sum_ns": 10**15})
    read = run.result.read.model_copy(update={"response_latency": slower})
    found = values(run.result.model_copy(update={"read": read}))
    assert found["read.mean"] == pytest.approx(10**15 / slower.operations)


def test_a_run_without_operations_has_no_values() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None
    assert values(run.result.model_copy(update={"read": None, "write": None})) == {}


def test_a_pace_moves_the_judgement_from_rate_to_latency() -> None:
    cell = make_study(**ONE_CELL).study.plan.cells[0]
    reads, writes = (
        cell.model_copy(update={"factors": {**cell.factors, "read_percent": each}})
        for each in (70, 0)
    )
    metric = Analysis().primary_metric
    assert metric(writes, paced=False) == "iops"
    assert metric(reads, paced=True) == "read.p99"
    assert metric(writes, paced=True) == "write.p99"


def test_directions_are_declared() -> None:
    higher = {name for name, metric in METRICS.items() if metric.higher_is_better}
    assert higher == {"iops", "bandwidth", "per_client", "files"}
