"""The factors of a cell of metadata: an operation, on which files, by how many clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, get_args

from fsgauge.record.factors import CellFactors, Factor
from fsgauge.units import exact_size, plural

FileOperation = Literal["create", "stat", "list", "read", "rename", "unlink"]
RecordOperation = Literal["record write", "record read"]
Operation = Literal[FileOperation, RecordOperation]
Folder = Literal["own", "shared"]
RECORDS: tuple[Operation, ...] = get_args(RecordOperation)
"""On one file of all clients; the others are on files of their own."""
PACED: tuple[Operation, ...] = ("create", "stat", "read", "rename", "unlink")
"""A file at a time, each of which may be due at a time of its own."""
IN_ORDER: tuple[Operation, ...] = (*get_args(FileOperation), *RECORDS)
"""As a turn has them: each finds what those before it left."""
_WORK: Mapping[Operation, str] = {
    "create": "creates",
    "stat": "stats",
    "list": "lists",
    "read": "file reads",
    "rename": "renames",
    "unlink": "unlinks",
    "record write": "record writes",
    "record read": "record reads",
}


class MetadataFactors(CellFactors):
    """One operation. `entries` are the files of all clients together: in a shared folder that is
    its size. On the shared file there are records in place of files."""

    KIND: ClassVar = "metadata"

    operation: Annotated[Operation, Factor("operation", role="pattern", column="file_operation")]
    clients: Annotated[int, Factor("clients", role="jobs", one="client")]
    folder: Annotated[Folder | None, Factor("folder", behind="folder")] = None
    entries: Annotated[int | None, Factor("files", one="file")] = None
    file_size_bytes: Annotated[int | None, Factor("file size", behind="each")] = None
    record_size_bytes: Annotated[int | None, Factor("record size", role="size")] = None

    @property
    def is_of_records(self) -> bool:
        return self.operation in RECORDS

    @property
    def set_of_files(self) -> tuple[int, str | None, int | None, int | None]:
        """What cells that build on one another share."""
        return self.clients, self.folder, self.entries, self.file_size_bytes

    @property
    def metric(self) -> str:
        """Files a second; of records, operations a second."""
        return "iops" if self.is_of_records else "files"

    @property
    def waited_for(self) -> str:
        return super().waited_for if self.is_of_records else "file"

    @property
    def judged_at_pace(self) -> str:
        return super().judged_at_pace if self.operation in PACED else self.metric

    @property
    def rate_unit(self) -> str:
        """ "creates/s"."""
        return f"{self.work}/s"

    @property
    def operations_of_run(self) -> int | None:
        return self.entries

    @property
    def longer_runs(self) -> str:
        return "more files (--set workload.entries=...)"

    @property
    def work(self) -> str:
        return _WORK[self.operation]

    @property
    def place(self) -> str:
        """Where, in a sentence: "4 clients, shared folder of 10,000 empty files"."""
        if self.record_size_bytes is not None:
            return f"{self.at_once_words}, one file in records of {self.record_size_bytes:,} bytes"
        files = plural(self.entries or 0, "file")
        size = f"empty {files}"
        if self.file_size_bytes:
            size = f"{files} of {exact_size(self.file_size_bytes)}"
        folders = "shared folder of" if self.folder == "shared" else "own folders, in all"
        return f"{self.at_once_words}, {folders} {self.entries:,} {size}"

    @property
    def noun(self) -> str:
        """ "creates by 4 clients, shared folder of 10,000 empty files"."""
        return f"{self.work} by {self.place}"

    @property
    def panel(self) -> str:
        return ", ".join((self.operation, *self.place.split(", ", 1)[1:]))

    @property
    def share_of_reads(self) -> int:
        return 0 if self.operation in ("create", "rename", "unlink", "record write") else 100

    @property
    def can_begin_again(self) -> bool:
        """Names are back after a rename; what is made or removed is so once."""
        return self.operation not in ("create", "unlink", "record write")

    @property
    def more_space(self) -> str:
        return "larger storage, or fewer workload.entries"


FACTORS = MetadataFactors
