"""The tables that SQL sees: one view for each kind of record, each column with its meaning.

A column is a place in the record's JSON and a type; rows of finished blocks come from Parquet.
Rows are of the study's own turns; turns over paths beside a server have views of their own, so
that a sum over a view never mixes the two.
"""

from __future__ import annotations

from dataclasses import replace

from fsgauge.store.client_views import CLIENT_VIEWS, COMPANIONS, OF_CLIENTS, OF_SYNCS
from fsgauge.store.columns import (
    BUCKET,
    IN_RUN,
    KEYS,
    OVER_PATH,
    PLACE,
    SERVED,
    WHICH,
    Column,
    View,
    at,
    measured,
    of_element,
    of_factors,
)
from fsgauge.store.sources import RATES


def _operation(operation: str) -> tuple[Column, ...]:
    def of(name: str, place: str, meaning: str) -> Column:
        return measured(
            f"{operation}_{name}", "BIGINT", f"{operation}s: {meaning}", f"{operation}.{place}"
        )

    latency = "service_latency"
    return (
        of("operations", "operations", "operations in the measured window"),
        of("size_bytes", "size_bytes", "bytes moved by them"),
        of("errors", "errors", "operations that failed"),
        of("service_sum_ns", f"{latency}.sum_ns", "sum of all service times"),
        of("service_min_ns", f"{latency}.min_ns", "shortest service time"),
        of("service_max_ns", f"{latency}.max_ns", "longest service time"),
        of("response_sum_ns", "response_latency.sum_ns", "sum from the intended start, if paced"),
        of("response_max_ns", "response_latency.max_ns", "longest from the intended start"),
        of("backlog_dropped", "backlog_dropped", "operations that a pace could not start"),
    )


def _counted(operation: str) -> tuple[Column, ...]:
    return (
        at(f"{operation}_operations", "BIGINT", f"{operation}s that ended in the interval"),
        at(f"{operation}_size_bytes", "BIGINT", f"bytes of these {operation}s"),
        at(f"{operation}_latency_sum_ns", "BIGINT", f"sum of their latencies ({operation}s)"),
    )


def _of_the_end() -> tuple[Column, ...]:
    """What was in flight when the time was up, and what kept the engine from its work."""
    return (
        measured("drain_ns", "BIGINT", "from its end to the last answer", "drain.elapsed_ns"),
        measured("drained", "BIGINT", "operations answered then", "drain.operations"),
        measured("unanswered", "BIGINT", "operations never answered", "drain.unanswered"),
        measured("paused_ns", "BIGINT", "the engine stood still", "pauses.total_ns"),
        measured("longest_pause_ns", "BIGINT", "the longest time", "pauses.longest_ns"),
        measured("late_start_ns", "BIGINT", "the last job began late", "pauses.late_start_ns"),
        measured("starved_ns", "BIGINT", "threads had no processor", "pauses.starved_ns"),
        measured(
            "clock_error_ns",
            "BIGINT",
            "the machine's clock minus the engine's",
            "pauses.clock_error_ns",
        ),
        measured(
            "wall_clock_step_ns",
            "BIGINT",
            "how far the wall clock was set",
            "pauses.wall_clock_step_ns",
        ),
    )


def _of_the_device() -> tuple[Column, ...]:
    """What the device below the system was asked for while the engine ran."""
    return (
        at("device", "VARCHAR", "the block device below", "device.name"),
        *(
            at(f"device_{name}", "BIGINT", meaning, f"device.{name}")
            for name, meaning in (
                ("read_requests", "reads that it completed, after merging"),
                ("read_bytes", "bytes of these"),
                ("write_requests", "writes that it completed, after merging"),
                ("write_bytes", "bytes of these"),
            )
        ),
    )


