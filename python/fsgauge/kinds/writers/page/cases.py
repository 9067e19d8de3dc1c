"""The published cases, a line each, and below each what was measured here of the same systems."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.kinds.writers.analysis.model import Scaling, ScalingLine, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.kinds.writers.published import BETWEEN_CASES, PublishedCase, published_cases
from fsgauge.published.ledger import ledger_of
from fsgauge.report.table_parts import Rows, Table, TableCell, change_cell, share_cell, value_cell
from fsgauge.stats.results import Results
from fsgauge.units import count

PUBLISHED_BLOCK_BYTES = 8192

Row = tuple[PublishedCase, ScalingLine | None]
"""A case, and a line of ours that is one; None for what was published of it."""


def case_tables(results: Results, scaling: Scaling) -> list[Table]:
    comparable = {cell.id for cell in results.cells if _is_comparable(WritersFactors.of(cell))}
    if not comparable:
        return []
    ours = [
        line for line in scaling.lines if any(point.cell in comparable for point in line.points)
    ]
    rows: list[Row] = []
    for case in published_cases():
        rows.append((case, None))
        rows += [
            (case, e) for e in ours if scaling.cases.get(e.system, "").lower() == case.name.lower()
        ]
    ledger = ledger_of("writers")
    source, counts = ledger.publication, ledger.publication.columns
    last = counts[-1]
    between = " ".join(f"{ledger.of(claim).fact} ({claim})" for claim in BETWEEN_CASES)
    return Rows(rows).tables(
        "elsewhere",
        "The published cases, on other hardware",
        f"Lines with a claim's id were published elsewhere, on other hardware: {source.author}, \""
        f'{source.title}". {source.method[:1].upper()}{source.method[1:]}; {source.storage}. Lines'
        " below them were measured here. TotIO are the writes of all writers, Tm the time that they"
        " took. Compare changes and shares, not rates. Between cases it says, in our words:"
        f" {between}",
        [
            ("case", "", _name),
            ("lay-out rate", "layout_rate", _layout_rate),
            *(column for place, name in enumerate(counts) for column in _at(name, place)),
            (f"change at {last}", "change", lambda row: _change(row, scaling, last)),
            (f"share of ideal at {last}", "share_of_ideal", lambda row: _share(row, scaling, last)),
        ],
    )


def _is_comparable(cell: WritersFactors) -> bool:
    """8 KiB, sequential, direct, over one file's blocks."""
    published = (PUBLISHED_BLOCK_BYTES, "write", "shared", "direct", "overwrite")
    return published == (
        cell.block_size_bytes,
        cell.pattern,
        cell.ranges,
        cell.access,
        cell.allocation,
    )


def _name(row: Row) -> TableCell:
    case, line = row
    return TableCell(case.name, case.claim) if line is None else TableCell(line.system, "here")


def _layout_rate(row: Row) -> TableCell:
    case, line = row
    if line is None:
        return TableCell(f"{case.lay_out:g} MB/s")
    return value_cell(line.layout_rate, "B/s")


Column = tuple[str, str, Callable[[Row], TableCell | None]]


def _at(name: str, place: int) -> list[Column]:
    """TotIO, Tm and rate at one number of writers."""

    def cell(
        theirs: Callable[[PublishedCase], str], ours: Callable[[ScalingPoint], TableCell]
    ) -> Callable[[Row], TableCell | None]:
        def of_row(row: Row) -> TableCell | None:
            case, line = row
            if line is None:
                return TableCell(theirs(case))
            at = _point(line, name)
            return ours(at) if at is not None else None

        return of_row

    return [
        (
            f"TotIO of {name}",
            "iops",
            cell(
                lambda case: f"{case.operations[place]:,}",
                lambda at: TableCell(f"{at.operations.value:,.0f}" if at.operations else ""),
            ),
        ),
        (
            f"Tm of {name}",
            "iops",
            cell(
                lambda case: f"{case.seconds[place]:g} s",
                lambda at: value_cell(at.elapsed_ns, "ns"),
            ),
        ),
        (
            f"IOPS at {name}",
            "iops",
            cell(lambda case: f"{case.iops[place]:,.1f}", lambda at: value_cell(at.iops, "IOPS")),
        ),
    ]


def _point(line: ScalingLine, name: str) -> ScalingPoint | None:
    return next((each for each in line.points if count(each.writers, "writer") == name), None)


def _change(row: Row, scaling: Scaling, last: str) -> TableCell | None:
    case, line = row
    if line is None:
        return TableCell(f"{case.change_percent:+.1f} %", "computed")
    at = _point(line, last)
    return change_cell(scaling.together(at.change)) if at is not None else None


def _share(row: Row, scaling: Scaling, last: str) -> TableCell | None:
    case, line = row
    if line is None:
        return TableCell(f"{case.share_percent:.1f} %", f"computed; in words: {case.called}")
    at = _point(line, last)
    return share_cell(scaling.together(at.efficiency)) if at is not None else None
