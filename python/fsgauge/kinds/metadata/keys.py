"""The workload `metadata`: every operation by clients, folder, entries and file size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import lcm
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fsgauge.kinds.metadata.factors import (
    IN_ORDER,
    PACED,
    RECORDS,
    Folder,
    MetadataFactors,
    Operation,
)
from fsgauge.record.records import Cell
from fsgauge.study.base import OneOrSwept, conflict
from fsgauge.study.sweep import SCAN, Inapplicable, require_few
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import SIZE, DurationNs, RateOperationsPerSecond, exact_duration, exact_size

MOST_CLIENTS = 4096
MOST_ENTRIES = 100_000_000
MOST_OF_A_CLIENT = 10_000_000
IOR_HARD_BYTES = 47_008
FileSize = Annotated[int, SIZE, Field(ge=0, le=1 << 20)]
Changing = Literal["create", "rename", "unlink"]
_OF_FILES = ("folders", "entries", "file_sizes", "fsync", "order", "rate")
_ANSWERED: tuple[Operation, ...] = ("create", "stat", "unlink", *RECORDS)


class MetadataWorkload(WorkloadKeys):
    """Clients make files, and do one thing after the other to all of them; each is a cell."""

    question_of_folders: ClassVar[str] = "How many files a second do these file systems make?"
    pace: ClassVar[str] = "rate"
    why_files: ClassVar[str] = "it makes, finds and removes files"

    kind: Literal["metadata"] = Field(
        "metadata", description="The load: clients make, find and remove many files, as in mdtest."
    )
    operations: OneOrSwept[Operation] = Field(
        ["create", "stat", "list", "rename", "unlink"],
        description="What is done, always in this order: create, stat, list (a whole folder), read"
        ' (whole files), rename, unlink; then "record write" and "record read", IO500\'s ior-hard:'
        " all clients in turns on one file. Caches are dropped before each.",
    )
    clients: OneOrSwept[Annotated[int, Field(ge=1, le=MOST_CLIENTS)]] = Field(
        [1, 4], description="Numbers of clients, a thread each: mdtest's tasks."
    )
    folders: OneOrSwept[Folder] = Field(
        ["own", "shared"],
        description="Where files stand: each client's in a folder of its own, or all in one.",
    )
    entries: OneOrSwept[Annotated[int, Field(ge=1, le=MOST_ENTRIES)]] = Field(
        [10_000],
        description="Files of all clients together, dealt out evenly; a shared folder's size.",
    )
    file_sizes: OneOrSwept[FileSize] = Field(
        [0], description='Bytes of each file, written by one call: "0 B" to "1 MiB".'
    )
    fsync: bool = Field(False, description="Sync each file before it is closed, in the time.")
    sync_after: Annotated[list[Changing], Field(max_length=3)] = Field(
        [],
        description="Operations behind which the file system is synced, in their time: create,"
        " rename, unlink. mdtest -Y, as IO500 has it for creates.",
    )
    order: Literal["number", "random"] = Field(
        "number", description="How stat, read, rename and unlink come to files; creates by number."
    )
    verify: bool = Field(
        False,
        description="Compare what read and record read find with what was written, byte by byte,"
        " in the time: mdtest -X, IOR -R.",
    )
    stonewall: Annotated[DurationNs, Field(ge=100_000_000)] | None = Field(
        None,
        description="With it creates and record writes stop here: then each client goes on until it"
        " has as many files, or records, as the one that had most (IO500's wear-out), and `entries`"
        " and `records` are the most that there may be. What follows is on what is there.",
    )
    rate: RateOperationsPerSecond | None = Field(
        None,
        description="A pace in files, of all clients together, for create, stat, read, rename and"
        " unlink; latency then counts from when a file was due. Default: none; a client goes on to"
        " the next.",
    )
    arrival: Literal["constant", "exponential"] = Field(
        "exponential",
        description="How the starts of paced files are spread: evenly or as a Poisson process.",
    )
    records: Annotated[int, Field(ge=1, le=10_000_000)] = Field(
        2000, description="Records of each client in the shared file."
    )
    record_size: Annotated[int, SIZE, Field(ge=1, le=64 << 20)] = Field(
        IOR_HARD_BYTES, description="Bytes of one record of the shared file; clients alternate."
    )
    time_limit: Annotated[DurationNs, Field(ge=1_000_000_000)] = Field(
        600_000_000_000, description="An operation that takes longer is ended, and says so."
    )
    scan: bool = Field(False, description=SCAN)

    def cells(self) -> list[Cell]:
        return [_cell(factors) for factors in self._points()]

    def default_primary(self) -> list[str]:
        """Create, stat, unlink and records by the most clients, in the last folder, with the most
        and smallest files; the first of these with the fewest files too."""
        first, *_ = self._answered(min(self.entries))
        return list(dict.fromkeys(_cell(f).id for f in (first, *self._answered(max(self.entries)))))

    def _answered(self, entries: int) -> list[MetadataFactors]:
        """The cells that the answer is about, of those with so many files."""
        wanted = (max(self.clients), self._folders[-1], entries, min(self.file_sizes))
        last = [
            factors
            for factors in self._points()
            if factors.clients == wanted[0]
            and (factors.is_of_records or factors.set_of_files == wanted)
        ]
        found = [factors for factors in last if factors.operation in _ANSWERED]
        return found or last or [next(self._points())]

    def paced_loads(self) -> list[Cell]:
        """Of the largest set of files, what is done to one at a time: in this order at each rate,
        from the files that the first makes."""
        found = self._answered(max(self.entries))
        return [_cell(factors) for factors in found if factors.operation in PACED]

    def against_curve(self) -> tuple[str | tuple[str | int, ...], str] | None:
        """A stonewall ends creates where a curve needs all of them; a sync at the end is in the
        latency of none."""
        if self.sync_after:
            return "sync_after", "would be ignored: a sync behind all files is in no file's latency"
        if self.stonewall is not None:
            return "stonewall", "ends creates before all files are there, and a curve needs them"
        if not self._of_files:
            return "operations", "has nothing that is done to files of clients, one at a time"
        return super().against_curve()

    def keys_agree(self) -> None:
        if self.rate is not None and self.stonewall is not None:
            raise conflict(
                "clients that go on to as many files as another have no pace",
                ["rate", "stonewall"],
                next="leave one out",
            )
        if self.stonewall is not None and self.stonewall >= self.time_limit:
            raise conflict(
                f"the time limit, {exact_duration(self.time_limit)}, comes before the stonewall",
                ["stonewall", "time_limit"],
                next="a shorter stonewall, or a longer time_limit",
            )
        if self.rate is not None and max(self.entries) / self.rate * 1e9 > self.time_limit:
            raise conflict(
                f"at that rate {max(self.entries):,} files take"
                f" {max(self.entries) / self.rate:,.0f} s, and the time limit ends it before",
                ["rate", "time_limit"],
                next="fewer entries, a higher rate, or a longer time_limit",
            )
        self._synced_are_done()
        if self._of_files:
            self._files_are_made()
            self._each_has_files()
        if "record read" in self.operations and "record write" not in self.operations:
            raise conflict(
                "record read needs the file that record write makes",
                [("operations", self.operations.index("record read"))],
                next='add "record write" to operations',
            )
        sweep = ["operations", "clients"]
        if self._of_files:
            sweep += ["folders", "entries", "file_sizes"]
        require_few(sum(1 for _ in self._points()), sweep)

    def _synced_are_done(self) -> None:
        for at, operation in enumerate(self.sync_after):
            if operation not in self.operations:
                raise conflict(
                    f"{operation} is not done, so nothing is synced behind it",
                    [("sync_after", at), "operations"],
                    next="leave it out",
                )

    def inapplicable(self) -> Inapplicable:
        found: Inapplicable = {}
        if not self._of_files:
            reason = ("no operation is on files of clients", "operations")
            found |= dict.fromkeys(_OF_FILES, reason)
        elif not {"stat", "read", "rename", "unlink"} & set(self.operations):
            found["order"] = ("no operation comes to files that are there", "operations")
        if not {"read", "record read"} & set(self.operations):
            found["verify"] = ("nothing is read", "operations")
        if not {"create", "record write"} & set(self.operations):
            found["stonewall"] = ("nothing is made", "operations")
        if self.rate is None:
            found["arrival"] = ("there is no rate, so a client goes on to the next file", "rate")
        if not set(RECORDS) & set(self.operations):
            reason = ("no operation is on records of a shared file", "operations")
            found |= dict.fromkeys(("records", "record_size"), reason)
        return found

    @property
    def _of_files(self) -> list[Operation]:
        return [each for each in IN_ORDER if each in self.operations and each not in RECORDS]

    @property
    def _folders(self) -> list[Folder]:
        return sorted(self.folders)

    def _points(self) -> Iterator[MetadataFactors]:
        for clients in sorted(self.clients):
            sweep = product(self._folders, sorted(self.entries), sorted(self.file_sizes))
            for folder, entries, size in sweep if self._of_files else ():
                for operation in self._of_files:
                    if operation == "read" and not size:
                        continue
                    yield MetadataFactors(
                        operation=operation,
                        clients=clients,
                        folder=folder,
                        entries=entries,
                        file_size_bytes=size,
                    )
            for operation in IN_ORDER:
                if operation in RECORDS and operation in self.operations:
                    size = self.record_size
                    yield MetadataFactors(
                        operation=operation, clients=clients, record_size_bytes=size
                    )

    def _files_are_made(self) -> None:
        if "create" not in self.operations:
            raise conflict(
                f"{self._of_files[0]} needs files, and no operation makes them",
                [("operations", self.operations.index(self._of_files[0]))],
                next='add "create" to operations: every turn makes its own files',
            )
        if "read" in self.operations and not any(self.file_sizes):
            raise conflict(
                "there is nothing to read in empty files",
                [("operations", self.operations.index("read")), "file_sizes"],
                next='file_sizes = "3901 B", or leave read out',
            )

    def _each_has_files(self) -> None:
        for_all = lcm(*self.clients)
        for at, entries in enumerate(self.entries):
            for clients in self.clients:
                if clients > entries:
                    raise conflict(
                        f"{clients:,} clients are more than the {entries:,} files that they share"
                        " out",
                        [("entries", at), "clients"],
                        next=f"entries = {for_all * 1000}",
                    )
                if entries % clients:
                    raise conflict(
                        f"{entries:,} files cannot be dealt out evenly to {clients:,} clients",
                        [("entries", at), "clients"],
                        next=f"entries = {(entries // for_all + 1) * for_all}",
                    )
                if entries // clients > MOST_OF_A_CLIENT:
                    raise conflict(
                        f"each of {clients:,} clients would have {entries // clients:,} files,"
                        f" and {MOST_OF_A_CLIENT:,} is the limit",
                        [("entries", at), "clients"],
                        next="more clients, or fewer entries",
                    )


def _cell(factors: MetadataFactors) -> Cell:
    """Its id, and its name as `--fail-if` takes it: "create, 4 clients, shared folder, 10000 files
    of 0 B"."""
    parts = [factors.operation.replace(" ", "-"), f"clients{factors.clients}"]
    words = f"{factors.operation}, {factors.at_once_words}"
    if factors.record_size_bytes is not None:
        words += f", one file, {factors.record_size_bytes} B records"
    else:
        size = exact_size(factors.file_size_bytes or 0)
        parts += [str(factors.folder), f"files{factors.entries}", size.replace(" ", "")]
        words += f", {factors.folder} folder, {factors.entries} files of {size}"
    return factors.cell("-".join(parts), words)


KEYS = MetadataWorkload