_FAULTS = (
    ("corrupt", "of these: bits have changed"),
    ("torn", "of these: parts of different writes"),
    ("foreign", "of these: of another place, of another load, or of a writer that does not own it"),
    ("stale", "of these: not the last that their writer wrote there"),
    ("lost", "of these: the write never reached the file"),
)
_OWN: tuple[View, ...] = (
    View(
        "study",
        "the study",
        "study.json",
        (
            at("name", "VARCHAR", "the study's name", "study.name"),
            at("question", "VARCHAR", "its question", "study.question"),
            at("baseline", "VARCHAR", "the system that others are compared with", "plan.baseline"),
            at("seed", "BIGINT", "the seed of every random choice", "plan.seed"),
            at("systems", "JSON", "their names, in the study's order", "plan.systems"),
            at("expected_seconds", "DOUBLE", "as planned", "plan.expected_seconds"),
            at("command", "JSON", "the command line that started it"),
            at("started_unix_ns", "BIGINT", "wall clock; a label, never used for durations"),
            at("rig", "VARCHAR", "the rig of the runs"),
            at("fsgauge_version", "VARCHAR", "that started it"),
            at("definition", "JSON", "the effective study, every key", "study"),
        ),
    ),
    View(
        "cells",
        "a cell: one point of the sweep",
        "cells",
        (
            at("cell", "VARCHAR", "its id", "id"),
            at("name", "VARCHAR", "its name for people"),
            at("kind", "VARCHAR", "of its study: overhead, writers, ..."),
            at("factors", "JSON", "what it is, in the words of its kind"),
            *of_factors("factors"),
        ),
    ),
    View(
        "plan",
        "a turn as planned",
        "plan",
        (*KEYS, *WHICH, OVER_PATH, at("cells", "JSON", "ids of its cells, in order of time")),
    ),
    View(
        "turns",
        "a turn as made: a system, new and filled",
        "turns",
        (
            *KEYS,
            *WHICH,
            at("kind", "VARCHAR", "ext4, xfs, raw, mounted, ...", "facts.kind"),
            at("mkfs_command", "JSON", "words of the command that made it", "facts.mkfs_command"),
            at("mount_source", "VARCHAR", "the device under it", "facts.mount_source"),
            at("mount_options", "VARCHAR", "in force", "facts.mount_options"),
            at("tunables", "JSON", "set for it", "facts.tunables"),
            at("details", "JSON", "in force, according to its own tools", "facts.details"),
            at("size_bytes", "BIGINT", "of the whole system", "facts.size_bytes"),
            at("free_bytes", "BIGINT", "left once it was filled", "facts.free_bytes"),
            at("filled_bytes", "BIGINT", "written to fill it", "layout.size_bytes"),
            at("fill_ns", "BIGINT", "what filling took", "layout.elapsed_ns"),
            at("fill_sync_ns", "BIGINT", "of it, in fsync", "layout.fsync_ns"),
            at("prepare_ns", "BIGINT", "what making and filling took"),
            at("start_state", "JSON", "its state when the load began"),
            at("notes", "JSON", "remarks of its maker"),
            at("started_unix_ns", "BIGINT", "wall clock; a label"),
        ),
    ),
    View(
        "runs",
        "a run: one cell on one system in one turn; a row per machine and slice; columns of"
        " server and device cover the whole run",
        "runs",
        (
            *IN_RUN,
            *SERVED,
            *of_factors("cell.factors"),
            at("caches", "VARCHAR", "what was done with caches before"),
            measured("ended", "VARCHAR", "duration, size_limit or interrupted", "ended"),
            at("fault", "VARCHAR", "what failed, if it failed", "fault.what"),
            measured("warm_up_ns", "BIGINT", "not counted", "warm_up_ns"),
            measured("elapsed_ns", "BIGINT", "the measured window", "elapsed_ns"),
            Column("sync_ns", "BIGINT", "=sync_ns", "writing back after it, where it counts too"),
            Column(
                "throttled_periods",
                "BIGINT",
                "=throttled->>'$.throttled_periods'",
                "of the CPU quota, in which it was used up; null without a quota",
            ),
            Column("quota_periods", "BIGINT", "=throttled->>'$.periods'", "of all of them"),
            Column(
                "throttled_ns",
                "BIGINT",
                "=throttled->>'$.throttled_ns'",
                "how long processors then stood still, added",
            ),
            *_of_the_end(),
            *_operation("read"),
            *_operation("write"),
            *OF_SYNCS,
            measured("in_flight_mean", "DOUBLE", "operations in flight", "in_flight_mean"),
            measured("user_ns", "BIGINT", "processor time of the load threads", "cpu.user_ns"),
            measured("system_ns", "BIGINT", "the same in the kernel", "cpu.system_ns"),
            measured("machine_busy_ns", "BIGINT", "of all processors", "machine_cpu.busy_ns"),
            *_of_the_device(),
            measured("engine_version", "VARCHAR", "that measured it", "engine.version"),
            measured("engine_profile", "VARCHAR", "release or debug", "engine.profile"),
            at("started_unix_ns", "BIGINT", "wall clock; a label"),
            measured("checked_blocks", "BIGINT", "read back to verify", "integrity.checked_blocks"),
            *(
                measured(f"{fault}_blocks", "BIGINT", meaning, f"integrity.{fault}_blocks")
                for fault, meaning in _FAULTS
            ),
            *(
                measured(name, kind, meaning, f"clients.{name}")
                for name, kind, meaning in OF_CLIENTS
            ),
            at("job", "JSON", "what the engine was asked"),
        ),
    ),
    View(
        "jobs",
        "a job of a run: one writer, reader or client",
        "jobs",
        (
            *IN_RUN,
            Column("number", "BIGINT", "=number", "which job, from 0"),
            of_element("operations", "BIGINT", "its operations in the measured window"),
            of_element("size_bytes", "BIGINT", "bytes moved by them"),
            of_element("elapsed_ns", "BIGINT", "its own time, if it ends by itself (passes)"),
        ),
    ),
    COMPANIONS,
    View(
        "integrity",
        "a block that did not read back as it was written; of each run the first 20",
        "integrity",
        (
            *IN_RUN,
            of_element("fault", "VARCHAR", "corrupt, torn, foreign, stale or lost"),
            of_element("file", "BIGINT", "which file, from 0"),
            of_element("offset_bytes", "BIGINT", "where the block begins"),
            of_element("first_byte", "BIGINT", "the first faulty byte, in the file"),
            of_element("detail", "VARCHAR", "what was expected, and what was found"),
        ),
    ),
    *CLIENT_VIEWS,
    View(
        "scans",
        "a scan: before and after a turn's runs, after ageing, and after a cell that makes files",
        "scans",
        (
            *KEYS,
            *WHICH,
            at("moment", "VARCHAR", "before, after, aged, or after cell", "when"),
            at("cell", "VARCHAR", "the id of the cell that wrote these files"),
            at("files", "BIGINT", "regular files", "result.counts.files"),
            at("extents", "BIGINT", "of all files", "result.counts.extents"),
            at("extent_bytes", "BIGINT", "bytes in them", "result.counts.extent_bytes"),
            at("fragmented_files", "BIGINT", "of several", "result.counts.fragmented_files"),
            at(
                "free_bytes",
                "BIGINT",
                "of the file system, where requested",
                "result.free.size_bytes",
            ),
            at("free_extents", "BIGINT", "its pieces", "result.free.extents"),
            at("largest_free_bytes", "BIGINT", "the largest of them", "result.free.largest_bytes"),
            at("fault", "VARCHAR", "why it could not be scanned", "fault.what"),
        ),
    ),
    View(
        "steps",
        "what was done to a system before a cell, untimed",
        "steps",
        (
            *KEYS,
            *WHICH,
            at("number", "BIGINT", "step within the turn, in order of time"),
            at("cell", "VARCHAR", "the id of the cell that it came before"),
            at("step", "VARCHAR", "age, delete, ballast or clear"),
            at("what", "VARCHAR", "in a few words"),
            at("size_bytes", "BIGINT", "that it took or gave back"),
            at("free_bytes", "BIGINT", "that could be taken after it"),
            at("mode", "VARCHAR", "of ageing: write, direct or fast", "result.mode"),
            at("ended", "VARCHAR", "of ageing: complete, time_limit, ...", "result.ended"),
            at("live_files", "BIGINT", "that ageing left", "result.live_files"),
            at("written_bytes", "BIGINT", "by ageing", "result.written_bytes"),
            at("elapsed_ns", "BIGINT", "what it took"),
            at("started_unix_ns", "BIGINT", "wall clock; a label"),
        ),
    ),
    View(
        "intervals",
        "an interval of a run: the rate over time",
        "intervals",
        (
            *PLACE,
            at("start_ns", "BIGINT", "since the run's begin, warm-up included"),
            at("elapsed_ns", "BIGINT", "length of the interval"),
            at("warm_up", "BOOLEAN", "does not count"),
            *_counted("read"),
            *_counted("write"),
        ),
    ),
    View(
        "histograms",
        "a filled bucket of a run's latency histogram; in bucket 0 what an imported result does not"
        " say",
        "histograms",
        (
            *PLACE,
            at("operation", "VARCHAR", "read, write, sync, log or reader (of companions)"),
            at("latency", "VARCHAR", "service, or response: from the intended start of a pace"),
            *BUCKET,
        ),
    ),
    RATES,
    View(
        "environment",
        "a machine, before, after, and each time that the study was resumed",
        "environment",
        (
            Column("moment", "VARCHAR", "=moment", "before, after, resumed-001, ..."),
            at("machine", "VARCHAR", "its host name", "name"),
            at("role", "VARCHAR", "what it does in its rig: load drives the load"),
            at("captured_unix_ns", "BIGINT", "wall clock; a label"),
            at("kernel", "VARCHAR", "name, release and build"),
            at("architecture", "VARCHAR", "x86_64, aarch64, ..."),
            at("distribution", "VARCHAR", "of the operating system"),
            at("processor", "VARCHAR", "model"),
            at("processor_count", "BIGINT", "that this process may use"),
            at("governor", "VARCHAR", "of the processor's frequency"),
            at("throttle_events", "BIGINT", "times the processor was too hot, since its start"),
            at("frequency_limit_hz", "BIGINT", "highest frequency that is allowed"),
            at("frequency_maximum_hz", "BIGINT", "highest frequency that the processor has"),
            at("memory_bytes", "BIGINT", "that this process may use"),
            at("machine_memory_bytes", "BIGINT", "of it all", "limits.machine_memory_bytes"),
            at("processor_quota", "DOUBLE", "of control groups", "limits.processor_quota"),
            at("cpuset", "VARCHAR", "of its control group", "limits.cpuset"),
            at("io_limits", "JSON", "of control groups, by device", "limits.io"),
            at("nice", "BIGINT", "of the process that measures", "limits.nice"),
            at("resources", "JSON", "soft limits of getrlimit(2)", "limits.resources"),
            at("virtual_machine", "VARCHAR", "what kind, if it is one"),
            at("load_average", "DOUBLE", "of the last minute"),
            at("clock_source", "VARCHAR", "of the kernel"),
            at("storage", "VARCHAR", "in a sentence", "storage.sentence"),
            at("storage_bytes", "BIGINT", "its size", "storage.size_bytes"),
            at("device_chain", "JSON", "down to the disk, link by link", "storage.device_chain"),
            at("tool_versions", "JSON", "of mkfs and others"),
            at("missing", "JSON", "what could not be read, and why"),
        ),
    ),
    View(
        "journal",
        "a step of the study, in order",
        "journal",
        (
            at("unix_ns", "BIGINT", "wall clock; a label"),
            at(
                "event",
                "VARCHAR",
                "started, stored, turn, run, void, given up, resumed, ended, more",
            ),
            at("block", "BIGINT", "of a turn, step or run"),
            at("turn", "BIGINT", "of a turn, step or run"),
            at("system", "VARCHAR", "of a turn"),
            at("cell", "VARCHAR", "of a step or run"),
            Column("facts", "JSON", "=json", "the whole line"),
        ),
    ),
)
_OVER_PATHS = (
    "turns",
    "runs",
    "client_operations",
    "client_errors",
    "client_bad_records",
    "client_histograms",
)
VIEWS: tuple[View, ...] = (
    *_OWN,
    *(
        replace(
            view,
            name=f"path_{view.name}",
            row=f"{view.row}; over the system's path, next to a server",
            twin_of=view.name,
        )
        for view in _OWN
        if view.name in _OVER_PATHS
    ),
)
