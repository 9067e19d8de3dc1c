"""What is read out of a run.

What one run of many clients says, from numbers that a person can add up.
"""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import JobShare, LoadResult
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import RunRecord
from fsgauge.stats import metrics
from fsgauge.stats.analysis import Analysis
from tests.synthetic import make_study
from tests.synthetic.setting import with_result
from tests.synthetic_connections import make_connections

ONE_CELL = {"patterns": ("randrw",), "block_sizes": (4096,), "queue_depths": (32,), "blocks": 1}


def test_rates_latencies_and_cpu_follow_from_the_counts() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None and run.result.read and run.result.write
    found = metrics.values(run.result)
    operations = run.result.read.operations + run.result.write.operations
    assert found["iops"] == pytest.approx(operations / 10)
    assert found["bandwidth"] == pytest.approx(operations * 4096 / 10)
    cpu_ns = run.result.cpu.user_ns + run.result.cpu.system_ns
    assert found["cpu"] == pytest.approx(cpu_ns / operations)
    assert found["read.p50"] < found["read.p99"] < found["read.p999"]
    assert set(found) <= set(metrics.METRICS)


def test_percentiles_are_known_to_their_buckets_and_nothing_else_is() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None
    found = metrics.readings(run.result)
    assert {name: reading.value for name, reading in found.items()} == metrics.values(run.result)
    open_ = {name for name, reading in found.items() if reading.reach}
    assert open_ == {name for name in found if metrics.METRICS[name].resolution}
    assert all(metrics.BUCKET / 4 < found[name].reach < metrics.BUCKET for name in open_)


def test_under_a_pace_latency_counts_from_the_intended_start() -> None:
    run = make_study(**ONE_CELL, rate=5000.0).runs[0]
    assert run.result is not None and run.result.read is not None
    slower = run.result.read.service_latency.model_copy(update={"sum_ns": 10**15})
    read = run.result.read.model_copy(update={"response_latency": slower})
    found = metrics.values(run.result.model_copy(update={"read": read}))
    assert found["read.mean"] == pytest.approx(10**15 / slower.operations)


def test_a_run_without_operations_has_no_values() -> None:
    run = make_study(**ONE_CELL).runs[0]
    assert run.result is not None
    assert metrics.values(run.result.model_copy(update={"read": None, "write": None})) == {}


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
    higher = {name for name, metric in metrics.METRICS.items() if metric.higher_is_better}
    assert higher == {"iops", "bandwidth", "per_client", "files"}


def run(test: str = "write") -> LoadResult:
    made = make_connections(clients=4, blocks=1)
    result = next(run.result for run in made.runs if ConnectionsFactors.of(run.cell).test == test)
    assert result is not None and result.clients is not None
    return result


def of_jobs(*jobs: tuple[int, int, int | None]) -> LoadResult:
    """(operations, bytes, own time) a client."""
    shares = [JobShare(operations=o, size_bytes=s, elapsed_ns=t) for o, s, t in jobs]
    return run().model_copy(update={"jobs": shares, "elapsed_ns": 2 * 10**9})


def test_throughput_is_over_each_clients_own_time() -> None:
    result = of_jobs((10, 4000, 10**9), (10, 4000, 2 * 10**9), (10, 4000, None))
    assert metrics.throughputs(result) == [4000, 2000, 2000]
    assert metrics.mean_throughput(result) == pytest.approx(8000 / 3)


def test_one_reader_has_no_mean_over_clients_and_no_shares() -> None:
    made = make_connections(clients=4, blocks=1)
    backup = next(run for run in made.runs if ConnectionsFactors.of(run.cell).test == "backup")
    assert backup.result is not None
    assert metrics.mean_throughput(backup.result) is None and metrics.client_paces(backup) == []


def shares(record: RunRecord, jobs: list[JobShare]) -> list[float]:
    assert record.result is not None
    result = record.result.model_copy(update={"jobs": jobs})
    return metrics.client_paces(with_result(record, result))


