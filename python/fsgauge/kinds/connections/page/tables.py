"""The tables of a study of many clients, beside the published rows what others published. Each
column with a number, or each row's name, names the page that explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsgauge.kinds.connections.analysis.model import CellExtents, Connections, OperationTime
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.kinds.connections.page.rows import Row, TestRows, name_with_unit, plain, test_rows
from fsgauge.kinds.connections.published import (
    PublishedRow,
    asks_of_delayed_allocation,
    published_rows,
)
from fsgauge.published.ledger import ledger_of
from fsgauge.report import words
from fsgauge.report.table_parts import (
    ELSEWHERE,
    NEVER_VARIED,
    NOTHING,
    Cell,
    Rows,
    Table,
    TableCell,
    estimate_cell,
    judged_cell,
    place_of,
    quantile_cell,
    share_cell,
    value_cell,
)
from fsgauge.stats.client_errors import ERRORS
from fsgauge.stats.results import Results
from fsgauge.units import format_size

FILES_BINS_SHOWN = 4


def published_tables(results: Results) -> list[Table]:
    return [table for each in test_rows(results) for table in _test(results, each)]


def _test(results: Results, test: TestRows) -> list[Table]:
    """The publication compared systems with and without delayed allocation, in one backup order."""
    cell = test.cell
    compared = asks_of_delayed_allocation(results)
    compared &= ConnectionsFactors.of(cell).order in (None, "directory")
    theirs = published_rows().get(ConnectionsFactors.of(cell).test) if compared else None
    others = [system for system in results.systems if system != results.baseline]
    columns: list[tuple[str, str, Cell[Row]]] = [
        ("average of all blocks", "", lambda r: TableCell(name_with_unit(r.kind), "", r.kind.page)),
        (results.baseline, "ratio", _value_of(results.baseline)),
    ]
    for system in others:
        columns += [(system, "ratio", _value_of(system)), ("change", "verdict", _change_of(system))]
    if theirs is not None:
        systems = ledger_of("connections").publication.columns
        for place, name in enumerate((*systems, "change")):
            columns.append((name, ELSEWHERE, _published(theirs, place, len(systems))))
    note = _note(test, theirs is not None, is_simulated=results.simulation is not None)
    return Rows(test.rows).tables(f"test-{cell.id}", _heading(test), note, columns)


def _heading(test: TestRows) -> str:
    name = f"{test.cell.name[:1].upper()}{test.cell.name[1:]}"
    return name if ConnectionsFactors.of(test.cell).test == "backup" else f"{name} test"


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


def _value_of(system: str) -> Cell[Row]:
    def cell(row: Row) -> TableCell | None:
        value = row.values.get(system)
        return None if value is None else TableCell(value.text, value.interval)

    return cell


def _change_of(system: str) -> Cell[Row]:
    def cell(row: Row) -> TableCell | None:
        value = row.values.get(system)
        return judged_cell(value.change if value else None, words.percent_change)

    return cell


def _published(theirs: Mapping[str, PublishedRow], place: int, systems: int) -> Cell[Row]:
    """The figure of one of the publication's systems, or behind them the change."""

    def cell(row: Row) -> TableCell | str | None:
        found = theirs.get(row.kind.name)
        if found is None:
            return None
        if place < systems:
            return f"{found.values[place]:,.10g}" + (f" {found.unit}" if found.unit else "")
        if found.computed:
            return TableCell("", f"{found.claim}, computed")
        if found.change is None:
            return TableCell("", found.claim)
        return TableCell(words.percent_change(1 + found.change / 100), found.claim)

    return cell


def source_of_figures() -> str:
    source = ledger_of("connections").publication
    return (
        f"{source.title}; no author is named. {source.storage}. Method: {source.method}."
        " Its KB and MB are those of its text. N-21 and the like are claims:"
        " fsgauge published N-21."
    )


