"""The cells of `connections`: each test in its place of the turn, for they build on one another."""

from __future__ import annotations

from fsgauge.kinds.connections.factors import ConnectionsFactors, Order, Test
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.record import Cell

_PRIMARY = ("write", "read", "backup")
_IN_ORDER: tuple[Test, ...] = ("write", "read", "stat", "mix", "delete")


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
        cell.id
        for cell in cells
        if (factors := ConnectionsFactors.of(cell)).test in _PRIMARY
        and factors.order in (None, first_backup)
    ]
    return found or [cells[0].id]


def _of_clients(workload: ConnectionsWorkload, test: Test) -> Cell:
    """A cell in which all clients work."""
    factors = ConnectionsFactors(
        test=test,
        clients=workload.clients,
        record_size_bytes=workload.record_size,
        outstanding=workload.outstanding,
        read_percent=_read_percent(workload, test),
    )
    return factors.cell(id=test.replace(" ", "-"), name=test)


def _backup(workload: ConnectionsWorkload, order: Order) -> Cell:
    """The cell of the one reader."""
    factors = ConnectionsFactors(
        test="backup",
        clients=1,
        record_size_bytes=workload.backup_block_size,
        outstanding=1,
        read_percent=100,
        order=order,
    )
    return factors.cell(id=f"backup-{order}", name=f"backup, {order} order")


def _read_percent(workload: ConnectionsWorkload, test: Test) -> int:
    """Share of reads among reads and writes; whole files, in a mix as its weights say."""
    if test in ("read", "stat"):
        return 100
    if test != "mix":
        return 0
    reads = workload.mix.get("read", 0)
    writes = workload.mix.get("create", 0) + workload.mix.get("save", 0)
    return round(100 * reads / (reads + writes)) if reads + writes else 100
