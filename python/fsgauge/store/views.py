"""The tables that SQL sees: one view for each kind of record, each column with its meaning.

A column is a place in the record's JSON and a type; rows of finished blocks come from Parquet.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """`place` is where the record's JSON has the value, or SQL when it begins with "="."""

    name: str
    type: str
    place: str
    meaning: str

    @property
    def sql(self) -> str:
        """The value, named."""
        if self.place.startswith("="):
            return f"CAST({self.place[1:]} AS {self.type}) AS {self.name}"
        arrow = "->" if self.type == "JSON" else "->>"
        return f"CAST(json{arrow}'$.{self.place}' AS {self.type}) AS {self.name}"


@dataclass(frozen=True)
class View:
    """A table: what a row is, and its columns. `source` names what the rows are read from."""

    name: str
    row: str
    source: str
    columns: tuple[Column, ...]


def _at(name: str, type: str, meaning: str, place: str = "") -> Column:
    return Column(name, type, place or name, meaning)


def _of_element(name: str, type: str, meaning: str) -> Column:
    """A value of the list's element that the row is about."""
    return Column(name, type, f"=element->>'$.{name}'", meaning)


_KEYS = (
    _at("block", "BIGINT", "block of the plan, from 0"),
    _at("turn", "BIGINT", "turn within the block, in order of time"),
)
_WHICH = (
    _at("system", "VARCHAR", "the system's name"),
    _at("again", "BOOLEAN", "second turn of the baseline in its block (A/A)"),
)
_PLACE = (
    *_KEYS,
    _at("position", "BIGINT", "run within the turn, in order of time"),
    *_WHICH,
    _at("cell", "VARCHAR", "the cell's id"),
)


def _operation(operation: str) -> tuple[Column, ...]:
    """What a run measured of one kind of operation."""

    def of(name: str, place: str, meaning: str) -> Column:
        return _at(
            f"{operation}_{name}",
            "BIGINT",
            f"{operation}s: {meaning}",
            f"result.{operation}.{place}",
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
        of("backlog_dropped", "backlog_dropped", "operations that a pace could not begin"),
    )


def _counted(operation: str) -> tuple[Column, ...]:
    """What an interval counted of one kind of operation."""
    return (
        _at(f"{operation}_operations", "BIGINT", f"{operation}s that ended in the interval"),
        _at(f"{operation}_size_bytes", "BIGINT", f"bytes of these {operation}s"),
        _at(f"{operation}_latency_sum_ns", "BIGINT", f"sum of their latencies ({operation}s)"),
    )


