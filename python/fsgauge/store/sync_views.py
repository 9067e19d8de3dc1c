"""What SQL sees of calls that make writes durable: the load's own, and those of log writers."""

from __future__ import annotations

from fsgauge.store.columns import IN_RUN, Column, View, measured, of_element

_TIMES = (("sum", "sum of all their times"), ("min", "the shortest"), ("max", "the longest"))

OF_SYNCS: tuple[Column, ...] = (
    measured("sync_operations", "BIGINT", "calls of fsync or fdatasync by the load", "sync.calls"),
    *(
        measured(f"sync_service_{name}_ns", "BIGINT", f"syncs: {words}", f"sync.latency.{name}_ns")
        for name, words in _TIMES
    ),
)
"""Columns of a run."""

COMPANIONS = View(
    "companions",
    "what worked alongside the load in a run: log writers or readers",
    "companions",
    (
        *IN_RUN,
        of_element("role", "VARCHAR", "log: appends with their fdatasync; or reader"),
        of_element("count", "BIGINT", "how many there were"),
        of_element("operations", "BIGINT", "their operations in the measured window"),
        of_element("size_bytes", "BIGINT", "bytes moved by them"),
        *(
            Column(f"service_{name}_ns", "BIGINT", f"=element->>'$.latency.{name}_ns'", words)
            for name, words in _TIMES
        ),
    ),
)
