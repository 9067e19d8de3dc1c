"""The section of a server: what it used, what it adds to each operation, the connections."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.report import words
from fsgauge.report.table_parts import (
    NOTHING,
    Column,
    Table,
    TableCell,
    interval_text,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.connections.serving_model import OperationShare, ServerUse, Serving
from fsgauge.stats.results import Results
from fsgauge.stats.scaling.model import Estimate
from fsgauge.units import format_size

FOLDED_ROWS = 40
_LEAST_SHARE = -1.0
"""An interval that reaches below says nothing: the path may have been twice as slow, or not."""


@dataclass(frozen=True)
class ServingParts:
    """What the section shows; without tables there is none."""

    servers: list[str]
    settings: str
    without_extents: bool
    tables: list[Table]


def serving_parts(results: Results) -> ServingParts:
    """The section of a study."""
    serving = serving_of(results)
    if serving is None:
        return ServingParts([], "", False, [])
    settings = "; ".join(serving.settings)
    return ServingParts(serving.servers, settings, serving.without_extents, serving_tables(results))


def serving_of(results: Results) -> Serving | None:
    """Servers and connections of a study, if it has any."""
    return results.connections.serving if results.connections else None


def serving_tables(results: Results) -> list[Table]:
    """All tables of the section; [] where clients worked on paths."""
    serving = serving_of(results)
    if serving is None:
        return []
    return [
        *_shares(results, serving),
        *_use(results, serving),
        *_connections(results, serving),
    ]


def _shares(results: Results, serving: Serving) -> list[Table]:
    if not serving.shares:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.operation),
            TableCell(each.system),
            value_cell(each.served_ns, "ns"),
            value_cell(each.path_ns, "ns"),
            _share(each),
        ]
        for each in serving.shares
    ]
    columns = [
        Column("test"),
        Column("operation"),
        Column("system"),
        Column("through the server", "mean"),
        Column("over the path", "mean"),
        Column("the server's share", "server_share"),
    ]
    note = (
        "Mean responses. The same clients and files over the path, in turns of their own in the"
        " same blocks; what they take there includes waiting for one another. The rest is the"
        " server's: its protocol, its processes, and the sockets."
    )
    heading = "How much of each operation is the server?"
    return [Table("server-share", heading, note, columns, rows, len(rows) > FOLDED_ROWS)]


def _share(each: OperationShare) -> TableCell:
    def text(share: float) -> str:
        return f"{100 * share:.3g} %".replace("-", "\u2212")

    share = each.share
    if share.low is not None and share.low < _LEAST_SHARE:
        return TableCell(text(share.value), f"{words.unknown(share.n)}")
    return TableCell(text(share.value), interval_text(share, text))


def _use(results: Results, serving: Serving) -> list[Table]:
    if not serving.use:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            value_cell(each.processor_ns, "ns"),
            _processors(each.busy),
            _memory(each),
            TableCell(f"{each.processes:,}"),
            TableCell("unknown" if each.listen_overflows is None else f"{each.listen_overflows:,}"),
            TableCell(f"{each.restarts}"),
        ]
        for each in serving.use
    ]
    columns = [
        Column("test"),
        Column("system"),
        Column("processor time an operation", "server_cpu"),
        Column("processors busy", "server_cpu"),
        Column("memory", "server_memory"),
        Column("processes", "server_memory"),
        Column("refused by a full queue", "listen_overflows"),
        Column("died", "client_errors"),
    ]
    note = "All processes of the server together, connecting included."
    table = Table("server", "What the server used", note, columns, rows)
    return [without_empty_columns(table)]


def _processors(busy: Estimate | None) -> TableCell:
    if busy is None:
        return NOTHING
    return TableCell(f"{busy.value:.2f}", interval_text(busy, lambda edge: f"{edge:.2f}"))


def _memory(use: ServerUse) -> TableCell:
    if use.memory_bytes is None:
        return TableCell("", "the test was too short")
    of = f"{use.memory_processes} process{'es' if use.memory_processes != 1 else ''}"
    return TableCell(format_size(use.memory_bytes), of)


def _connections(results: Results, serving: Serving) -> list[Table]:
    if not serving.connections:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            TableCell(each.protocol),
            TableCell(f"{each.connections:,}"),
            value_cell(each.connect_ns, "ns"),
            value_cell(each.connect_all_ns, "ns"),
            TableCell(words.value(each.null_operation_ns, "ns")),
            TableCell(format_size(each.sent_bytes), f"{format_size(each.received_bytes)} back"),
            TableCell(f"{each.reconnections:,}"),
        ]
        for each in serving.connections
    ]
    columns = [
        Column("test"),
        Column("system"),
        Column("protocol"),
        Column("connections", "connect"),
        Column("to connect one", "connect"),
        Column("until all are connected", "connect"),
        Column("null operation", "null_operation"),
        Column("sent"),
        Column("connected anew", "client_errors"),
    ]
    note = "A connection and a session for each client; connecting is in no other number."
    return [Table("connections", "Connections", note, columns, rows, len(rows) > FOLDED_ROWS)]