_FAULTS = (
    ("corrupt", "of these: bits have changed"),
    ("torn", "of these: parts of different writes"),
    ("foreign", "of these: of another place, of another load, or of a writer that does not own it"),
    ("stale", "of these: not the last that their writer wrote there"),
    ("lost", "of these: the write never reached the file"),
)
VIEWS: tuple[View, ...] = (
    View(
        "study",
        "the study",
        "study.json",
        (
            _at("name", "VARCHAR", "the study's name", "study.name"),
            _at("question", "VARCHAR", "what it asks", "study.question"),
            _at("baseline", "VARCHAR", "the system that others are compared with", "plan.baseline"),
            _at("seed", "BIGINT", "of every random choice", "plan.seed"),
            _at("systems", "JSON", "their names, in the study's order", "plan.systems"),
            _at("expected_seconds", "DOUBLE", "as planned", "plan.expected_seconds"),
            _at("command", "JSON", "the command line that began it"),
            _at("started_unix_ns", "BIGINT", "wall clock; a label, never used for durations"),
            _at("rig", "VARCHAR", "the world the runs happened in"),
            _at("fsgauge_version", "VARCHAR", "that began it"),
            _at("definition", "JSON", "the effective study, every key", "study"),
        ),
    ),
    View(
        "cells",
        "a cell: one point of the sweep",
        "cells",
        (
            _at("cell", "VARCHAR", "its id", "id"),
            _at("name", "VARCHAR", "its name for people"),
            _at("pattern", "VARCHAR", "randread, write, randrw, ..."),
            _at("read_percent", "BIGINT", "share of reads"),
            _at("block_size_bytes", "BIGINT", "bytes of one operation"),
            _at("queue_depth", "BIGINT", "operations in flight per job"),
            _at("jobs", "BIGINT", "threads; of a writers study, writers"),
            _at("interface", "VARCHAR", "io_uring or psync"),
            _at("ranges", "VARCHAR", "which places belong to which writer, in a writers study"),
            _at("direct", "BOOLEAN", "past the page cache, in a writers study"),
        ),
    ),
    View(
        "plan",
        "a turn as it was planned",
        "plan",
        (*_KEYS, *_WHICH, _at("cells", "JSON", "ids of its cells, in order of time")),
    ),
    View(
        "turns",
        "a turn as it was made: a system, fresh and filled",
        "turns",
        (
            *_KEYS,
            *_WHICH,
            _at("kind", "VARCHAR", "ext4, xfs, raw, mounted, ...", "facts.kind"),
            _at("mkfs_command", "JSON", "words of the command that made it", "facts.mkfs_command"),
            _at("mount_source", "VARCHAR", "the device under it", "facts.mount_source"),
            _at("mount_options", "VARCHAR", "in force", "facts.mount_options"),
            _at("tunables", "JSON", "set for it", "facts.tunables"),
            _at("details", "JSON", "what its own tools say is in force", "facts.details"),
            _at("size_bytes", "BIGINT", "of the whole system", "facts.size_bytes"),
            _at("free_bytes", "BIGINT", "before it was filled", "facts.free_bytes"),
            _at("filled_bytes", "BIGINT", "written to fill it", "layout.size_bytes"),
            _at("fill_ns", "BIGINT", "what filling took", "layout.elapsed_ns"),
            _at("prepare_ns", "BIGINT", "what making and filling took"),
            _at("start_state", "JSON", "how it stood when the load began"),
            _at("notes", "JSON", "what its maker remarked"),
            _at("started_unix_ns", "BIGINT", "wall clock; a label"),
        ),
    ),
    View(
        "runs",
        "a run: one cell on one system in one turn",
        "runs",
        (
            *_PLACE[:-1],
            _at("cell", "VARCHAR", "the cell's id", "cell.id"),
            _at("pattern", "VARCHAR", "as in cells", "cell.pattern"),
            _at("read_percent", "BIGINT", "share of reads", "cell.read_percent"),
            _at("block_size_bytes", "BIGINT", "of one operation", "cell.block_size_bytes"),
            _at("queue_depth", "BIGINT", "in flight per job", "cell.queue_depth"),
            _at("jobs", "BIGINT", "threads", "cell.jobs"),
            _at("caches", "VARCHAR", "what was done with caches before"),
            _at("ended", "VARCHAR", "duration, size_limit or interrupted", "result.ended"),
            _at("fault", "VARCHAR", "what failed, if it failed", "fault.what"),
            _at("warm_up_ns", "BIGINT", "not counted", "result.warm_up_ns"),
            _at("elapsed_ns", "BIGINT", "the measured window", "result.elapsed_ns"),
            *_operation("read"),
            *_operation("write"),
            _at("in_flight_mean", "DOUBLE", "operations in flight", "result.in_flight_mean"),
            _at("user_ns", "BIGINT", "processor time of the load threads", "result.cpu.user_ns"),
            _at("system_ns", "BIGINT", "the same in the kernel", "result.cpu.system_ns"),
            _at("machine_busy_ns", "BIGINT", "of all processors", "result.machine_cpu.busy_ns"),
            _at("engine_version", "VARCHAR", "that measured it", "result.engine.version"),
            _at("engine_profile", "VARCHAR", "release or debug", "result.engine.profile"),
            _at("started_unix_ns", "BIGINT", "wall clock; a label"),
            _at(
                "checked_blocks", "BIGINT", "read back to verify", "result.integrity.checked_blocks"
            ),
            *(
                _at(f"{fault}_blocks", "BIGINT", meaning, f"result.integrity.{fault}_blocks")
                for fault, meaning in _FAULTS
            ),
            _at("job", "JSON", "what the engine was asked"),
        ),
    ),
    View(
        "writers",
        "a writer of a run: one job",
        "writers",
        (
            *_PLACE[:-1],
            _at("cell", "VARCHAR", "the cell's id", "cell.id"),
            Column("writer", "BIGINT", "=number", "from 0"),
            _of_element("operations", "BIGINT", "its operations in the measured window"),
            _of_element("size_bytes", "BIGINT", "bytes moved by them"),
            _of_element("elapsed_ns", "BIGINT", "its own time, where it ends by itself (passes)"),
        ),
    ),
    View(
        "integrity",
        "a block that did not read back as it was written; of each run the first 20",
        "integrity",
        (
            *_PLACE[:-1],
            _at("cell", "VARCHAR", "the cell's id", "cell.id"),
            _of_element("fault", "VARCHAR", "corrupt, torn, foreign, stale or lost"),
            _of_element("file", "BIGINT", "which file, from 0"),
            _of_element("offset_bytes", "BIGINT", "where the block begins"),
            _of_element("first_byte", "BIGINT", "the first faulty byte, in the file"),
            _of_element("detail", "VARCHAR", "what was expected, and what was found"),
        ),
    ),
    View(
        "intervals",
        "an interval of a run: the rate over time",
        "intervals",
        (
            *_PLACE,
            _at("start_ns", "BIGINT", "since the run's begin, warm-up included"),
            _at("elapsed_ns", "BIGINT", "length of the interval"),
            _at("warm_up", "BOOLEAN", "does not count"),
            *_counted("read"),
            *_counted("write"),
        ),
    ),
    View(
        "histograms",
        "a filled bucket of a run's latency histogram",
        "histograms",
        (
            *_PLACE,
            _at("operation", "VARCHAR", "read or write"),
            _at("latency", "VARCHAR", "service, or response: from the intended start of a pace"),
            _at("bucket", "BIGINT", "index of the bucket"),
            _at("low_ns", "UBIGINT", "smallest latency in the bucket"),
            _at("high_ns", "UBIGINT", "largest latency in the bucket"),
            _at("operations", "BIGINT", "operations in the bucket"),
        ),
    ),
    View(
        "environment",
        "the machine, before, after, and each time that the study was resumed",
        "environment",
        (
            Column("moment", "VARCHAR", "=moment", "before, after, resumed-001, ..."),
            _at("captured_unix_ns", "BIGINT", "wall clock; a label"),
            _at("hostname", "VARCHAR", "the machine"),
            _at("kernel", "VARCHAR", "name, release and build"),
            _at("architecture", "VARCHAR", "x86_64, aarch64, ..."),
            _at("distribution", "VARCHAR", "of the operating system"),
            _at("processor", "VARCHAR", "model"),
            _at("processor_count", "BIGINT", "that this process may use"),
            _at("governor", "VARCHAR", "of the processor's frequency"),
            _at("throttle_events", "BIGINT", "times the processor was too hot, since its start"),
            _at("frequency_limit_hz", "BIGINT", "highest frequency that is allowed"),
            _at("frequency_maximum_hz", "BIGINT", "highest frequency that the processor has"),
            _at("memory_bytes", "BIGINT", "of the machine"),
            _at("virtual_machine", "VARCHAR", "what kind, if it is one"),
            _at("load_average", "DOUBLE", "of the last minute"),
            _at("clock_source", "VARCHAR", "of the kernel"),
            _at("storage", "VARCHAR", "in a sentence", "storage.sentence"),
            _at("storage_bytes", "BIGINT", "its size", "storage.size_bytes"),
            _at("device_chain", "JSON", "down to the disk, link by link", "storage.device_chain"),
            _at("tool_versions", "JSON", "of mkfs and others"),
            _at("missing", "JSON", "what could not be read, and why"),
        ),
    ),
    View(
        "journal",
        "a step of the study, in order",
        "journal",
        (
            _at("unix_ns", "BIGINT", "wall clock; a label"),
            _at("event", "VARCHAR", "started, turn, run, resumed, ended"),
            _at("block", "BIGINT", "of a turn or run"),
            _at("turn", "BIGINT", "of a turn or run"),
            _at("system", "VARCHAR", "of a turn"),
            _at("cell", "VARCHAR", "of a run"),
            Column("facts", "JSON", "=json", "the whole line"),
        ),
    ),
)
