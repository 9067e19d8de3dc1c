"""Two benches at once would measure and sweep up one another."""

import os

import pytest

import scratch


def test_a_second_bench_is_refused_until_the_first_is_done() -> None:
    try:
        lock = scratch.the_only_bench()
    except SystemExit:
        pytest.skip("a bench is running on this machine")
    with pytest.raises(SystemExit, match="another bench is running here"):
        scratch.the_only_bench()
    os.close(lock)
    os.close(scratch.the_only_bench())
