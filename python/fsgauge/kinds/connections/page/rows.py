"""The rows of each test, named as they were published, with every system's number and its change.
Takes results; gives rows for the tables and for the picture of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsgauge.kinds.connections.analysis.model import CellExtents, Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Cell
from fsgauge.report import words
from fsgauge.report.table_parts import interval_text
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import JudgedRatio, Results

Form = Literal["ms", "time", "KiB/s", "MiB/min", "count", "plain"]
FILES, EXTENTS, PER_FILE = "files found", "extents", "extents_per_file"
"""Numbers that come from scans, not from the clients."""
RESPONSES = (
    "open",
    "close",
    "create",
    "read",
    "write",
    "fsync",
    "stat",
    "list",
    "rename",
    "unlink",
)
"""Operations in the order in which the publication names them."""


@dataclass(frozen=True)
class Kind:
    """One row of a test: its published name, where its number comes from, how it is written."""

    name: str
    number: str
    form: Form
    page: str


@dataclass(frozen=True)
class Value:
    """One system's number in one row, in words; `change` is None for the baseline."""

    text: str
    interval: str
    change: JudgedRatio | None


@dataclass(frozen=True)
class Row:
    """One row with a value a system; a system that has none is missing."""

    kind: Kind
    values: dict[str, Value]


@dataclass(frozen=True)
class TestRows:
    """All rows of one cell that any system has a number for."""

    __test__ = False

    cell: Cell
    rows: list[Row]


def test_rows(results: Results) -> list[TestRows]:
    """Every cell in the order of the plan, but the one that only fills what is backed up."""
    connections = Connections.within(results)
    cells = [cell for cell in results.cells if ConnectionsFactors.of(cell).test != "backup fill"]
    found = [TestRows(cell, _rows(results, connections, cell)) for cell in cells]
    return [each for each in found if each.rows]


def kinds_of(cell: Cell) -> list[Kind]:
    """The rows of a cell: as published, and for other tests in the same manner."""
    factors = ConnectionsFactors.of(cell)
    if factors.test == "backup":
        return [
            Kind("files", FILES, "count", "extents"),
            Kind("total extents", EXTENTS, "count", "extents"),
            Kind("extents per file", PER_FILE, "plain", "extents_per_file"),
            Kind("backup throughput", "bandwidth", "MiB/min", "bandwidth"),
            Kind("time to complete", "complete", "time", "complete"),
        ]
    responses = [
        Kind(f"average {operation} response time", f"{operation}.mean", "ms", "mean")
        for operation in RESPONSES
    ]
    done = Kind("time to complete", "complete", "time", "complete")
    if factors.test in ("write", "read"):
        name = f"average {factors.test} throughput per connection"
        return [*responses, done, Kind(name, "per_client", "KiB/s", "per_client")]
    what = "activities per second" if factors.test == "mix" else "files per second"
    return [*responses, done, Kind(what, "files", "plain", "files")]


def _rows(results: Results, connections: Connections, cell: Cell) -> list[Row]:
    rows = []
    for kind in kinds_of(cell):
        values = {
            system: value
            for system in results.systems
            if (value := _value(results, connections, cell, kind, system)) is not None
        }
        if values:
            rows.append(Row(kind, values))
    return rows


def _value(
    results: Results, connections: Connections, cell: Cell, kind: Kind, system: str
) -> Value | None:
    if kind.number in (FILES, EXTENTS, PER_FILE):
        filled = _filled_by(results, cell)
        extents = connections.extents_of(filled, system)
        return None if extents is None else _of_extents(extents, kind)
    found = results.measured.get((cell.id, system, kind.number))
    if found is None:
        return None
    return Value(
        text=text_of(found.value, kind.form),
        interval=interval_text(found, lambda edge: text_of(edge, kind.form)),
        change=results.comparison(cell.id, system, kind.number),
    )


def _filled_by(results: Results, backup: Cell) -> str:
    """The cell that wrote what a backup reads, with as many clients and hosts; "" without one."""
    wanted = ConnectionsFactors.of(backup)
    for cell in results.cells:
        factors = ConnectionsFactors.of(cell)
        if factors.test == "backup fill" and factors.numbers == wanted.numbers:
            return cell.id
    return ""


def _of_extents(extents: CellExtents, kind: Kind) -> Value:
    """The number of files is one that the study set, so it has no change."""
    if kind.number == FILES:
        return Value(text_of(extents.files, "count"), "", None)
    number = extents.extents if kind.number == EXTENTS else extents.per_file
    return Value(
        text=text_of(number.value, kind.form),
        interval=interval_text(number, lambda edge: text_of(edge, kind.form)),
        change=extents.ratio if kind.number == PER_FILE else None,
    )


def text_of(number: float, form: Form) -> str:
    match form:
        case "ms":
            return plain(number / 1e6)
        case "KiB/s":
            return plain(number / 1024)
        case "MiB/min":
            return plain(number * 60 / (1 << 20))
        case "time":
            return words.value(number, "ns")
        case "count":
            return f"{number:,.0f}"
        case "plain":
            return plain(number)


def plain(number: float) -> str:
    """Three significant digits without an exponent: "0.0123", "58.2", "1,572"."""
    if number == 0:
        return "0"
    digits = 2
    while digits < 9 and abs(number) < 10.0 ** (2 - digits) * 0.9995:
        digits += 1
    if abs(number) >= 99.95:
        digits = 0
    elif abs(number) >= 9.995:
        digits = 1
    return f"{number:,.{digits}f}"


def name_with_unit(kind: Kind) -> str:
    """ "average open response time (ms)"."""
    units = {"ms": " (ms)", "KiB/s": " (KiB/s)", "MiB/min": " (MiB/min)"}
    return kind.name + units.get(kind.form, "")


def label_of(kind: Kind) -> str:
    """A short name for a picture: "open response", "throughput"."""
    metric = METRICS.get(kind.number)
    if kind.form == "ms":
        return kind.name.removeprefix("average ").removesuffix(" time")
    if metric is not None and metric.unit == "B/s":
        return "throughput"
    return kind.name
