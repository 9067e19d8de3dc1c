"""The tables of a study of many clients, beside the published rows what others published.

Each column with a number, or each row's name, names the page that explains it.
"""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.kinds.connections.analysis.model import CellExtents, Connections, OperationTime
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page.rows import (
    TestRows,
    Value,
    name_with_unit,
    plain,
    test_rows,
)
from fsgauge.kinds.connections.published import (
    PublishedConnections,
    PublishedRow,
    asks_of_delayed_allocation,
)
from fsgauge.report import words
from fsgauge.report.table_parts import (
    NEVER_VARIED,
    NOTHING,
    Column,
    Rows,
    Table,
    TableCell,
    interval_text,
    judged_cell,
    quantile_cell,
    share_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.client_errors import ERRORS
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import format_size

FOLDED_ROWS = 33
FILES_BINS_SHOWN = 4


def published_tables(results: Results, published: PublishedConnections) -> list[Table]:
    """A table a test, with the publication's figures at the right where it has that test."""
    return [_test(results, each, published) for each in test_rows(results)]


def _test(results: Results, test: TestRows, published: PublishedConnections) -> Table:
    """The publication compared systems with and without delayed allocation, in one backup order."""
    cell = test.cell
    compared = asks_of_delayed_allocation(results)
    compared &= ConnectionsFactors.of(cell).order in (None, "directory")
    theirs = published.of(ConnectionsFactors.of(cell).test or "") if compared else None
    others = [system for system in results.systems if system != results.baseline]
    columns = [Column("average of all blocks"), Column(results.baseline, "ratio")]
    for system in others:
        columns += [Column(system, "ratio"), Column("change", "verdict")]
    if theirs is not None:
        columns += [Column(name, "", elsewhere=True) for name in published.systems]
        columns.append(Column("change", "", elsewhere=True))
    rows = []
    for row in test.rows:
        cells = [TableCell(name_with_unit(row.kind), page=row.kind.page)]
        cells.append(_value(row.values.get(results.baseline)))
        for system in others:
            value = row.values.get(system)
            change = value.change if value else None
            cells += [_value(value), judged_cell(change, words.percent_change)]
        if theirs is not None:
            cells += _published(theirs.of(row.kind.name), len(published.systems))
        rows.append(cells)
    note = _note(test, theirs is not None, is_simulated=results.simulation is not None)
    return Table(f"test-{cell.id}", _heading(test), note, columns, rows)


def _heading(test: TestRows) -> str:
    name = test.cell.name
    return (
        f"{name[:1].upper()}{name[1:]} test"
        if ConnectionsFactors.of(test.cell).test != "backup"
        else (f"{name[:1].upper()}{name[1:]}")
    )


def _note(test: TestRows, beside: bool, *, is_simulated: bool) -> str:
    factors = ConnectionsFactors.of(test.cell)
    clients = factors.at_once_on_all_hosts
    who = f"{clients} clients at once" if clients > 1 else "One reader"
    if factors.test == "backup" and clients > 1:
        who = f"{clients} readers, one on each host"
    measured = "measured" if not is_simulated else "simulated"
    elsewhere = (
        f" The shaded figures were not {measured} here: compare changes, not times."
        if beside
        else ""
    )
    responses = "" if is_simulated else " Responses count from the moment a client asked."
    return f"{who}.{responses}{elsewhere}"


def _value(value: Value | None) -> TableCell:
    return NOTHING if value is None else TableCell(value.text, value.interval)


def _published(row: PublishedRow | None, systems: int) -> list[TableCell]:
    if row is None:
        return [NOTHING] * (systems + 1)
    unit = f" {row.unit}" if row.unit else ""
    values = [TableCell(f"{value:,.10g}{unit}") for value in row.values]
    if row.computed:
        return [*values, TableCell("", f"{row.claim}, computed")]
    if row.change is None:
        return [*values, TableCell("", row.claim)]
    return [*values, TableCell(words.percent_change(1 + row.change / 100), row.claim)]


def source_of(published: PublishedConnections) -> str:
    """Where the shaded figures come from."""
    source = published.publication
    return (
        f"{source.title}; no author is named. {source.storage}. Method: {source.method}."
        " Its KB and MB are those of its text. N-21 and the like are claims:"
        " fsgauge published N-21."
    )


def latency_table(results: Results, connections: Connections) -> list[Table]:
    """Percentiles of the response by operation and system, the call itself beside; [] without."""
    measured = {(m.cell, m.system, m.metric): m for m in results.measurements}

    def of(part: str) -> Callable[[OperationTime], TableCell]:
        return lambda each: quantile_cell(
            measured.get((each.cell, each.system, f"{each.operation}.{part}"))
        )

    note = (
        "Response from the moment the client asked; next to it the mean time of the call itself."
        " What is between them is waiting for a turn. A percentile needs ten samples beyond it in"
        " each run."
    )
    table = Rows(each for each in connections.times if each.operation != "connect").table(
        "latency-by-operation",
        "Response by operation",
        note,
        [
            ("test", "", lambda each: results.cell(each.cell).name),
            ("operation", "", lambda e: TableCell(e.operation, f"{e.operations:,.0f} a run")),
            ("system", "", lambda each: each.system),
            ("mean response", "mean", of("mean")),
            ("p50", "p50", of("p50")),
            ("p99", "p99", of("p99")),
            ("p99.9", "p999", of("p999")),
            ("the call itself", "service_time", lambda each: value_cell(each.service_ns, "ns")),
            ("of the response", "service_time", lambda each: share_cell(each.share)),
        ],
        folded_from=FOLDED_ROWS,
    )
    return [without_empty_columns(table)] if table.rows else []


def extents_table(results: Results, connections: Connections) -> list[Table]:
    """Extents of the files of each writing test; [] where nothing was scanned."""
    where = "in the model" if results.simulation else "on the file system itself (FIEMAP)"
    note = f"Counted {where} after each writing test, when all was synced."
    over = f"over {connections.extents_reference}'s"
    table = Rows(connections.extents).table(
        "extents",
        "Extents of what each test wrote",
        note,
        [
            ("written by", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("files", "extents", lambda each: f"{each.files:,.0f}"),
            ("extents", "extents", lambda each: _number(each.extents, lambda n: f"{n:,.0f}")),
            ("extents per file", "extents_per_file", lambda each: _number(each.per_file, plain)),
            (over, "ratio", _extents_ratio),
            ("files in two or more", "fragmented", lambda e: f"{100 * e.fragmented_share:.3g} %"),
            ("files by their extents", "extents_per_file", _by_extents),
            ("mean extent", "extents", lambda each: format_size(each.mean_extent_bytes)),
        ],
    )
    return [without_empty_columns(table)] if table.rows else []


def _number(number: Estimate, text: Callable[[float], str]) -> TableCell:
    return TableCell(text(number.value), interval_text(number, text))


def _by_extents(extents: CellExtents) -> TableCell:
    """The largest shares first: "16 to 31: 60 %", and below it the next three."""
    if not extents.by_extents:
        return NOTHING
    largest = sorted(extents.by_extents, key=lambda each: each[1], reverse=True)
    first, *others = [
        f"{at if at == 1 else f'{at} to {2 * at - 1}'}: {100 * share:.3g} %"
        for at, share in largest[:FILES_BINS_SHOWN]
    ]
    return TableCell(first, ", ".join(others))


def _extents_ratio(extents: CellExtents) -> TableCell:
    return judged_cell(extents.ratio)


def extents_words(extents: CellExtents) -> str:
    """Ratio, interval and verdict in a line: "0.05 (the same in all blocks) ▲ better"."""
    found = _extents_ratio(extents)
    number, _, verdict = found.text.partition(" ")
    return f"{number} ({found.below or NEVER_VARIED}) {verdict}"


def fairness_table(results: Results, connections: Connections) -> list[Table]:
    """Spread of clients' throughput, and when they were done; [] with fewer than two clients."""
    note = (
        "Each client's pace as a share of the mean of all: the time that its operations take at the"
        " mean responses, over the time that it needed. With equal work it is its throughput."
    )
    table = Rows(connections.shares).table(
        "fairness",
        "Between clients",
        note,
        [
            ("test", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("slowest client", "client_shares", lambda each: share_cell(each.smallest)),
            ("one in ten below", "client_shares", lambda each: _percent(each.tenth)),
            ("half below", "client_shares", lambda each: _percent(each.half)),
            ("nine in ten below", "client_shares", lambda each: _percent(each.nine_tenths)),
            ("fastest", "client_shares", lambda each: _percent(each.largest)),
            ("first client done", "complete", lambda each: value_cell(each.first_done_ns, "ns")),
            ("last client done", "complete", lambda each: value_cell(each.last_done_ns, "ns")),
        ],
        folded_from=FOLDED_ROWS,
    )
    return [table] if table.rows else []


def _percent(share: Estimate) -> str:
    return f"{100 * share.value:.0f} %"


def little_table(results: Results, connections: Connections) -> list[Table]:
    """The check N = X (R + Z); [] where it was not made."""
    if not connections.little:
        return []
    note = (
        "Clients at work are counted apart from latencies, so the two sides agree only if every"
        " moment of every client is in exactly one of them. All runs of a system added up."
    )
    table = Rows(connections.little).table(
        "little",
        "Do the times add up?",
        note,
        [
            ("test", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            (f"N: {connections.little[0].counts} at work", "little", lambda e: plain(e.active)),
            ("X: operations", "little", lambda each: f"{plain(each.rate)} /s"),
            ("R: response", "little", lambda each: words.value(each.response_ns, "ns")),
            (
                "Z: rest",
                "little",
                lambda e: words.value(e.think_ns, "ns") if e.think_ns else "none",
            ),
            ("X (R + Z)", "little", lambda each: plain(each.product)),
            (
                "difference",
                "little",
                lambda each: TableCell(
                    signed_percent(each.difference_percent),
                    "operations failed" if each.with_errors else "",
                ),
            ),
        ],
        folded_from=FOLDED_ROWS,
    )
    return [table]


def signed_percent(number: float) -> str:
    """ "+0.3 %", "0.0 %": a difference, one digit behind the point."""
    text = f"{abs(number):.1f}"
    sign = "" if float(text) == 0 else "+" if number > 0 else "\u2212"
    return f"{sign}{text} %"


def error_table(results: Results, connections: Connections) -> list[Table]:
    """Errors by operation and kind; [] without any."""
    table = Rows(connections.errors).table(
        "errors",
        "Errors",
        "An operation that fails ends the work on its file.",
        [
            ("test", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("operation", "", lambda each: each.operation),
            ("error", "", lambda each: ERRORS[each.kind].name),
            ("how many", "client_errors", lambda each: f"{each.count:,}"),
            ("in runs", "client_errors", lambda each: f"{each.runs}"),
            ("first", "", lambda each: TableCell(each.first_path, each.message)),
        ],
    )
    return [table] if table.rows else []


def call_table(connections: Connections) -> list[Table]:
    """Which call carried each operation; [] before the first run."""
    table = Rows(connections.calls).table(
        "calls",
        "Calls",
        "Which call carried each operation.",
        [
            ("operation", "", lambda each: each.operation),
            ("call", "dispatch", lambda each: each.call),
            ("why not io_uring", "", lambda each: each.reason or ""),
        ],
        folded_from=0,
    )
    return [table] if table.rows else []