def latency_table(results: Results, connections: Connections) -> list[Table]:
    measured = results.measured

    def of(part: str) -> Callable[[OperationTime], TableCell]:
        return lambda each: quantile_cell(
            measured.get((each.cell, each.system, f"{each.operation}.{part}"))
        )

    note = (
        "Response from the moment the client asked; next to it the mean time of the call itself."
        " What is between them is waiting for a turn. A percentile needs ten samples beyond it in"
        " each run."
    )
    return Rows(each for each in connections.times if each.operation != "connect").tables(
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
    )


def extents_table(results: Results, connections: Connections) -> list[Table]:
    where = "in the model" if results.simulation else "on the file system itself (FIEMAP)"
    note = f"Counted {where} after each writing test, when all was synced."
    over = f"over {connections.extents_reference}'s"
    return Rows(connections.extents).tables(
        "extents",
        "Extents of what each test wrote",
        note,
        [
            *place_of(results, "written by"),
            ("files", "extents", lambda each: f"{each.files:,.0f}"),
            ("extents", "extents", lambda each: estimate_cell(each.extents, lambda n: f"{n:,.0f}")),
            (
                "extents per file",
                "extents_per_file",
                lambda each: estimate_cell(each.per_file, plain),
            ),
            (over, "ratio", lambda each: judged_cell(each.ratio)),
            ("files in two or more", "fragmented", lambda e: f"{100 * e.fragmented_share:.3g} %"),
            ("files by their extents", "extents_per_file", _by_extents),
            ("mean extent", "extents", lambda each: format_size(each.mean_extent_bytes)),
        ],
    )


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


def extents_words(extents: CellExtents) -> str:
    """Ratio, interval and verdict in a line: "0.05 (the same in all blocks) ▲ better"."""
    found = judged_cell(extents.ratio)
    number, _, verdict = found.text.partition(" ")
    return f"{number} ({found.below or NEVER_VARIED}) {verdict}"


def fairness_table(results: Results, connections: Connections) -> list[Table]:
    note = (
        "Each client's pace as a share of the mean of all: the time that its operations take at the"
        " mean responses, over the time that it needed. With equal work it is its throughput."
    )
    return Rows(connections.shares).tables(
        "fairness",
        "Between clients",
        note,
        [
            *place_of(results, "test"),
            ("slowest client", "client_shares", lambda each: share_cell(each.smallest)),
            ("one in ten below", "client_shares", lambda each: words.share_text(each.tenth.value)),
            ("half below", "client_shares", lambda each: words.share_text(each.half.value)),
            ("nine in ten below", "client_shares", lambda e: words.share_text(e.nine_tenths.value)),
            ("fastest", "client_shares", lambda each: words.share_text(each.largest.value)),
            ("first client done", "complete", lambda each: value_cell(each.first_done_ns, "ns")),
            ("last client done", "complete", lambda each: value_cell(each.last_done_ns, "ns")),
        ],
    )


def little_table(results: Results, connections: Connections) -> list[Table]:
    counts = connections.little[0].counts if connections.little else ""
    note = (
        "Clients at work are counted apart from latencies, so the two sides agree only if every"
        " moment of every client is in exactly one of them. All runs of a system added up."
    )
    return Rows(connections.little).tables(
        "little",
        "Do the times add up?",
        note,
        [
            *place_of(results, "test"),
            (f"N: {counts} at work", "little", lambda e: plain(e.active)),
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
    )


def signed_percent(number: float) -> str:
    """ "+0.3 %", "0.0 %": a difference, one digit behind the point."""
    text = f"{abs(number):.1f}"
    sign = "" if float(text) == 0 else "+" if number > 0 else "\u2212"
    return f"{sign}{text} %"


def error_table(results: Results, connections: Connections) -> list[Table]:
    return Rows(connections.errors).tables(
        "errors",
        "Errors",
        "An operation that fails ends the work on its file.",
        [
            *place_of(results, "test"),
            ("operation", "", lambda each: each.operation),
            ("error", "", lambda each: ERRORS[each.kind].name),
            ("how many", "client_errors", lambda each: f"{each.count:,}"),
            ("in runs", "client_errors", lambda each: f"{each.runs}"),
            ("first", "", lambda each: TableCell(each.first_path, each.message)),
        ],
    )


def call_table(connections: Connections) -> list[Table]:
    return Rows(connections.calls).tables(
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
