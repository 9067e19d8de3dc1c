"""The tables that SQL sees of runs of many clients."""

from __future__ import annotations

from fsgauge.store.columns import BUCKET, IN_RUN, PLACE, Column, View, at, measured, of_element


def summed(latency: str, name: str, meaning: str) -> Column:
    """A number of a histogram of the list's element."""
    return Column(
        f"{latency}_{name}", "BIGINT", f"=element->>'$.{latency}_latency.{name}'", meaning
    )


OF_CLIENTS = (
    ("dispatch", "VARCHAR", "how clients were run: event_loop or threads"),
    ("files", "BIGINT", "files that clients completed"),
    ("files_given_up", "BIGINT", "files that clients gave up after an error"),
    ("clients_gave_up", "BIGINT", "clients that gave up"),
    ("connect_ns", "BIGINT", "time to connect the clients, before the measured part"),
    ("first_done_ns", "BIGINT", "when the first client was done"),
    ("last_done_ns", "BIGINT", "when the last client was done: the time to complete"),
    ("active_ns", "BIGINT", "time of all clients, from each one's start to its end"),
    ("think_ns", "BIGINT", "time that clients rested"),
    ("checked_records", "BIGINT", "records that were compared with what was written"),
    ("bad_records", "BIGINT", "of these: different from what was written"),
    ("peak_memory_bytes", "BIGINT", "the engine's largest memory"),
)

CLIENT_VIEWS: tuple[View, ...] = (
    View(
        "client_operations",
        "one kind of operation of many clients in a run",
        "client_operations",
        (
            *IN_RUN,
            of_element("operation", "VARCHAR", "create, open, read, write, close, ..."),
            of_element("operations", "BIGINT", "how many succeeded"),
            of_element("size_bytes", "BIGINT", "their bytes"),
            of_element("errors", "BIGINT", "how many failed"),
            summed("response", "sum_ns", "sum of times from the moment a client asked"),
            summed("response", "max_ns", "longest of them"),
            summed("service", "sum_ns", "sum of times from the call to its return"),
            summed("service", "max_ns", "longest of them"),
        ),
    ),
    View(
        "client_errors",
        "errors of one operation and kind of many clients in a run",
        "client_errors",
        (
            *IN_RUN,
            of_element("operation", "VARCHAR", "what failed"),
            of_element("kind", "VARCHAR", "no_space, quota, too_many_open_files, missing, ..."),
            of_element("count", "BIGINT", "how often"),
            of_element("first_path", "VARCHAR", "file or directory of the first one"),
            of_element("message", "VARCHAR", "the system's message for the first one"),
        ),
    ),
    View(
        "client_bad_records",
        "a record that did not read back as written; the first 20 of each run",
        "client_bad_records",
        (
            *IN_RUN,
            of_element("path", "VARCHAR", "its file"),
            of_element("offset_bytes", "BIGINT", "where the record begins"),
            of_element("first_byte", "BIGINT", "the first byte that differs, in the file"),
        ),
    ),
    View(
        "client_histograms",
        "a filled bucket of the latency histogram of one operation of many clients",
        "client_histograms",
        (
            *PLACE,
            at("operation", "VARCHAR", "create, open, read, write, close, ..."),
            at("latency", "VARCHAR", "service, or response: from the moment the client asked"),
            *BUCKET,
        ),
    ),
)


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
