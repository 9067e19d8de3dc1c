"""The workload `connections`: many clients create, write, read and back up files. The tests are
those of a published study of delayed block allocation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import ClassVar, Literal

from fsgauge.kinds.connections.factors import ConnectionsFactors, Order
from fsgauge.kinds.connections.factors import Test as FactorTest
from fsgauge.kinds.connections.fields import ConnectionsFields
from fsgauge.record.records import Cell
from fsgauge.study.access import AccessKeys
from fsgauge.study.base import conflict
from fsgauge.study.file_sizes import OF_SIZES, FileSizes
from fsgauge.study.sweep import (
    Inapplicable,
    host_counts,
    refuse_to_verify_zeros,
    require_records_fit,
)
from fsgauge.units import exact_duration

MOST_THREADS = 4096
MOST_LOWEST_DIRECTORIES = 1_000_000
MOST_FILLED_PERCENT = 95  # of fill and backup_fill together
_PRIMARY = ("write", "read", "backup")
_IN_ORDER: tuple[FactorTest, ...] = ("write", "read", "stat", "mix", "delete")
_OF_OWN_FILES = ("read", "stat", "mix", "delete")


class ConnectionsWorkload(ConnectionsFields):
    """Many clients on files of their own, every operation timed; each test is a cell."""

    works_over: ClassVar[Literal["any server"]] = "any server"
    is_told_beside_path: ClassVar[bool] = True
    why_files: ClassVar[str] = "clients create, open and close files"

    def cells(self) -> list[Cell]:
        sweep = product(host_counts(self.hosts), sorted(self.clients))
        return [cell for hosts, clients in sweep for cell in self._cells_of(clients, hosts)]

    def default_primary(self) -> list[str]:
        """The published tests with the most clients on the most hosts; without any of them, the
        first cell of those."""
        cells = self._cells_of(self.most_clients, host_counts(self.hosts)[-1])
        found = [
            cell.id
            for cell in cells
            if (factors := ConnectionsFactors.of(cell)).test in _PRIMARY
            and factors.order in (None, self.backup_orders[0])
        ]
        return found or [cells[0].id]

    def _cells_of(self, clients: int, hosts: int | None) -> list[Cell]:
        swept = clients if len(self.clients) > 1 else None

        def of_clients(test: FactorTest) -> Cell:
            return ConnectionsFactors(
                test=test,
                clients=clients,
                record_size_bytes=self.record_size,
                outstanding=self.outstanding,
                read_percent=self._read_percent(test),
                swept_clients=swept,
                hosts=hosts,
            ).named()

        def of_the_reader(order: Order) -> Cell:
            return ConnectionsFactors(
                test="backup",
                clients=1,
                record_size_bytes=self.backup_block_size,
                outstanding=1,
                read_percent=100,
                order=order,
                swept_clients=swept,
                hosts=hosts,
            ).named()

        cells = [of_clients(test) for test in _IN_ORDER if test in self.tests]
        if "backup" in self.tests:
            cells += [of_clients("backup fill"), *map(of_the_reader, self.backup_orders)]
        return cells

    def _read_percent(self, test: FactorTest) -> int:
        """Share of reads among reads and writes; whole files, in a mix as its weights say."""
        if test in ("read", "stat"):
            return 100
        if test != "mix":
            return 0
        reads = self.mix.get("read", 0)
        writes = self.mix.get("create", 0) + self.mix.get("save", 0)
        return round(100 * reads / (reads + writes)) if reads + writes else 100

    def keys_agree(self) -> None:
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
        found = FileSizes.of(self).without_effect()
        if self.files_per_connection is not None:
            found["fill"] = _set_by("files_per_connection")
        if self.backup_files_per_connection is not None:
            found["backup_fill"] = _set_by("backup_files_per_connection")
        if "write" not in self.tests:
            reason = ("no test writes the clients' own files", "tests")
            found |= dict.fromkeys(("files_per_connection", "fill", *OF_SIZES), reason)
        if "mix" not in self.tests:
            found |= dict.fromkeys(("mix", "mix_duration"), ("there is no test mix", "tests"))
        if "backup" not in self.tests:
            files = ("backup_files_per_connection", "backup_fill", "backup_file_size")
            reader = ("backup_orders", "backup_access", "backup_block_size")
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

    @property
    def connections(self) -> int:
        return self.most_clients

    @property
    def most_clients(self) -> int:
        return max(self.clients)

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        """Refuse what needs the layout of files, which a server does not report."""
        if all(access.protocol == "path" for access in accesses):
            return
        shared = any(access.share is not None for access in accesses)
        because = ("access", "share" if shared else "server")
        if self.backup_access == "path" and shared:
            raise conflict(
                "a running server's files have no path on this machine",
                [("workload", "backup_access"), because],
                next="--serve samba starts one here, over storage of this machine",
            )
        for index, order in enumerate(self.backup_orders):
            if order != "directory" and self.backup_access == "clients":
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
        """Calls of this machine and extents, where all systems are shares of running servers; a
        reader's own way, where no system has a server."""
        if self.backup_access == "path" and all(e.protocol == "path" for e in accesses):
            return {"backup_access": "clients and the reader all work on paths"}
        if any(access.share is None for access in accesses):
            return {}
        return {
            "interface": "clients use sockets",
            "extents": "a share does not say where files lie",
        }

    def _reads(self) -> bool:
        return any(test in ("read", "mix", "backup") for test in self.tests)

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
        sizes = FileSizes.of(self)
        sizes.require_order()
        if sizes.is_log_normal or not self.size_weights:
            return
        if len(self.size_weights) != len(self.file_sizes):
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
                f"{self.most_clients:,} clients need as many threads; the limit is"
                f" {MOST_THREADS:,}",
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
        require_records_fit(
            self.most_clients * self.outstanding,
            self.record_size,
            ["record_size", "clients", "outstanding"],
            'interface = "plain"',
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


def _set_by(key: str) -> tuple[str, str]:
    return f"{key} sets the number of files", key


KEYS = ConnectionsWorkload
