"""The workload `connections`: many clients create, write, read and back up files.

The tests and their defaults are those of a published study of delayed block allocation: 590
connections, files of ten sizes in records of 4 KiB, then a backup by one reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fsgauge.kinds.connections.factors import Order
from fsgauge.kinds.connections.mix import HOME_DIRECTORY, Mix, Weight
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import Distinct, OneOrSwept
from fsgauge.study.conflict import conflict
from fsgauge.study.sweep import (
    HOSTS,
    SCAN,
    BlockSize,
    Data,
    Fill,
    Hosts,
    Inapplicable,
    refuse_to_verify_zeros,
)
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, SizeBytes, exact_duration, exact_size, format_size

Test = Literal["write", "read", "stat", "mix", "delete", "backup"]
FileSize = Annotated[SizeBytes, Field(le=1 << 40)]
Clients = Annotated[int, Field(ge=1, le=99_999)]
Files = Annotated[int, Field(ge=1, le=999_999)]

PUBLISHED_SIZES = [size << 10 for size in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)]
MOST_THREADS = 4096
MOST_RECORD_BYTES = 2 << 30  # of all clients: with io_uring each has its own
MOST_LOWEST_DIRECTORIES = 1_000_000
MOST_FILLED_PERCENT = 95  # of fill and backup_fill together
_OF_OWN_FILES = ("read", "stat", "mix", "delete")


class ConnectionsWorkload(WorkloadKeys):
    """Many clients on files of their own, every operation timed; each test is a cell."""

    works_over: ClassVar[Literal["any server"]] = "any server"
    is_told_beside_path: ClassVar[bool] = True

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
    hosts: Distinct[Hosts] | None = Field(None, description=HOSTS.format(load="clients"))
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
    fill: Fill = Field(
        40, description="Share of the storage and of its inodes that the clients' files take up."
    )
    size_distribution: Literal["listed", "log-normal"] = Field(
        "listed",
        description="How file sizes are chosen: from file_sizes, or drawn from a log-normal"
        " distribution.",
    )
    file_sizes: Distinct[FileSize] = Field(
        PUBLISHED_SIZES,
        description="File sizes. Each client uses them in turn, starting with a different one;"
        " with size_weights they are drawn.",
    )
    size_weights: Annotated[list[Weight], Field(max_length=100)] = Field(
        [],
        description="How often each of file_sizes is drawn, relative to the others. Default:"
        " none; all are used equally often, in turn.",
    )
    median_size: FileSize = Field(
        32 << 10, description="Log-normal sizes: half of the files are smaller."
    )
    size_sigma: Annotated[float, Field(gt=0, le=10)] = Field(
        2.0,
        description="Log-normal sizes: standard deviation of the size's natural logarithm; above"
        " 0, at most 10.",
    )
    smallest_size: FileSize = Field(
        1 << 10,
        description="Log-normal sizes: the smallest size; anything drawn smaller gets this size.",
    )
    largest_size: FileSize = Field(
        16 << 20,
        description="Log-normal sizes: the largest size; anything drawn larger gets this size.",
    )
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
    backup_fill: Fill = Field(
        20, description="Share of the storage and of its inodes that the files to back up take up."
    )
    backup_file_size: FileSize = Field(1 << 20, description="Size of each file to back up.")
    backup_orders: Distinct[Order] = Field(
        ["directory"],
        description="The order in which the reader takes files, one cell for each: as directories"
        " list them, by inode number, or by position on the storage.",
    )
    backup_block_size: BlockSize = Field(1 << 20, description="Size of one read of the backup.")
    time_limit: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        600_000_000_000,
        description="A test that takes longer is stopped there, unfinished; the report says when"
        " this happened.",
    )
    data: Data = Field("incompressible", description="The data written.")
    verify: bool = Field(
        True,
        description="Whether all data read is compared with what was written, byte by byte.",
    )
    extents: bool = Field(
        True,
        description="Count the extents of the files that each test writes: they are synced and"
        " scanned before the next test.",
    )
    scan: bool = Field(False, description=SCAN)

    def keys_agree(self) -> None:
        """Raise a conflict where keys contradict one another."""
        self._tests_have_files()
        self._sizes_fit()
        self._space_is_left()
        self._threads_can_be()
        self._clients_have_files_enough()
        self._records_fit_into_memory()
        self._all_clients_begin()
        if "delete" in self.mix and "create" not in self.mix:
            raise conflict(
                "a mix deletes only files that it created, and this one creates none",
                [("mix", "delete"), "mix"],
                next="add create to the mix, or leave delete out",
            )
        lowest = self.fan_out**self.depth
        if self.tree == "shared" and lowest > MOST_LOWEST_DIRECTORIES:
            raise conflict(
                f"a tree of depth {self.depth} with a fan-out of {self.fan_out} has {lowest} lowest"
                f" directories, and {MOST_LOWEST_DIRECTORIES} is the limit",
                ["fan_out", "depth"],
                next=f"fan_out = {int(MOST_LOWEST_DIRECTORIES ** (1 / self.depth) + 1e-9)}",
            )
        if self.data == "zero" and self.verify and self._reads():
            refuse_to_verify_zeros()

    def inapplicable(self) -> Inapplicable:
        """Keys that have no effect in this workload: why, and the key that makes it so."""
        found = self._sizes_without_effect()
        if self.files_per_connection is not None:
            reason = "files_per_connection sets the number of files"
            found["fill"] = (reason, "files_per_connection")
        if self.backup_files_per_connection is not None:
            reason = "backup_files_per_connection sets the number of files"
            found["backup_fill"] = (reason, "backup_files_per_connection")
        if "write" not in self.tests:
            sizes = ("file_sizes", "size_weights", "size_distribution", "median_size")
            own = ("files_per_connection", "fill", *sizes, "size_sigma", "smallest_size")
            found |= dict.fromkeys(
                (*own, "largest_size"), ("no test writes the clients' own files", "tests")
            )
        if "mix" not in self.tests:
            found |= dict.fromkeys(("mix", "mix_duration"), ("there is no test mix", "tests"))
        if "backup" not in self.tests:
            files = ("backup_files_per_connection", "backup_fill", "backup_file_size")
            reader = ("backup_orders", "backup_block_size")
            found |= dict.fromkeys((*files, *reader), ("there is no backup", "tests"))
        if self.tree == "own":
            found |= dict.fromkeys(("depth", "fan_out"), ("every client has one directory", "tree"))
        if not self.think:
            found["think_spread"] = ("clients do not rest", "think")
        if self.dispatch == "threads":
            found["threads"] = ("every client has a thread", "dispatch")
            found["interface"] = ("a client's own thread uses plain calls", "dispatch")
            found["outstanding"] = ("a thread does one operation at a time", "dispatch")
        if not self._reads():
            found["verify"] = ("nothing is read", "tests")
        return found

    def needs_files(self) -> tuple[str, str, str] | None:
        """All of it does."""
        return ("kind", "clients create, open and close files", "overhead compares with raw")

    @property
    def connections(self) -> int:
        """One a client, of the most."""
        return self.most_clients

    @property
    def most_clients(self) -> int:
        """The largest number of clients that any test has."""
        return max(self.clients)

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        """Refuse what needs the layout of files, which a server does not report."""
        if all(access.protocol == "path" for access in accesses):
            return
        shared = any(access.share is not None for access in accesses)
        because = ("access", "share" if shared else "server")
        for index, order in enumerate(self.backup_orders):
            if order != "directory":
                raise conflict(
                    "a share does not show where files are placed, so a backup reads in directory"
                    " order",
                    [("workload", "backup_orders", index), because],
                    next='backup_orders = ["directory"]',
                )
        if self.scan and shared:
            raise conflict(
                "scan would be ignored: a share does not show where files are placed",
                [("workload", "scan"), because],
            )

    def unused_over(self, accesses: Sequence[AccessKeys]) -> dict[str, str]:
        """Calls of this machine and extents, where all systems are shares of running servers."""
        if any(access.share is None for access in accesses):
            return {}
        return {
            "interface": "clients use sockets",
            "extents": "a share does not say where files lie",
        }

    def _reads(self) -> bool:
        return any(test in ("read", "mix", "backup") for test in self.tests)

    def _sizes_without_effect(self) -> Inapplicable:
        if self.size_distribution == "log-normal":
            reason = ("sizes are log-normal", "size_distribution")
            return dict.fromkeys(("file_sizes", "size_weights"), reason)
        reason = ("sizes are listed", "size_distribution")
        return dict.fromkeys(("median_size", "size_sigma", "smallest_size", "largest_size"), reason)

    def _tests_have_files(self) -> None:
        """A test needs what another wrote before it in the same turn."""
        if "write" not in self.tests:
            for test in _OF_OWN_FILES:
                if test in self.tests:
                    raise conflict(
                        f"the test {test} needs files, and no test writes them",
                        [("tests", self.tests.index(test))],
                        next='add "write" to tests: every turn makes its own files',
                    )

    def _sizes_fit(self) -> None:
        if self.size_distribution == "log-normal":
            if not self.smallest_size <= self.median_size <= self.largest_size:
                raise conflict(
                    "the median size is not between the smallest and the largest",
                    ["median_size", "smallest_size", "largest_size"],
                )
        elif self.size_weights and len(self.size_weights) != len(self.file_sizes):
            raise conflict(
                f"{len(self.size_weights)} weights are given for {len(self.file_sizes)} sizes",
                ["size_weights", "file_sizes"],
                next="a weight for each size, or no weights, for all equally often",
            )

    def _space_is_left(self) -> None:
        if "write" not in self.tests or "backup" not in self.tests:
            return
        if self.files_per_connection is None and self.backup_files_per_connection is None:
            together = self.fill + self.backup_fill
            if together > MOST_FILLED_PERCENT:
                raise conflict(
                    f"fill and backup_fill add up to {together} %, and {MOST_FILLED_PERCENT} % is"
                    " the limit: file systems need space for themselves",
                    ["fill", "backup_fill"],
                    next=f'fill = "{max(MOST_FILLED_PERCENT - self.backup_fill, 1)} %"',
                )

    def _threads_can_be(self) -> None:
        if self.dispatch == "threads" and self.most_clients > MOST_THREADS:
            raise conflict(
                f"{self.most_clients} clients need as many threads; the limit is {MOST_THREADS}",
                ["clients", "dispatch"],
                next=f'clients = {MOST_THREADS}, or dispatch = "event loop"',
            )

    def _clients_have_files_enough(self) -> None:
        for key in ("files_per_connection", "backup_files_per_connection"):
            files = getattr(self, key)
            if files is not None and files < self.outstanding:
                raise conflict(
                    f"a client works on {self.outstanding} files at a time, and has {files}",
                    ["outstanding", key],
                    next=f"outstanding = {files}, or {key} = {self.outstanding}",
                )

    def _records_fit_into_memory(self) -> None:
        if self.dispatch == "threads" or self.interface == "plain":
            return
        needed = self.most_clients * self.outstanding * self.record_size
        if needed > MOST_RECORD_BYTES:
            raise conflict(
                f"the records of all clients would take {format_size(needed)} of memory, and the"
                f" limit is {exact_size(MOST_RECORD_BYTES)}",
                ["record_size", "clients", "outstanding"],
                next='a smaller record_size, or interface = "plain"',
            )

    def _all_clients_begin(self) -> None:
        mix = {"mix_duration": self.mix_duration} if "mix" in self.tests else {}
        limits = {"time_limit": self.time_limit} | mix
        for key, limit in limits.items():
            if self.ramp >= limit:
                raise conflict(
                    f"the ramp of {exact_duration(self.ramp)} does not end before {key},"
                    f" {exact_duration(limit)}",
                    ["ramp", key],
                    next=f"a shorter ramp, or a longer {key}",
                )


KEYS = ConnectionsWorkload
