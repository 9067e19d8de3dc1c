"""Whether the device got the operations as they were asked for: larger, smaller, or as they are.

The kernel may merge neighbours that come together and must split what is too long, or lies in
several pieces. Then a cell of "4 KiB" did not measure requests of 4 KiB. The device's own counters
say which, where past the page cache all operations of a run have one size and one direction.
"""

from __future__ import annotations

from fsgauge.engine.wire import LoadResult
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import RunRecord
from fsgauge.record.series import Intervals
from fsgauge.units import format_size

TOLERANCE = 0.10


def mean_request_bytes(device: DeviceRun, *, writes: bool) -> float | None:
    """Of the requests that the device completed in one direction; None where there were none."""
    requests = device.write_requests if writes else device.read_requests
    size_bytes = device.write_bytes if writes else device.read_bytes
    return size_bytes / requests if requests else None


def merged(run: RunRecord, _result: LoadResult) -> str | None:
    """The device got larger requests than the load has operations."""
    found = _compared(run)
    if found is None or found[0] <= (1 + TOLERANCE) * found[1]:
        return None
    return _words(*found)


def split(run: RunRecord, result: LoadResult) -> str | None:
    """The device got smaller requests, and no others beside them that could explain it."""
    found = _compared(run)
    if found is None or found[0] >= (1 - TOLERANCE) * found[1]:
        return None
    moved_bytes, asked_bytes = _moved_bytes(run), _asked_bytes(result)
    if abs(moved_bytes - asked_bytes) > TOLERANCE * asked_bytes:
        return None  # a journal's writes, or blocks that the file system looked up
    return _words(*found)


def _compared(run: RunRecord) -> tuple[float, int] | None:
    """The mean request and the size of an operation, where the two can be compared."""
    load, device = run.load, run.device
    if load is None or device is None or not load.direct or len(load.block_sizes) != 1:
        return None
    if load.read_percent not in (0, 100) or load.companions:
        return None
    mean_bytes = mean_request_bytes(device, writes=load.read_percent == 0)
    return None if mean_bytes is None else (mean_bytes, load.block_sizes[0].size_bytes)


def _moved_bytes(run: RunRecord) -> int:
    assert run.load is not None and run.device is not None  # noqa: S101 - compared before
    return run.device.write_bytes if run.load.read_percent == 0 else run.device.read_bytes


def _asked_bytes(result: LoadResult) -> int:
    """By the load, warm-up included: the device did not know which was which."""
    intervals = Intervals.of(result.intervals)
    sizes = intervals.column("read_size_bytes") + intervals.column("write_size_bytes")
    return int(sizes.sum())


def _words(mean_bytes: float, block_bytes: int) -> str:
    mean, block = format_size(round(mean_bytes)), format_size(block_bytes)
    return f"{mean} on average for operations of {block}"
