"""What one run of many clients says, from numbers that a person can add up."""

from __future__ import annotations

import pytest

from fsgauge.stats.clients import (
    files_per_second,
    mean_throughput,
    shares_of_mean,
    throughputs,
    time_to_complete_ns,
)
from fsgauge.wire import JobShare, LoadResult
from tests.synthetic import make_study
from tests.synthetic_connections import make_connections


def run(test: str = "write") -> LoadResult:
    made = make_connections(clients=4, blocks=1)
    result = next(run.result for run in made.runs if run.cell.test == test)
    assert result is not None and result.clients is not None
    return result


def of_jobs(*jobs: tuple[int, int, int | None]) -> LoadResult:
    """(operations, bytes, own time) a client."""
    shares = [JobShare(operations=o, size_bytes=s, elapsed_ns=t) for o, s, t in jobs]
    return run().model_copy(update={"jobs": shares, "elapsed_ns": 2 * 10**9})


def test_throughput_is_over_each_clients_own_time() -> None:
    result = of_jobs((10, 4000, 10**9), (10, 4000, 2 * 10**9), (10, 4000, None))
    assert throughputs(result) == [4000, 2000, 2000]
    assert mean_throughput(result) == pytest.approx(8000 / 3)


def test_one_reader_has_no_mean_over_clients_and_no_shares() -> None:
    alone = of_jobs((10, 4000, 10**9))
    assert mean_throughput(alone) is None and shares_of_mean(alone) == []


def test_shares_of_equal_work_are_of_bytes() -> None:
    found = shares_of_mean(of_jobs((1, 4000, 2 * 10**9), (9, 4000, 10**9)))
    assert found == pytest.approx([2000 / 3000, 4000 / 3000])


def test_a_client_that_was_dealt_small_files_is_not_unfairly_served() -> None:
    """Equal operations a second: bytes differ because its files do."""
    found = shares_of_mean(of_jobs((100, 4000, 10**9), (100, 4_000_000, 10**9)))
    assert found == [1, 1]


def test_a_client_that_did_nothing_has_share_zero() -> None:
    assert shares_of_mean(of_jobs((0, 0, 10**9), (100, 4000, 10**9)))[0] == 0


@pytest.mark.parametrize(
    "changes", [{"ended": "duration"}, {"gave_up": 1}], ids=["time limit", "a client gave up"]
)
def test_work_that_was_not_done_has_no_time_to_complete(changes: dict[str, object]) -> None:
    result = run()
    assert result.clients is not None
    assert time_to_complete_ns(result) == result.elapsed_ns
    clients = result.clients.model_copy(update={"clients_gave_up": changes.get("gave_up", 0)})
    ended = changes.get("ended", "size_limit")
    assert (
        time_to_complete_ns(result.model_copy(update={"ended": ended, "clients": clients})) is None
    )


def test_files_per_second_are_of_whole_files() -> None:
    result = run()
    assert result.clients is not None
    expected = result.clients.files * 1e9 / result.elapsed_ns
    assert files_per_second(result) == pytest.approx(expected)
    plain = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=1)
    assert plain.runs[0].result is not None
    assert files_per_second(plain.runs[0].result) is None
