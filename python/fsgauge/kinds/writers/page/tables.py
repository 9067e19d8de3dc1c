"""The tables of a study of several writers, beside them what others published. Each column with a
number names the page that explains it (`fsgauge explain PAGE`)."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.kinds.writers.analysis.model import (
    CompanionRow,
    GroupRatio,
    LimitPoint,
    Scaling,
    ScalingLine,
    ScalingPoint,
)
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.kinds.writers.page.chart import of_device, unit_of
from fsgauge.kinds.writers.published import BETWEEN_CASES, PublishedCase, published_cases
from fsgauge.published.ledger import ledger_of
from fsgauge.report import words
from fsgauge.report.table_parts import (
    Cell,
    Columns,
    Rows,
    Table,
    TableCell,
    change_cell,
    judged_cell,
    number_cell,
    quantile_cell,
    rate_head,
    share_cell,
    value_cell,
)
from fsgauge.stats.results import Results
from fsgauge.units import count, exact_size

TOGETHER = "Intervals of changes and shares hold for all systems at once, as in the answer."
ROLES = {"reader": "random readers", "log": "log writers"}


def scaling_tables(results: Results) -> list[Table]:
    scaling = Scaling.within(results)
    return [
        *_as_published(results, scaling),
        *case_tables(results, scaling),
        *_between_groups(scaling),
        *every_count(results, scaling),
        *_law(results, scaling),
        *_limits(scaling),
        *_companions(scaling),
    ]


def _rate(results: Results, scaling: Scaling) -> str:
    return rate_head(unit_of(results, line) for line in scaling.lines)


def _as_published(results: Results, scaling: Scaling) -> list[Table]:
    """A line a system: lay-out rate, rates of the fewest, the next and the most writers. What lies
    between them is in the table of every number."""
    first, *more = scaling.writer_counts
    compared = more[:1] + (more[-1:] if len(more) > 1 else [])
    rate = _rate(results, scaling)

    def at(writers: int, cell: Callable[[ScalingPoint], TableCell]) -> Cell[ScalingLine]:
        def of_line(line: ScalingLine) -> TableCell | None:
            return next((cell(each) for each in line.points if each.writers == writers), None)

        return of_line

    def iops(point: ScalingPoint) -> TableCell:
        return value_cell(point.iops, results.unit_in(point.cell, "IOPS"))

    def change(point: ScalingPoint) -> TableCell:
        return change_cell(scaling.together(point.change))

    def share(point: ScalingPoint) -> TableCell:
        return share_cell(scaling.together(point.efficiency))

    return Rows(scaling.lines).tables(
        "as-published",
        "As published",
        f"Measured here: laid out first, then written by this many writers at once. {TOGETHER}",
        [
            *_names(scaling),
            (
                "lay-out rate",
                "layout_rate",
                lambda line: value_cell(line.layout_rate, "B/s"),
            ),
            *((f"{rate} at {count(n, 'writer')}", "iops", at(n, iops)) for n in (first, *compared)),
            *((f"change at {n}", "change", at(n, change)) for n in compared),
            *((f"share of ideal at {n}", "share_of_ideal", at(n, share)) for n in compared),
        ],
    )


def _between_groups(scaling: Scaling) -> list[Table]:
    return Rows(sorted(scaling.between_groups, key=lambda row: -row.writers)).tables(
        "between-groups",
        "Between groups",
        "The rate of a group over that of the first one, taken inside each block; intervals and"
        " verdicts are corrected for all of one number of writers, as in the answer.",
        [
            ("system", "", lambda row: row.system),
            ("writers", "", lambda row: str(row.writers)),
            ("group", "", lambda row: row.group),
            ("over", "", lambda row: row.first),
            ("ratio", "between_groups", _ratio_of_groups),
        ],
    )


def _ratio_of_groups(row: GroupRatio) -> TableCell:
    if row.judged is not None:
        return judged_cell(row.judged)
    return TableCell(words.ratio(row.ratio.value), words.interval_of(row.ratio))


def every_count(results: Results, scaling: Scaling) -> list[Table]:
    together = scaling.together
    return Rows((line, at) for line in scaling.lines for at in line.points if at.iops).tables(
        "every-count",
        "Every number of writers",
        f"Changes, shares and ratios are taken inside each block. {TOGETHER} Latency is service"
        " time.",
        [
            ("system", "", lambda each: each[0].system),
            ("group", "", lambda each: each[0].group) if _is_grouped(scaling) else None,
            ("writers", "", lambda each: str(each[1].writers)),
            (
                _rate(results, scaling),
                "iops",
                lambda each: value_cell(each[1].iops, unit_of(results, each[0])),
            ),
            ("change", "change", lambda each: change_cell(together(each[1].change))),
            (
                "share of ideal",
                "share_of_ideal",
                lambda each: share_cell(together(each[1].efficiency)),
            ),
            (
                "of the device",
                "of_device",
                lambda each: share_cell(of_device(results, scaling, *each)),
            ),
            (f"of {results.baseline}", "ratio", lambda each: _of_baseline(results, scaling, *each)),
            ("fairness", "fairness", lambda each: share_cell(each[1].fairness)),
            ("p50", "p50", lambda each: quantile_cell(each[1].p50_ns)),
            ("p99", "p99", lambda each: quantile_cell(each[1].p99_ns)),
            ("p99.9", "p999", lambda each: quantile_cell(each[1].p999_ns)),
        ],
    )


def _of_baseline(
    results: Results, scaling: Scaling, line: ScalingLine, point: ScalingPoint
) -> TableCell | None:
    """Where that is the device, another column has it."""
    if scaling.device == results.baseline:
        return None
    return judged_cell(results.comparison(point.cell, line.system, "iops"))


def _law(results: Results, scaling: Scaling) -> list[Table]:
    """The Universal Scalability Law of each line, or why there is none."""
    was_tried = any(line.fit.was_tried for line in scaling.lines)
    return Rows(scaling.lines if was_tried else []).tables(
        "law",
        "Scalability law",
        "X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), fitted to logs of block"
        " rates; residuals are those of the log.",
        [
            *_names(scaling),
            ("state", "usl", lambda line: TableCell(line.fit.state, line.fit.reason)),
            (
                f"{_rate(results, scaling)} of one",
                "usl",
                lambda line: value_cell(line.fit.rate, unit_of(results, line)),
            ),
            ("contention", "usl", lambda line: number_cell(line.fit.contention)),
            ("coherency", "usl", lambda line: number_cell(line.fit.coherency)),
            ("peak at", "usl", _peak),
            ("residuals", "usl", _residuals),
            ("best measured", "usl", lambda line: _best(scaling, line)),
        ],
    )


def _peak(line: ScalingLine) -> TableCell | str:
    if line.fit.peak_at:
        return number_cell(line.fit.peak_at)
    return "no peak within range" if line.fit.state == "fits" else ""


def _residuals(line: ScalingLine) -> TableCell | None:
    fit = line.fit
    if fit.residual_deviation is None:
        return None
    largest = "" if fit.largest_residual is None else f"at most {fit.largest_residual:.2g}"
    return TableCell(f"{fit.residual_deviation:.2g}", largest)


def _best(scaling: Scaling, line: ScalingLine) -> str:
    if line.best_writers is None:
        return f"{count(max(scaling.writer_counts), 'writer')}, the most"
    return count(line.best_writers, "writer")


def _limits(scaling: Scaling) -> list[Table]:
    grouped = any(limit.group for limit in scaling.limits)
    touched = "memory, every byte touched"
    stride = next((limit.stride_bytes for limit in scaling.limits if limit.stride_bytes), None)
    one_byte = f"memory, 1 B of {exact_size(stride)}" if stride else ""
    return Rows(scaling.limits).tables(
        "limits",
        "Without a device",
        "What processor and memory alone allow: the same loop and writers, without a device.",
        [
            ("group", "", lambda limit: limit.group) if grouped else None,
            ("writers", "", lambda limit: str(limit.writers)),
            (touched, "limits", lambda limit: words.value(limit.memory_touched, "IOPS")),
            (one_byte, "limits", _of_stride) if one_byte else None,
            ("memory", "limits", lambda limit: words.value(limit.memory, "IOPS")),
            ("nothing written", "limits", lambda limit: words.value(limit.null, "IOPS")),
        ],
    )


def _of_stride(limit: LimitPoint) -> str:
    """With what it is of the rate that touches every byte."""
    if not limit.memory_stride:
        return ""
    over = words.ratio(limit.memory_stride / limit.memory_touched)
    return f"{words.value(limit.memory_stride, 'IOPS')}, {over} of every byte"


def _companions(scaling: Scaling) -> list[Table]:
    return Rows(scaling.companions).tables(
        "companions",
        "Alongside the writers",
        "Random readers of the same file, and writers that append to their own logs.",
        [
            *_names(scaling),
            ("writers", "", lambda row: str(row.writers)),
            ("alongside them", "", lambda row: ROLES.get(row.role, row.role)),
            ("IOPS", "companions", lambda row: value_cell(row.iops, "IOPS")),
            ("p50", "p50", lambda row: value_cell(row.p50_ns, "ns")),
            ("p99", "p99", lambda row: quantile_cell(row.p99_ns)),
        ],
    )


def _is_grouped(scaling: Scaling) -> bool:
    return any(line.group for line in scaling.lines)


def _names(scaling: Scaling) -> Columns[ScalingLine | CompanionRow]:
    grouped = _is_grouped(scaling)
    return [
        ("system", "", lambda row: row.system),
        ("group", "", lambda row: row.group) if grouped else None,
    ]


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
