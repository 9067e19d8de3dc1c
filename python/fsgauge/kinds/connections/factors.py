"""The factors of `connections`: what how many clients do, in which records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from fsgauge.record.factors import CellFactors, Factor

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
    DECLARED: ClassVar = {
        "test": Factor("test", role="pattern"),
        "clients": Factor("clients", role="jobs", one="client"),
        "record_size_bytes": Factor("record size", role="size"),
        "outstanding": Factor("outstanding calls", role="depth"),
        "read_percent": Factor("share of reads"),
        "order": Factor("order", behind="order", column="backup_order"),
        "swept_clients": Factor("number of clients, where it is swept"),
        "hosts": Factor("hosts", role="hosts", one="host"),
    }

    test: Test
    clients: int
    record_size_bytes: int
    outstanding: int
    read_percent: int
    order: Order | None = None
    swept_clients: int | None = None
    hosts: int | None = None

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
    def share_of_reads(self) -> int:
        """Of whole files, in a mix as its weights say."""
        return self.read_percent

    @property
    def can_begin_again(self) -> bool:
        """What only looks at files leaves them."""
        return self.test in ("read", "stat")

    @property
    def more_space(self) -> str:
        """Both sets of files have keys of their own."""
        backup = "backup_" if self.test in OF_BACKUP else ""
        return (
            f"larger storage, fewer files (--set workload.{backup}files_per_connection=N), or a"
            f" smaller workload.{backup}fill"
        )

    def scans(self, workload: Mapping[str, Any]) -> set[str]:
        """The files that it wrote, where their extents are counted."""
        return {"after cell"} if workload.get("extents") and self.test in WRITING else set()


FACTORS = ConnectionsFactors
