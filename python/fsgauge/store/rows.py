"""The many rows inside a run record: found, taken out, put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np

from fsgauge.engine.wire import ClientOperation, ClientsResult, Histogram, LoadResult
from fsgauge.record import series
from fsgauge.record.records import RunRecord

OF_CLIENTS = "client_"
"""Begins the names of the histograms that only runs of many clients have."""
HISTOGRAMS = (
    *("read.service", "read.response", "write.service", "write.response"),
    *(
        f"{OF_CLIENTS}{operation}.{latency}"
        for operation in get_args(ClientOperation)
        for latency in ("service", "response")
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
Place = tuple[int, int]
"""Which part of a run, and which slice of the part."""


def histograms(result: LoadResult) -> dict[str, Histogram]:
    found: dict[str, Histogram | None] = {}
    for each in result.clients.operations if result.clients else ():
        found[f"{OF_CLIENTS}{each.operation}.service"] = each.service_latency
        found[f"{OF_CLIENTS}{each.operation}.response"] = each.response_latency
    for operation in ("read", "write"):
        part = getattr(result, operation)
        found[f"{operation}.service"] = part.service_latency if part else None
        found[f"{operation}.response"] = part.response_latency if part else None
    return {name: histogram for name, histogram in found.items() if histogram is not None}


def changed(record: RunRecord, change: Callable[[Place, LoadResult], LoadResult]) -> RunRecord:
    """The record with another result in each slice."""
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
    """Every slice of every run, in order."""
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
    changes: dict[str, Any] = {"intervals": intervals}
    for operation in ("read", "write"):
        part = getattr(result, operation)
        if part is None:
            continue
        update = {}
        for kind in ("service", "response"):
            histogram = getattr(part, f"{kind}_latency")
            if histogram is not None:
                rows = {"counts": counts[f"{operation}.{kind}"]}
                update[f"{kind}_latency"] = histogram.model_copy(update=rows)
        changes[operation] = part.model_copy(update=update)
    if result.clients is not None:
        changes["clients"] = _clients(result.clients, counts)
    return result.model_copy(update=changes)


def _clients(
    clients: ClientsResult, counts: Mapping[str, Sequence[tuple[int, int]]]
) -> ClientsResult:
    """The same with these rows in the histograms of each operation."""
    operations = []
    for each in clients.operations:
        update = {}
        for kind in ("service", "response"):
            rows = {"counts": counts[f"{OF_CLIENTS}{each.operation}.{kind}"]}
            update[f"{kind}_latency"] = getattr(each, f"{kind}_latency").model_copy(update=rows)
        operations.append(each.model_copy(update=update))
    return clients.model_copy(update={"operations": operations})
