"""The section of a server: what it used, what it adds to each operation, the connections."""

from __future__ import annotations

from typing import Any

from fsgauge.kinds.connections.analysis.model import (
    Connections,
    ConnectionUse,
    OperationShare,
    ServerUse,
    Serving,
)
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.report import words
from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    estimate_cell,
    interval_text,
    place_of,
    value_cell,
)
from fsgauge.stats.results import Results
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.units import count, format_size

_NO_BREAK = "\u00a0"
_LEAST_SHARE = -1.0
"""An interval that reaches below says nothing: the path may have been twice as slow, or not."""


def serving_parts(results: Results) -> dict[str, Any]:
    """What the section shows; without tables there is none. `lead` is what the server costs, in a
    sentence; "" where the same was not done over paths."""
    serving = Connections.within(results).serving
    if serving is None:
        return {"tables": [], "lead": ""}
    tables = [*_shares(results, serving), *_use(results, serving), *_connections(results, serving)]
    return {
        "servers": serving.servers,
        "settings": "; ".join(serving.settings),
        "without_extents": serving.without_extents,
        "tables": tables,
        "lead": _lead(results, serving),
    }


def _lead(results: Results, serving: Serving) -> str:
    """ "Of a write's 0.73 ms through Samba the server's share is 66 to 87 % (on ext4)." Of the
    baseline, in the first primary test, and there of the operation that the test is named for."""
    known = [(each, each.share) for each in serving.shares if each.share is not None]
    own = [pair for pair in known if pair[0].system == results.baseline] or known
    primary = list(results.primary_cells)
    named = [
        (each, share)
        for each, share in own
        if each.operation
        == (ConnectionsFactors.of(results.cell(each.cell)).test or "").partition(" ")[0]
    ]
    found = sorted(
        named or own,
        key=lambda pair: primary.index(pair[0].cell) if pair[0].cell in primary else 99,
    )
    if not found:
        return ""
    each, share = found[0]
    low, high = share.low, share.high
    article = "an" if each.operation[0] in "aeiou" else "a"
    of = (
        f"Of {article} {each.operation}'s {words.value(each.served_ns.value, 'ns')} through"
        f" {each.server}"
    )
    if share.value <= 0:
        return f"{of} nothing is seen to be the server's: over the path it took as long or longer."
    if low is None or high is None or share.n < BLOCKS_FOR_A_VERDICT or low < _LEAST_SHARE:
        why = words.unknown(share.n).removeprefix("interval ")
        size = f"{_percent(share.value)} (interval {why})"
    else:
        size = f"{_percent(low).removesuffix(' %')} to {_percent(high)}"
    return f"{of} the server's share is {size}; on {each.system}."


def _percent(share: float) -> str:
    """ "66 %"; one more digit where rounding would say all."""
    digits = 1 if 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f} %".replace("-", "\u2212")


def _shares(results: Results, serving: Serving) -> list[Table]:
    if not serving.shares:
        return []
    systems = list(dict.fromkeys(each.system for each in serving.shares))
    found = {(each.cell, each.operation, each.system): each for each in serving.shares}
    note = (
        "The server's share of each operation's mean response, then the response through the"
        " server and over the path: the same clients and files, in separate turns of the same"
        " blocks. What they take over the path includes waiting for one another. The rest is the"
        " server's: its protocol, its processes, and the sockets. Below 0 the path was slower."
    )
    if any(each.share is None for each in serving.shares):
        note += (
            " Over NFS a written file is durable when it is closed: close waits for the storage"
            " (COMMIT), on the path it does not, so the two are not compared. workload.fsync = true"
            " has both wait."
        )
    return Rows(dict.fromkeys((each.cell, each.operation) for each in serving.shares)).by_system(
        "server-share",
        "How much of each operation is the server?",
        note,
        ("operation", lambda key: TableCell(key[1], results.cell(key[0]).name)),
        systems,
        lambda key, system: _share(found.get((*key, system))),
        page="server_share",
    )


def _share(each: OperationShare | None) -> TableCell:
    """The share; below it its interval, and the two times that it comes from."""
    if each is None:
        return NOTHING
    share = each.share
    served, path = (words.value(time.value, "ns") for time in (each.served_ns, each.path_ns))
    below = f"{served}; path {path}".replace(" ", _NO_BREAK).replace(f";{_NO_BREAK}", "; ")
    if share is None:
        return TableCell("not comparable", f"durable; {below}")
    wild = share.low is not None and share.low < _LEAST_SHARE
    interval = words.unknown(share.n) if wild else interval_text(share, _percent)
    return TableCell(_percent(share.value), f"{interval}; {below}" if interval else below)


def _use(results: Results, serving: Serving) -> list[Table]:
    note = (
        "All processes of the server together. Letting clients in and letting them go are in no"
        " operation. Refused connections and deaths are counted over all runs."
    )
    return Rows(serving.use).tables(
        "server",
        "What the server used",
        note,
        [
            *place_of(results, "test"),
            ("CPU time per operation", "server_cpu", lambda e: value_cell(e.processor_ns, "ns")),
            (
                "processors busy",
                "server_cpu",
                lambda each: estimate_cell(each.busy, lambda n: f"{n:.2f}"),
            ),
            ("CPU time per session", "server_cpu", lambda e: value_cell(e.session_ns, "ns")),
            ("memory", "server_memory", _memory),
            ("processes", "server_memory", lambda each: f"{each.processes:,}"),
            ("refused by a full queue", "listen_overflows", _refused),
            ("died", "client_errors", lambda each: f"{each.restarts}"),
        ],
    )


def _refused(use: ServerUse) -> str:
    return "unknown" if use.listen_overflows is None else f"{use.listen_overflows:,}"


def _memory(use: ServerUse) -> TableCell:
    if use.memory_bytes is None:
        return TableCell("", "the test was too short")
    of = count(use.memory_processes or 0, "process", "processes")
    return TableCell(format_size(use.memory_bytes), of)


def _connections(results: Results, serving: Serving) -> list[Table]:
    protocols = "; ".join(dict.fromkeys(each.protocol for each in serving.connections))
    note = (
        f"{protocols}. A connection and a session for each client; connecting is in no other"
        " number. Bytes are those of a run, on average."
    )
    return Rows(serving.connections).tables(
        "connections",
        "Connections",
        note,
        [
            *place_of(results, "test"),
            ("connections", "connect", lambda each: f"{each.connections:,}"),
            ("to connect one", "connect", lambda each: value_cell(each.connect_ns, "ns")),
            ("until all are connected", "connect", lambda e: value_cell(e.connect_all_ns, "ns")),
            ("null operation", "null_operation", lambda e: words.value(e.null_operation_ns, "ns")),
            ("sent per run", "", _bytes_of_a_run),
            ("reconnected, all runs", "client_errors", lambda each: f"{each.reconnections:,}"),
        ],
    )


def _bytes_of_a_run(use: ConnectionUse) -> TableCell:
    received = format_size(use.received_bytes // use.runs)
    return TableCell(format_size(use.sent_bytes // use.runs), f"{received} back")
