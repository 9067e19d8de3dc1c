"""Two benches at once would measure and sweep up one another."""

import os

import pytest

import scratch
from side_by_side import Failed


def test_a_second_bench_is_refused_until_the_first_is_done() -> None:
    try:
        lock = scratch.the_only_bench()
    except Failed:
        pytest.skip("a bench is running on this machine")
    with pytest.raises(Failed, match="another bench is running here"):
        scratch.the_only_bench()
    os.close(lock)
    os.close(scratch.the_only_bench())
