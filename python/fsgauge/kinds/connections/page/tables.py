"""The tables of a study of many clients, beside the published rows what others published.

Each column with a number, or each row's name, names the page that explains it.
"""

from __future__ import annotations

from fsgauge.kinds.connections.analysis.model import CellExtents, Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page.rows import (
    Change,
    TestRows,
    Value,
    name_with_unit,
    plain,
    test_rows,
)
from fsgauge.kinds.connections.published import PublishedConnections, PublishedRow
from fsgauge.report import words
from fsgauge.report.table_parts import (
    NEVER_VARIED,
    NOTHING,
    TOO_FEW,
    Column,
    Table,
    TableCell,
    interval_text,
    share_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import format_size

KINDS = {"no_space": "no space", "io": "I/O error", "protocol": "protocol not understood"}
FOLDED_ROWS = 32
FILES_BINS_SHOWN = 4


def published_tables(results: Results, published: PublishedConnections) -> list[Table]:
    """A table a test, with the publication's figures at the right where it has that test."""
    return [_test(results, each, published) for each in test_rows(results)]


def _test(results: Results, test: TestRows, published: PublishedConnections) -> Table:
    """The publication knows one backup, in directory order; it has nothing to say of one system."""
    cell = test.cell
    compared = len(results.systems) > 1 and ConnectionsFactors.of(cell).order in (None, "directory")
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
            cells += [_value(value), _change(value.change if value else None)]
        if theirs is not None:
            cells += _published(theirs.of(row.kind.name), len(published.systems))
        rows.append(cells)
    return Table(f"test-{cell.id}", _heading(test), _note(test, theirs is not None), columns, rows)


def _heading(test: TestRows) -> str:
    name = test.cell.name
    return (
        f"{name[:1].upper()}{name[1:]} test"
        if ConnectionsFactors.of(test.cell).test != "backup"
        else (f"{name[:1].upper()}{name[1:]}")
    )


def _note(test: TestRows, beside: bool) -> str:
    who = (
        f"{ConnectionsFactors.of(test.cell).clients} clients at once"
        if ConnectionsFactors.of(test.cell).clients > 1
        else "One reader"
    )
    elsewhere = (
        " The shaded figures were not measured here: compare changes, not times." if beside else ""
    )
    return f"{who}. Responses count from the moment a client asked.{elsewhere}"


def _value(value: Value | None) -> TableCell:
    return NOTHING if value is None else TableCell(value.text, value.interval)


def _change(change: Change | None) -> TableCell:
    if change is None:
        return NOTHING
    text = f"{words.percent_change(change.ratio)} {GLYPHS[change.verdict]} {change.verdict}"
    estimate = Estimate(value=change.ratio, low=change.low, high=change.high, n=change.n)
    interval = interval_text(estimate, words.percent_change)
    return TableCell(text, interval)


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


def latency_table(results: Results) -> list[Table]:
    """Percentiles of the response by operation and system, the call itself beside; [] without."""
    connections = Connections.of(results)
    if connections is None:
        return []
    measured = {(m.cell, m.system, m.metric): m for m in results.measurements}

    def quantile(cell: str, system: str, metric: str) -> TableCell:
        found = measured.get((cell, system, metric))
        if found is None:
            return TOO_FEW
        number = Estimate(value=found.value, low=found.low, high=found.high, n=found.n)
        return value_cell(number, "ns")

    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.operation, f"{each.operations:,.0f} a run"),
            TableCell(each.system),
            *(
                quantile(each.cell, each.system, f"{each.operation}.{part}")
                for part in ("mean", "p50", "p99", "p999")
            ),
            value_cell(each.service_ns, "ns"),
            share_cell(each.share),
        ]
        for each in connections.times
        if each.operation != "connect"
    ]
    columns = [
        Column("test"),
        Column("operation"),
        Column("system"),
        Column("mean response", "mean"),
        Column("p50", "p50"),
        Column("p99", "p99"),
        Column("p99.9", "p999"),
        Column("the call itself", "service_time"),
        Column("of the response", "service_time"),
    ]
    note = (
        "Response from the moment the client asked; beside it the mean time of the call itself."
        " What is between them is waiting for a turn. A percentile needs ten samples beyond it in"
        " each run."
    )
    table = Table(
        "latency-by-operation",
        "Response by operation",
        note,
        columns,
        rows,
        len(rows) > FOLDED_ROWS,
    )
    return [without_empty_columns(table)] if rows else []


def extents_table(results: Results) -> list[Table]:
    """Extents of the files of each writing test; [] where nothing was scanned."""
    connections = Connections.of(results)
    if connections is None or not connections.extents:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            TableCell(f"{each.files:,.0f}"),
            TableCell(
                f"{each.extents.value:,.0f}",
                interval_text(each.extents, lambda edge: f"{edge:,.0f}"),
            ),
            TableCell(plain(each.per_file.value), interval_text(each.per_file, plain)),
            _extents_ratio(connections, each.cell, each.system),
            TableCell(f"{100 * each.fragmented_share:.3g} %"),
            _by_extents(each),
            TableCell(format_size(each.mean_extent_bytes)),
        ]
        for each in connections.extents
    ]
    columns = [
        Column("written by"),
        Column("system"),
        Column("files", "extents"),
        Column("extents", "extents"),
        Column("extents a file", "extents_per_file"),
        Column(f"over {connections.extents_reference}'s", "ratio"),
        Column("files in two or more", "fragmented"),
        Column("files by their extents", "extents_per_file"),
        Column("mean extent", "extents"),
    ]
    note = (
        "Counted on the file system itself (FIEMAP) after each writing test, when all was synced."
    )
    table = Table("extents", "Extents of what each test wrote", note, columns, rows)
    return [without_empty_columns(table)]


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


