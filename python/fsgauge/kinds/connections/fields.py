"""The keys of `connections`, each with what it does; `keys.py` says how they agree.

Defaults are those of a published study of delayed block allocation: 590 connections, files of ten
sizes in records of 4 KiB, then a backup by one reader.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from fsgauge.kinds.connections.factors import Order
from fsgauge.study import sweep
from fsgauge.study.base import Distinct, OneOrSwept, conflict
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, SizeBytes

ACTIVITIES = ("read", "create", "save", "delete", "stat", "list")
MOVING_A_FILE = ("read", "create", "save")
HOME_DIRECTORY = {"stat": 40, "read": 30, "list": 10, "save": 10, "create": 5, "delete": 5}
MIXES = {"home directory": HOME_DIRECTORY}
"""Mixes by name. Their weights are a choice, not a measurement of anybody's home directory."""


def _named_mix(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value in MIXES:
        return MIXES[value]
    raise conflict(
        f'no mix is called "{value}"',
        [()],
        hint=f"known: {', '.join(MIXES)}; or write {{ read = 3, stat = 1 }}",
    )


Mix = Annotated[
    dict[str, sweep.Weight],
    BeforeValidator(_named_mix),
    sweep.only(ACTIVITIES, "a mix"),
    Field(min_length=1),
]


Test = Literal["write", "read", "stat", "mix", "delete", "backup"]
FileSize = Annotated[SizeBytes, Field(le=1 << 40)]
Clients = Annotated[int, Field(ge=1, le=99_999)]
Files = Annotated[int, Field(ge=1, le=999_999)]

PUBLISHED_SIZES = [size << 10 for size in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)]