def of_test(test: str, **changes: object) -> RunRecord:
    made = make_connections(clients=2, blocks=1, **changes)
    return next(run for run in made.runs if ConnectionsFactors.of(run.cell).test == test)


def test_shares_of_equal_work_are_those_of_throughput() -> None:
    jobs = [JobShare(operations=50, size_bytes=4000, elapsed_ns=t) for t in (2 * 10**9, 10**9)]
    assert shares(of_test("write"), jobs) == pytest.approx([2 / 3, 4 / 3])


def test_a_client_with_more_work_may_take_longer() -> None:
    """Each needs exactly the mean responses of its own operations: nobody was held back."""
    record = of_test("write")
    assert record.result is not None and record.result.clients is not None
    costs = {
        part.operation: part.response_latency.sum_ns / part.operations
        for part in record.result.clients.operations
    }
    of_file = costs["create"] + costs["open"] + costs["close"]
    jobs = [
        JobShare(operations=n, size_bytes=n, elapsed_ns=round(n * costs["write"] + 10 * of_file))
        for n in (10, 5000)
    ]
    assert shares(record, jobs) == pytest.approx([1, 1], rel=1e-6)


def test_clients_that_began_later_are_not_slower() -> None:
    record = of_test("write")
    job = record.job.model_copy(update={"ramp_ns": 2 * 10**9})
    jobs = [JobShare(operations=9, size_bytes=9, elapsed_ns=t) for t in (10**9, 2 * 10**9)]
    assert shares(record.model_copy(update={"job": job}), jobs) == pytest.approx([1, 1])


def test_shares_are_not_told_where_some_did_not_come_to_their_end() -> None:
    jobs = [JobShare(operations=9, size_bytes=9, elapsed_ns=t) for t in (10**9, None)]
    assert shares(of_test("write"), jobs) == []
    assert metrics.client_paces(of_test("mix", tests=("write", "mix"))) == []


@pytest.mark.parametrize(
    "changes", [{"ended": "duration"}, {"gave_up": 1}], ids=["time limit", "a client gave up"]
)
def test_work_that_was_not_done_has_no_time_to_complete(changes: dict[str, object]) -> None:
    result = run()
    assert result.clients is not None
    assert metrics.time_to_complete_ns(result) == result.elapsed_ns
    clients = result.clients.model_copy(update={"clients_gave_up": changes.get("gave_up", 0)})
    ended = changes.get("ended", "size_limit")
    assert (
        metrics.time_to_complete_ns(result.model_copy(update={"ended": ended, "clients": clients}))
        is None
    )


def test_a_sync_at_the_end_is_in_the_time_to_complete_as_in_the_rates() -> None:
    """The rates of a test were of a longer time than the one that stood above them."""
    result = run()
    assert result.clients is not None
    synced = result.model_copy(
        update={"clients": result.clients.model_copy(update={"sync_at_end_ns": 7 * 10**9})}
    )
    assert metrics.time_to_complete_ns(synced) == result.elapsed_ns + 7 * 10**9
    files_a_second = result.clients.files * 1e9 / (result.elapsed_ns + 7 * 10**9)
    assert metrics.files_per_second(synced) == pytest.approx(files_a_second)


def test_files_per_second_are_of_whole_files() -> None:
    result = run()
    assert result.clients is not None
    expected = result.clients.files * 1e9 / result.elapsed_ns
    assert metrics.files_per_second(result) == pytest.approx(expected)
    synced = result.clients.model_copy(update={"sync_at_end_ns": result.elapsed_ns})
    of_both = metrics.files_per_second(result.model_copy(update={"clients": synced}))
    assert of_both == pytest.approx(expected / 2), "a sync at the end is in the time"
    plain = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=1)
    assert plain.runs[0].result is not None
    assert metrics.files_per_second(plain.runs[0].result) is None