def _extents_ratio(connections: Connections, cell: str, system: str) -> TableCell:
    found = connections.extents_of(cell, system)
    if found is None or found.ratio is None:
        return NOTHING
    ratio = found.ratio
    text = f"{words.ratio(ratio.ratio)} {GLYPHS[ratio.verdict]} {ratio.verdict}"
    estimate = Estimate(value=ratio.ratio, low=ratio.low, high=ratio.high, n=ratio.n)
    return TableCell(text, interval_text(estimate, words.ratio))


def extents_words(connections: Connections, cell: str, system: str) -> str:
    """Ratio, interval and verdict in a line: "0.05 (the same in all blocks) ▲ better"."""
    found = _extents_ratio(connections, cell, system)
    number, _, verdict = found.text.partition(" ")
    return f"{number} ({found.below or NEVER_VARIED}) {verdict}"


def fairness_table(results: Results) -> list[Table]:
    """Spread of clients' throughput, and when they were done; [] with fewer than two clients."""
    connections = Connections.of(results)
    if connections is None or not connections.shares:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            share_cell(each.smallest),
            *(
                TableCell(f"{100 * share.value:.0f} %")
                for share in (each.tenth, each.half, each.nine_tenths, each.largest)
            ),
            value_cell(each.first_done_ns, "ns"),
            value_cell(each.last_done_ns, "ns"),
        ]
        for each in connections.shares
    ]
    columns = [
        Column("test"),
        Column("system"),
        Column("slowest client", "client_shares"),
        Column("one in ten below", "client_shares"),
        Column("half below", "client_shares"),
        Column("nine in ten below", "client_shares"),
        Column("fastest", "client_shares"),
        Column("first client done", "complete"),
        Column("last client done", "complete"),
    ]
    note = (
        "Each client's pace as a share of the mean of all: the time that its operations take at the"
        " mean responses, over the time that it needed. With equal work it is its throughput."
    )
    return [Table("fairness", "Between clients", note, columns, rows, len(rows) > FOLDED_ROWS)]


def little_table(results: Results) -> list[Table]:
    """The check N = X (R + Z); [] where it was not made."""
    connections = Connections.of(results)
    if connections is None or not connections.little:
        return []
    counts = connections.little[0].counts
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            TableCell(plain(each.active)),
            TableCell(f"{plain(each.rate)} /s"),
            TableCell(words.value(each.response_ns, "ns")),
            TableCell(words.value(each.think_ns, "ns") if each.think_ns else "none"),
            TableCell(plain(each.product)),
            TableCell(
                signed_percent(each.difference_percent),
                "operations failed" if each.with_errors else "",
            ),
        ]
        for each in connections.little
    ]
    columns = [
        Column("test"),
        Column("system"),
        Column(f"N: {counts} at work", "little"),
        Column("X: operations", "little"),
        Column("R: response", "little"),
        Column("Z: rest", "little"),
        Column("X (R + Z)", "little"),
        Column("difference", "little"),
    ]
    note = (
        "Clients at work are counted apart from latencies, so the two sides agree only if every"
        " moment of every client is in exactly one of them. All runs of a system added up."
    )
    return [Table("little", "Do the times add up?", note, columns, rows, len(rows) > FOLDED_ROWS)]


def signed_percent(number: float) -> str:
    """ "+0.3 %", "0.0 %": a difference, one digit behind the point."""
    text = f"{abs(number):.1f}"
    sign = "" if float(text) == 0 else "+" if number > 0 else "\u2212"
    return f"{sign}{text} %"


def error_table(results: Results) -> list[Table]:
    """Errors by operation and kind; [] without any."""
    connections = Connections.of(results)
    if connections is None or not connections.errors:
        return []
    rows = [
        [
            TableCell(results.cell(each.cell).name),
            TableCell(each.system),
            TableCell(each.operation),
            TableCell(KINDS.get(each.kind, each.kind.replace("_", " "))),
            TableCell(f"{each.count:,}"),
            TableCell(f"{each.runs}"),
            TableCell(each.first_path, each.message),
        ]
        for each in connections.errors
    ]
    columns = [
        Column("test"),
        Column("system"),
        Column("operation"),
        Column("error"),
        Column("how many", "client_errors"),
        Column("in runs", "client_errors"),
        Column("first"),
    ]
    note = "An operation that fails ends the work on its file."
    return [Table("errors", "Errors", note, columns, rows)]


def call_table(results: Results) -> list[Table]:
    """Which call carried each operation; [] before the first run."""
    connections = Connections.of(results)
    if connections is None or not connections.calls:
        return []
    rows = [
        [TableCell(each.operation), TableCell(each.call), TableCell(each.reason or "")]
        for each in connections.calls
    ]
    columns = [Column("operation"), Column("call", "dispatch"), Column("why not io_uring")]
    return [Table("calls", "Calls", "Which call carried each operation.", columns, rows, True)]