class ConnectionsFields(WorkloadKeys):
    """The keys of [workload]."""

    kind: Literal["connections"] = Field(
        "connections",
        description="The load: many clients that create, write, read and back up files.",
    )
    clients: OneOrSwept[Clients] = Field(
        [590],
        description="How many clients work at the same time, each on its own files: a number, or a"
        " list to sweep. With a list, every test is done with each number, on a newly made system."
        " With `fill` the same files are shared by all clients; with files_per_connection each"
        " client has that many, whatever their number.",
    )
    hosts: Distinct[sweep.Hosts] | None = Field(
        None, description=sweep.HOSTS.format(load="clients")
    )
    tests: Distinct[Test] = Field(
        ["write", "read", "backup"],
        description="The tests of each turn, always in this order: write (every client writes all"
        " of its files), read (reads them, after caches are dropped), stat (reads their"
        " attributes), mix (a mixture of activities for a time), delete (removes them), backup"
        " (clients write a second set of files, which one reader then reads in full).",
    )
    files_per_connection: Files | None = Field(
        None,
        description="Files of each client; the published study has 1000. Default: as many as"
        " `fill` allows, at least 1 (or `outstanding`).",
    )
    fill: sweep.Fill = Field(
        40, description="Share of the storage and of its inodes that the clients' files take up."
    )
    size_distribution: Literal["listed", "log-normal"] = Field(
        "listed", description=sweep.DISTRIBUTION
    )
    file_sizes: Distinct[FileSize] = Field(
        PUBLISHED_SIZES,
        description="File sizes. Each client uses them in turn, starting with a different one;"
        " with size_weights they are drawn.",
    )
    size_weights: Annotated[list[sweep.Weight], Field(max_length=100)] = Field(
        [],
        description="How often each of file_sizes is drawn, relative to the others. Default:"
        " none; all are used equally often, in turn.",
    )
    median_size: FileSize = Field(32 << 10, description=sweep.MEDIAN_SIZE)
    size_sigma: Annotated[float, Field(gt=0, le=10)] = Field(2.0, description=sweep.SIZE_SIGMA)
    smallest_size: FileSize = Field(1 << 10, description=sweep.SMALLEST_SIZE)
    largest_size: FileSize = Field(16 << 20, description=sweep.LARGEST_SIZE)
    record_size: Annotated[SizeBytes, Field(le=64 << 20)] = Field(
        4 << 10,
        description="Size of one read or write of a client; the last one of a file may be shorter.",
    )
    tree: Literal["own", "shared"] = Field(
        "own",
        description="own: a directory for each client; shared: all files are spread over the"
        " lowest directories of one tree.",
    )
    depth: Annotated[int, Field(ge=1, le=8)] = Field(
        2, description="Levels of a shared tree's directories."
    )
    fan_out: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        16, description="Directories in each directory of a shared tree."
    )
    create: Literal["then open", "and write"] = Field(
        "then open",
        description="then open: a file is created and closed, then opened, written and closed, so"
        " that both create and open are timed, as in the publication. and write: a file is"
        " created and written in one go.",
    )
    fsync: bool = Field(
        False,
        description="Whether a written file is synced before it is closed. If not, the system"
        " writes back what fits in memory whenever it chooses.",
    )
    outstanding: Annotated[int, Field(ge=1, le=1024)] = Field(
        1, description="Files that a client works on at the same time, with one operation on each."
    )
    ramp: DurationNs = Field(
        0, description="Clients start one after another, spread evenly over this time."
    )
    think: DurationNs = Field(
        0, description="A client's rest after each file; in a mix, after each activity."
    )
    think_spread: Literal["constant", "exponential"] = Field(
        "exponential", description="How the lengths of rests are spread around `think`."
    )
    dispatch: Literal["event loop", "threads"] = Field(
        "event loop",
        description="How clients are run: by a few threads, each an event loop over its share of"
        " them, or by one thread per client. This can change create and write times several times"
        " over, so the report names it.",
    )
    threads: Annotated[int, Field(ge=1, le=256)] | None = Field(
        None, description="Event loops. Default: one for each processor."
    )
    interface: Literal["auto", "io_uring", "plain"] = Field(
        "auto",
        description="System calls that clients use. auto: io_uring for operations that may wait"
        " for the storage (open, read, fsync, stat, unlink), plain calls for those that only"
        " change memory, and for everything on tmpfs. The report names the call of each operation.",
    )
    mix: Mix = Field(
        HOME_DIRECTORY,
        description="The test mix: how often each activity is drawn, relative to the others. read"
        " (open, read, close), create (one more file), save (a new file renamed over an old one),"
        " delete (the oldest file that the mix has made), stat, list. A name works"
        ' too: "home directory", which is the'
        " default and a choice, not a measurement.",
    )
    mix_duration: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        10_000_000_000, description="How long the test mix lasts."
    )
    backup_files_per_connection: Files | None = Field(
        None,
        description="Files that each client writes to be backed up; published: about 50. Default:"
        " as many as backup_fill allows, at least 1 (or `outstanding`).",
    )
    backup_fill: sweep.Fill = Field(
        20, description="Share of the storage and of its inodes that the files to back up take up."
    )
    backup_file_size: FileSize = Field(1 << 20, description="Size of each file to back up.")
    backup_orders: Distinct[Order] = Field(
        ["directory"],
        description="The order in which the reader takes files, one cell for each: as directories"
        " list them, by inode number, or by position on the storage.",
    )
    backup_access: Literal["clients", "path"] = Field(
        "clients",
        description="How the backup's reader reaches the files. clients: as the clients do. path:"
        " over their path, next to the server through which clients wrote them (access.server), as"
        " published.",
    )
    backup_block_size: sweep.BlockSize = Field(
        1 << 20, description="Size of one read of the backup."
    )
    time_limit: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        600_000_000_000,
        description="A test that takes longer is stopped there, unfinished; the report says when"
        " this happened.",
    )
    data: sweep.Data = Field("incompressible", description="The data written.")
    verify: bool = Field(
        True, description="Whether all data read is compared with what was written, byte by byte."
    )
    extents: bool = Field(
        True,
        description="Count the extents of the files that each test writes: they are synced and"
        " scanned before the next test.",
    )
    scan: bool = Field(False, description=sweep.SCAN)
