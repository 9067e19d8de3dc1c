"""Many rows of one run without an object for each: histogram buckets and intervals as arrays.

`Counts` and `Intervals` read like the lists of `fsgauge.engine.wire` that they stand for, and give
their columns as numpy arrays at once. Rows come from memory or, when first asked for, from a stored
block (`fsgauge.store.blocks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from fsgauge.engine.wire import Interval, IntervalCount

Integers = npt.NDArray[np.int64]
Columns = Mapping[str, npt.NDArray[Any]]
Load = Callable[[], tuple[Columns, int, int]]
"""Gives columns, and which of their rows are meant: the first, and the one after the last."""

COUNT_COLUMNS = ("bucket", "operations")
INTERVAL_COLUMNS = (
    "start_ns",
    "elapsed_ns",
    "warm_up",
    "read_operations",
    "read_size_bytes",
    "read_latency_sum_ns",
    "write_operations",
    "write_size_bytes",
    "write_latency_sum_ns",
)


class _Rows:
    """Some of the rows that `load` gives; loaded when first asked for, and not kept here."""

    __slots__ = ("_load",)

    def __init__(self, load: Load) -> None:
        self._load = load

    def __len__(self) -> int:
        _, start, stop = self._load()
        return stop - start

    def column(self, name: str) -> Integers:
        """One column, a value a row; raises InputError when the stored block cannot be read."""
        columns, start, stop = self._load()
        return columns[name][start:stop].astype(np.int64, copy=False)


class Counts(_Rows, Sequence[tuple[int, int]]):
    """The filled buckets of a histogram, ascending: (bucket index, operations)."""

    __slots__ = ()

    @classmethod
    def of(cls, counts: Iterable[tuple[int, int]]) -> Counts:
        """The same rows as arrays; `counts` itself if it is that already."""
        if isinstance(counts, Counts):
            return counts
        rows = np.array(list(counts), dtype=np.int64).reshape(-1, 2)
        columns = {"bucket": rows[:, 0], "operations": rows[:, 1]}
        return cls(lambda: (columns, 0, len(rows)))

    @property
    def buckets(self) -> Integers:
        return self.column("bucket")

    @property
    def operations(self) -> Integers:
        return self.column("operations")

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self.buckets.tolist(), self.operations.tolist(), strict=True)

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[int, int]]: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | Sequence[tuple[int, int]]:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == [tuple(row) for row in other]

    __hash__ = None  # type: ignore[assignment]


class Count(NamedTuple):
    """As `wire.IntervalCount`."""

    operations: int
    size_bytes: int
    latency_sum_ns: int


class Row(NamedTuple):
    """As `wire.Interval`."""

    start_ns: int
    elapsed_ns: int
    warm_up: bool
    read: Count
    write: Count


class Intervals(_Rows, Sequence[Row]):
    """The intervals of a run in order of time."""

    __slots__ = ()

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Intervals:
        """The same rows as arrays; `intervals` itself if it is that already."""
        if isinstance(intervals, Intervals):
            return intervals
        rows = np.array([_flat(each) for each in intervals], dtype=np.int64)
        rows = rows.reshape(-1, len(INTERVAL_COLUMNS))
        columns = {name: rows[:, at] for at, name in enumerate(INTERVAL_COLUMNS)}
        return cls(lambda: (columns, 0, len(rows)))

    @property
    def done(self) -> Integers:
        """The reads and writes in each."""
        return self.column("read_operations") + self.column("write_operations")

    def __iter__(self) -> Iterator[Row]:
        columns = [self.column(name).tolist() for name in INTERVAL_COLUMNS]
        for start_ns, elapsed_ns, warm_up, *counts in zip(*columns, strict=True):
            yield Row(start_ns, elapsed_ns, bool(warm_up), Count(*counts[:3]), Count(*counts[3:]))

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return list(self)[index]


def _flat(interval: Interval) -> tuple[int, ...]:
    return (
        interval.start_ns,
        interval.elapsed_ns,
        int(interval.warm_up),
        *_numbers(interval.read),
        *_numbers(interval.write),
    )


def _numbers(count: IntervalCount) -> tuple[int, int, int]:
    return count.operations, count.size_bytes, count.latency_sum_ns


class OnDemand(dict[str, npt.NDArray[Any]]):
    """Columns of which some are made when they are first asked for: most are not."""

    def __init__(self, make: Callable[[str], npt.NDArray[Any]]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, name: str) -> npt.NDArray[Any]:
        self[name] = self.make(name)
        return self[name]


def joined(parts: Sequence[_Rows], name: str) -> Integers:
    """A column of several runs' rows, one run after the other."""
    return np.concatenate([np.empty(0, dtype=np.int64), *(part.column(name) for part in parts)])


def added(counts: Sequence[Iterable[tuple[int, int]]]) -> Counts:
    """The counts of several histograms of one resolution, bucket by bucket."""

    def load() -> tuple[Columns, int, int]:
        parts = [Counts.of(each) for each in counts]
        buckets, places = np.unique(joined(parts, "bucket"), return_inverse=True)
        operations = np.zeros(len(buckets), dtype=np.int64)
        np.add.at(operations, places, joined(parts, "operations"))
        return {"bucket": buckets, "operations": operations}, 0, len(buckets)

    return Counts(load)


def in_sequence(slices: Sequence[Iterable[Interval]]) -> Intervals:
    """The intervals of slices, each slice beginning where the one before it ended."""

    def load() -> tuple[Columns, int, int]:
        parts = [Intervals.of(rows) for rows in slices]
        lengths = [len(part) for part in parts]
        made = OnDemand(lambda name: _column_in_sequence(parts, lengths, name))
        return made, 0, sum(lengths)

    return Intervals(load)


def _column_in_sequence(parts: Sequence[Intervals], lengths: Sequence[int], name: str) -> Integers:
    column = joined(parts, name)
    if name != "start_ns":
        return column
    ends = [int((p.column("start_ns") + p.column("elapsed_ns")).max(initial=0)) for p in parts]
    return column + np.repeat(np.cumsum([0, *ends[:-1]], dtype=np.int64), lengths)


def summed(machines: Sequence[Iterable[Interval]]) -> Intervals:
    """The intervals of machines side by side: the first ones added, the second ones, and so on. A
    sum begins with the first of its intervals, lasts as long as the longest, and is of the warm-up
    while any is."""

    def load() -> tuple[Columns, int, int]:
        parts = [Intervals.of(rows) for rows in machines]
        lengths = [len(part) for part in parts]
        places, count = np.concatenate([np.arange(length) for length in lengths]), max(lengths)
        made = OnDemand(lambda name: _at_places(name, joined(parts, name), places, count))
        return made, 0, count

    return Intervals(load)


def _at_places(name: str, values: Integers, places: Integers, count: int) -> Integers:
    if name == "start_ns":
        found = np.full(count, np.iinfo(np.int64).max, dtype=np.int64)
        np.minimum.at(found, places, values)
        return found
    found = np.zeros(count, dtype=np.int64)
    (np.maximum if name in ("elapsed_ns", "warm_up") else np.add).at(found, places, values)
    return found
