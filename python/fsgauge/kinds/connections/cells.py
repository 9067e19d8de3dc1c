"""The cells of `connections`: each test in its place of the turn, for they build on one another."""

from __future__ import annotations

from fsgauge.kinds.connections.factors import ConnectionsFactors, Order, Test
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.record.records import Cell

_PRIMARY = ("write", "read", "backup")
_IN_ORDER: tuple[Test, ...] = ("write", "read", "stat", "mix", "delete")


def cells_of(workload: ConnectionsWorkload) -> list[Cell]:
    """All cells in the order in which a turn has them, whatever the order of the study's list."""
    return [
        cell
        for hosts in (sorted(workload.hosts) if workload.hosts else [None])
        for clients in sorted(workload.clients)
        for cell in _with(workload, clients, hosts)
    ]


def _with(workload: ConnectionsWorkload, clients: int, hosts: int | None) -> list[Cell]:
    """The cells of one number of clients and of hosts."""
    tests = [test for test in _IN_ORDER if test in workload.tests]
    cells = [_of_clients(workload, test, clients, hosts) for test in tests]
    if "backup" in workload.tests:
        cells.append(_of_clients(workload, "backup fill", clients, hosts))
        cells += [_backup(workload, order, clients, hosts) for order in workload.backup_orders]
    return cells


def default_primary(workload: ConnectionsWorkload) -> list[str]:
    """The published tests with the most clients on the most hosts; without any of them, the first
    cell of those."""
    hosts = max(workload.hosts) if workload.hosts else None
    cells = _with(workload, workload.most_clients, hosts)
    first_backup = workload.backup_orders[0]
    found = [
        cell.id
        for cell in cells
        if (factors := ConnectionsFactors.of(cell)).test in _PRIMARY
        and factors.order in (None, first_backup)
    ]
    return found or [cells[0].id]


def _of_clients(workload: ConnectionsWorkload, test: Test, clients: int, hosts: int | None) -> Cell:
    """A cell in which all clients work."""
    factors = ConnectionsFactors(
        test=test,
        clients=clients,
        record_size_bytes=workload.record_size,
        outstanding=workload.outstanding,
        read_percent=_read_percent(workload, test),
        swept_clients=_swept(workload, clients),
        hosts=hosts,
    )
    return _cell(factors, id=test.replace(" ", "-"), name=test)


def _backup(workload: ConnectionsWorkload, order: Order, clients: int, hosts: int | None) -> Cell:
    """The cell of the one reader."""
    factors = ConnectionsFactors(
        test="backup",
        clients=1,
        record_size_bytes=workload.backup_block_size,
        outstanding=1,
        read_percent=100,
        order=order,
        swept_clients=_swept(workload, clients),
        hosts=hosts,
    )
    return _cell(factors, id=f"backup-{order}", name=f"backup, {order} order")


def _cell(factors: ConnectionsFactors, id: str, name: str) -> Cell:
    """Named after its number of clients and of hosts as well where these are swept."""
    ids, names = [id], [name]
    if factors.swept_clients is not None:
        ids.append(f"-c{factors.swept_clients}")
        names.append(f" {factors.swept_words}")
    if factors.hosts is not None:
        ids.append(f"-hosts{factors.hosts}")
        names.append(f", {factors.hosts_words}")
    return factors.cell(id="".join(ids), name="".join(names))


def _swept(workload: ConnectionsWorkload, clients: int) -> int | None:
    return clients if len(workload.clients) > 1 else None


def _read_percent(workload: ConnectionsWorkload, test: Test) -> int:
    """Share of reads among reads and writes; whole files, in a mix as its weights say."""
    if test in ("read", "stat"):
        return 100
    if test != "mix":
        return 0
    reads = workload.mix.get("read", 0)
    writes = workload.mix.get("create", 0) + workload.mix.get("save", 0)
    return round(100 * reads / (reads + writes)) if reads + writes else 100
