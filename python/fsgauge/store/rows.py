"""The many rows inside a run record: found, taken out, put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args

import numpy as np
from pydantic import BaseModel

from fsgauge.engine.wire import ClientOperation, Histogram, LoadResult
from fsgauge.record import series
from fsgauge.record.records import RunRecord

OF_CLIENTS = "client_"
"""Begins the names of the histograms that only runs of many clients have."""
_LATENCIES = ("service", "response")
HISTOGRAMS = (
    *("read.service", "read.response", "write.service", "write.response"),
    *(
        f"{OF_CLIENTS}{operation}.{latency}"
        for operation in get_args(ClientOperation)
        for latency in _LATENCIES
    ),
)
"""Histograms of a run; the place in this list is what Parquet holds: names are added at its end."""


KEYS = {
    "counts": ("turn", "position", "part", "slice", "histogram"),
    "intervals": ("turn", "position", "part", "slice"),
}
"""What says in Parquet whose rows they are: `part` and `slice` are places in the run's lists."""
PARQUET_COLUMNS = {
    "counts": (*KEYS["counts"], *series.COUNT_COLUMNS),
    "intervals": (*KEYS["intervals"], *series.INTERVAL_COLUMNS),
}
M = TypeVar("M", bound=BaseModel)
Place = tuple[int, int]
"""Which part of a run, and which slice of the part."""


def histograms(result: LoadResult) -> dict[str, Histogram]:
    operations = result.clients.operations if result.clients else ()
    parts: dict[str, BaseModel | None] = {f"{OF_CLIENTS}{e.operation}": e for e in operations}
    parts |= {"read": result.read, "write": result.write}
    found = {
        f"{name}.{latency}": getattr(part, f"{latency}_latency", None)
        for name, part in parts.items()
        for latency in _LATENCIES
    }
    return {name: histogram for name, histogram in found.items() if histogram is not None}


def changed(record: RunRecord, change: Callable[[Place, LoadResult], LoadResult]) -> RunRecord:
    parts = [
        part.model_copy(
            update={
                "slices": [
                    each.model_copy(update={"result": change((number, at), each.result)})
                    for at, each in enumerate(part.slices)
                ]
            }
        )
        for number, part in enumerate(record.parts)
    ]
    return record.model_copy(update={"parts": parts})


def as_arrays(result: LoadResult) -> LoadResult:
    counts = {name: series.Counts.of(each.counts) for name, each in histograms(result).items()}
    return filled(result, counts, series.Intervals.of(result.intervals))


def emptied(result: LoadResult) -> LoadResult:
    """The result without rows, ready to be written."""
    return filled(result, {name: [] for name in histograms(result)}, [])


def rows_of(records: Sequence[RunRecord]) -> dict[str, series.Columns]:
    """The rows of a block's runs, slice by slice: columns of `counts` and `intervals`."""
    counts: list[tuple[tuple[int, ...], series.Counts]] = []
    intervals: list[tuple[tuple[int, ...], series.Intervals]] = []
    for record, place, result in slices_of(records):
        at = (record.turn, record.position, *place)
        found = histograms(result)
        counts += [
            ((*at, number), series.Counts.of(found[name].counts))
            for number, name in enumerate(HISTOGRAMS)
            if name in found
        ]
        intervals.append((at, series.Intervals.of(result.intervals)))
    return {
        "counts": _placed(KEYS["counts"], counts, series.COUNT_COLUMNS),
        "intervals": _placed(KEYS["intervals"], intervals, series.INTERVAL_COLUMNS),
    }


def slices_of(records: Sequence[RunRecord]) -> Iterator[tuple[RunRecord, Place, LoadResult]]:
    for record in records:
        for number, part in enumerate(record.parts):
            for at, each in enumerate(part.slices):
                yield record, (number, at), each.result


def _placed(
    keys: Sequence[str], parts: Sequence[tuple[tuple[int, ...], Any]], names: Sequence[str]
) -> dict[str, series.Integers]:
    lengths = [len(part) for _, part in parts]
    columns = {
        key: np.repeat(np.array([place[at] for place, _ in parts], dtype=np.int64), lengths)
        for at, key in enumerate(keys)
    }
    rows = [part for _, part in parts]
    return columns | {name: series.joined(rows, name) for name in names}


def filled(
    result: LoadResult, counts: Mapping[str, Sequence[tuple[int, int]]], intervals: Sequence[Any]
) -> LoadResult:
    """The result with these rows in its histograms, by their names, and in its intervals."""

    def with_counts(name: str, part: M) -> M:
        found = {each: getattr(part, f"{each}_latency") for each in _LATENCIES}
        update = {
            f"{each}_latency": had.model_copy(update={"counts": counts[f"{name}.{each}"]})
            for each, had in found.items()
            if had is not None
        }
        return part.model_copy(update=update)

    changes: dict[str, Any] = {"intervals": intervals}
    if result.read is not None:
        changes["read"] = with_counts("read", result.read)
    if result.write is not None:
        changes["write"] = with_counts("write", result.write)
    if result.clients is not None:
        own = [with_counts(f"{OF_CLIENTS}{e.operation}", e) for e in result.clients.operations]
        changes["clients"] = result.clients.model_copy(update={"operations": own})
    return result.model_copy(update=changes)
