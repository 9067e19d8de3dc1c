"""The cells of `connections`: each test in its place of the turn, for they build on one another."""

from __future__ import annotations

from fsgauge.kinds.connections.keys import BackupOrder, ConnectionsWorkload
from fsgauge.record import Cell
from fsgauge.record import Test as CellTest

_PRIMARY = ("write", "read", "backup")
_IN_ORDER: tuple[CellTest, ...] = ("write", "read", "stat", "mix", "delete")


def cells_of(workload: ConnectionsWorkload) -> list[Cell]:
    """All cells in the order in which a turn has them, whatever the order of the study's list."""
    cells = [_of_clients(workload, test) for test in _IN_ORDER if test in workload.tests]
    if "backup" in workload.tests:
        cells.append(_of_clients(workload, "backup fill"))
        cells += [_backup(workload, order) for order in workload.backup_orders]
    return cells


def default_primary(workload: ConnectionsWorkload) -> list[str]:
    """The published tests; without any of them, the first cell."""
    cells = cells_of(workload)
    first_backup = workload.backup_orders[0]
    found = [
        cell.id for cell in cells if cell.test in _PRIMARY and cell.order in (None, first_backup)
    ]
    return found or [cells[0].id]


def _of_clients(workload: ConnectionsWorkload, test: CellTest) -> Cell:
    """A cell in which all clients work; its block is a record."""
    writes = test in ("write", "backup fill")
    return Cell(
        id=test.replace(" ", "-"),
        name=test,
        pattern="write" if writes else test,
        read_percent=_read_percent(workload, test),
        block_size_bytes=workload.record_size,
        queue_depth=workload.outstanding,
        jobs=workload.clients,
        interface="plain" if workload.dispatch == "threads" else workload.interface,
        test=test,
    )


def _backup(workload: ConnectionsWorkload, order: BackupOrder) -> Cell:
    """The cell of the one reader."""
    return Cell(
        id=f"backup-{order}",
        name=f"backup, {order} order",
        pattern="read",
        read_percent=100,
        block_size_bytes=workload.backup_block_size,
        queue_depth=1,
        jobs=1,
        interface="plain" if workload.dispatch == "threads" else workload.interface,
        test="backup",
        order=order,
    )


def _read_percent(workload: ConnectionsWorkload, test: CellTest) -> int:
    """Share of reads among reads and writes; whole files, in a mix as its weights say."""
    if test in ("read", "stat"):
        return 100
    if test != "mix":
        return 0
    reads = workload.mix.get("read", 0)
    writes = workload.mix.get("create", 0) + workload.mix.get("save", 0)
    return round(100 * reads / (reads + writes)) if reads + writes else 100
