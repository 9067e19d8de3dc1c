"""The many rows inside a run record: found, taken out, put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from fsgauge.record import RunRecord
from fsgauge.series import (
    COUNT_COLUMNS,
    INTERVAL_COLUMNS,
    Columns,
    Counts,
    Integers,
    Intervals,
    concatenated,
)
from fsgauge.wire import ClientOperation, ClientsResult, Histogram, LoadResult

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


def histograms(record: RunRecord) -> dict[str, Histogram]:
    """The histograms that a run has, by name."""
    found: dict[str, Histogram | None] = {}
    clients = record.result.clients if record.result else None
    for each in clients.operations if clients else ():
        found[f"{OF_CLIENTS}{each.operation}.service"] = each.service_latency
        found[f"{OF_CLIENTS}{each.operation}.response"] = each.response_latency
    for operation in ("read", "write"):
        part = getattr(record.result, operation, None)
        found[f"{operation}.service"] = part.service_latency if part else None
        found[f"{operation}.response"] = part.response_latency if part else None
    return {name: histogram for name, histogram in found.items() if histogram is not None}


def with_rows(
    record: RunRecord, counts: Mapping[str, Counts] | None, intervals: Intervals | None
) -> RunRecord:
    """The record with these rows; its own, as arrays, where None is given."""
    if record.result is None:
        return record
    if counts is None:
        counts = {name: Counts.of(each.counts) for name, each in histograms(record).items()}
    if intervals is None:
        intervals = Intervals.of(record.result.intervals)
    return record.model_copy(update={"result": _result(record.result, counts, intervals)})


def emptied(record: RunRecord) -> RunRecord:
    """The record without rows, ready to be written."""
    if record.result is None:
        return record
    none: dict[str, list[tuple[int, int]]] = {name: [] for name in histograms(record)}
    return record.model_copy(update={"result": _result(record.result, none, [])})


def rows_of(records: Sequence[RunRecord]) -> dict[str, Columns]:
    """The rows of a block's runs, one run after the other: columns of `counts` and `intervals`."""
    runs = [(record, with_rows(record, None, None)) for record in records if record.result]
    counts: list[tuple[tuple[int, int, int], Counts]] = []
    intervals: list[tuple[tuple[int, int], Intervals]] = []
    for record, filled in runs:
        place = (record.turn, record.position)
        found = histograms(filled)
        counts += [
            ((*place, number), Counts.of(found[name].counts))
            for number, name in enumerate(HISTOGRAMS)
            if name in found
        ]
        assert filled.result is not None  # noqa: S101 - chosen above
        intervals.append((place, Intervals.of(filled.result.intervals)))
    return {
        "counts": _placed(("turn", "position", "histogram"), counts, COUNT_COLUMNS),
        "intervals": _placed(("turn", "position"), intervals, INTERVAL_COLUMNS),
    }


def _placed(
    keys: Sequence[str], parts: Sequence[tuple[tuple[int, ...], Any]], names: Sequence[str]
) -> dict[str, Integers]:
    lengths = [len(part) for _, part in parts]
    columns = {
        key: np.repeat(np.array([place[at] for place, _ in parts], dtype=np.int64), lengths)
        for at, key in enumerate(keys)
    }
    return columns | concatenated([part for _, part in parts], names)


def _result(
    result: LoadResult,
    counts: Mapping[str, Sequence[tuple[int, int]]],
    intervals: Sequence[Any],
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
