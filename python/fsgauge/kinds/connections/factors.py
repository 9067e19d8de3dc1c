"""The factors of `connections`: what how many clients do, in which records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from fsgauge.record.factors import CellFactors, Factor
from fsgauge.record.records import Cell

Test = Literal["write", "read", "mix", "stat", "delete", "backup fill", "backup"]
"""What clients do. The cell of a backup has an `order`; what it reads was written by the cell of
"backup fill"."""
Order = Literal["directory", "inode", "physical"]

_WORK: Mapping[Test, str] = {
    "write": "writes",
    "read": "reads",
    "mix": "work of the mix",
    "stat": "calls of stat",
    "delete": "deletes",
    "backup fill": "writes for the backup",
    "backup": "reads of the backup",
}
WRITING: tuple[Test, ...] = ("write", "mix", "backup fill")
"""After these the extents of the files are counted."""
OF_BACKUP: tuple[Test, ...] = ("backup fill", "backup")
"""These have a set of files of their own."""


class ConnectionsFactors(CellFactors):
    """One test. `record_size_bytes` is what a call moves, `outstanding` is of each client; a backup
    has one client, its reader. `swept_clients` is there where the study has several numbers of
    clients: how many the cell's files are of, also those that the one reader backs up. Where it
    varies the number of hosts, clients and reader are those of each host."""

    KIND: ClassVar = "connections"

    test: Annotated[Test, Factor("test", role="pattern")]
    clients: Annotated[int, Factor("clients", role="jobs", one="client")]
    record_size_bytes: Annotated[int, Factor("record size", role="size")]
    outstanding: Annotated[int, Factor("outstanding calls", role="depth")]
    read_percent: Annotated[int, Factor("share of reads")]
    order: Annotated[Order | None, Factor("order", behind="order", column="backup_order")] = None
    swept_clients: Annotated[int | None, Factor("number of clients, where it is swept")] = None
    hosts: Annotated[int | None, Factor("hosts", role="hosts", one="host")] = None

    @property
    def swept_words(self) -> str:
        """ "with 50 clients" where their number is swept, otherwise ""."""
        if self.swept_clients is None:
            return ""
        return f"with {self.swept_clients} client{'s' if self.swept_clients > 1 else ''}"

    @property
    def numbers(self) -> tuple[int | None, int | None]:
        """How many clients and hosts, where these are swept."""
        return self.swept_clients, self.hosts

    @property
    def work(self) -> str:
        """ "reads"; "work of the mix"."""
        return _WORK[self.test]

    @property
    def noun(self) -> str:
        """ "writes by 590 clients"; of a backup, which has one reader, "reads of the backup in
        inode order with 50 clients"."""
        order = f" in {self.order} order" if self.order not in (None, "directory") else ""
        swept = f" {self.swept_words}" if self.swept_words else ""
        who = swept if self.test == "backup" else f" by {self.at_once_words}"
        hosts = f" on {self.hosts_words}" if self.hosts_words else ""
        return f"{self.work}{order}{who}{hosts}"

    def named(self) -> Cell:
        """Its cell, named after its number of clients and of hosts as well where these are
        swept."""
        identity = f"backup-{self.order}" if self.order else self.test.replace(" ", "-")
        name = f"backup, {self.order} order" if self.order else self.test
        if self.swept_clients is not None:
            identity += f"-c{self.swept_clients}"
            name += f" {self.swept_words}"
        if self.hosts is not None:
            identity += f"-hosts{self.hosts}"
            name += f", {self.hosts_words}"
        return self.cell(id=identity, name=name)

    @property
    def can_begin_again(self) -> bool:
        return self.test in ("read", "stat")

    @property
    def longer_runs(self) -> str:
        if self.test == "mix":
            return "longer runs (--set workload.mix_duration=...)"
        key = "backup_files" if self.test in OF_BACKUP else "files"
        return f"more files (--set workload.{key}_per_connection=...)"

    @property
    def more_space(self) -> str:
        if self.test == "mix":  # its creates, and not the files before it, fill the storage
            return (
                "larger storage, a shorter workload.mix_duration, or a mix that creates less than"
                " it deletes"
            )
        backup = "backup_" if self.test in OF_BACKUP else ""
        return (
            f"larger storage, fewer files (--set workload.{backup}files_per_connection=N), or a"
            f" smaller workload.{backup}fill"
        )

    def scans(self, workload: Mapping[str, Any]) -> set[str]:
        return {"after cell"} if workload.get("extents") and self.test in WRITING else set()


FACTORS = ConnectionsFactors
