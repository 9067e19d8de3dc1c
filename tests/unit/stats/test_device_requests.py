"""The device's requests beside the load's operations: merged, split, or as they were asked for."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.stats import device_requests
from tests.synthetic import make_study

BLOCK_BYTES = 4096


def run_with(pattern: str, *, size_bytes: int, requests_of: float, extra: float = 1.0) -> RunRecord:
    """A run in which the device moved `extra` times what was asked, in requests of a mean size."""
    run = make_study(patterns=(pattern,), block_sizes=(size_bytes,), blocks=1).runs[0]
    assert run.result is not None
    intervals = Intervals.of(run.result.intervals)
    asked = sum(int(intervals.column(f"{side}_size_bytes").sum()) for side in ("read", "write"))
    moved, side = int(asked * extra), "write" if pattern.endswith("write") else "read"
    counters: dict[str, Any] = {
        "read_requests": 0,
        "read_bytes": 0,
        "write_requests": 0,
        "write_bytes": 0,
        "discard_requests": 0,
        "discard_bytes": 0,
        f"{side}_requests": max(1, round(moved / requests_of)),
        f"{side}_bytes": moved,
    }
    return run.model_copy(update={"device": DeviceRun(name="loop0", **counters)})


def verdict(run: RunRecord) -> tuple[str | None, str | None]:
    assert run.result is not None
    return device_requests.merged(run, run.result), device_requests.split(run, run.result)


@pytest.mark.parametrize("pattern", ["randread", "randwrite"])
def test_requests_as_they_were_asked_for_are_not_named(pattern: str) -> None:
    run = run_with(pattern, size_bytes=BLOCK_BYTES, requests_of=BLOCK_BYTES)
    assert verdict(run) == (None, None)


def test_merged_requests_are_named_with_both_sizes() -> None:
    """Sixteen neighbours of 4 KiB in one call: the device of an attack got 37.7 KiB."""
    run = run_with("randread", size_bytes=BLOCK_BYTES, requests_of=38_600)
    assert verdict(run) == ("37.7 KiB on average for operations of 4 KiB", None)


def test_split_requests_are_named_where_nothing_else_was_moved() -> None:
    run = run_with("randwrite", size_bytes=256 << 10, requests_of=128 << 10)
    assert verdict(run) == (None, "128 KiB on average for operations of 256 KiB")
    with_journal = run_with("randwrite", size_bytes=256 << 10, requests_of=128 << 10, extra=1.3)
    assert verdict(with_journal) == (None, None)


def test_what_cannot_be_compared_is_not() -> None:
    run = run_with("randread", size_bytes=BLOCK_BYTES, requests_of=38_600)
    assert run.load is not None
    for changes in ({"direct": False}, {"read_percent": 70}):
        job = run.load.model_copy(update=changes)
        assert verdict(run.model_copy(update={"job": job})) == (None, None)
    assert verdict(run.model_copy(update={"device": None})) == (None, None)
    assert run.device is not None
    idle = run.device.model_copy(update={"read_requests": 0, "read_bytes": 0})
    assert device_requests.mean_request_bytes(idle, writes=False) is None
