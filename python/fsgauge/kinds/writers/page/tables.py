"""The tables of a study of several writers, beside them what others published.

Each column with a number names the page that explains it (`fsgauge explain PAGE`).
"""

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
from fsgauge.kinds.writers.page.points import of_device
from fsgauge.kinds.writers.published import PublishedWriters
from fsgauge.report import words
from fsgauge.report.table_parts import (
    NOTHING,
    Column,
    Rows,
    Table,
    TableCell,
    change_cell,
    judged_cell,
    number_cell,
    quantile_cell,
    share_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import exact_size

PUBLISHED_BLOCK_BYTES = 8192
FOLDED_ROWS = 13
TOGETHER = "Intervals of changes and shares hold for all systems at once, as in the answer."
ROLES = {"reader": "random readers", "log": "log writers"}


def scaling_tables(results: Results, published: PublishedWriters) -> list[Table]:
    """All tables that have something to say, in the order of the page; [] for other studies."""
    scaling = Scaling.of(results)
    if scaling is None:
        return []
    tables = [
        _as_published(scaling),
        *([_elsewhere(published)] if is_comparable(results) else []),
        _between_groups(scaling),
        _every_count(results, scaling),
        _law(scaling),
        _limits(scaling),
        _companions(scaling),
    ]
    return [without_empty_columns(table) for table in tables if table.rows]


def no_law(results: Results) -> str:
    """Why no system has a scalability law; "" when one was tried."""
    scaling = Scaling.of(results)
    lines = scaling.lines if scaling is not None else []
    if not lines or any(line.fit.was_tried for line in lines):
        return ""
    return lines[0].fit.reason


def _as_published(scaling: Scaling) -> Table:
    """A line a system: lay-out rate, rates of the fewest, the next and the most writers.

    What lies between them is in the table of every number.
    """
    first, *more = scaling.writer_counts
    compared = more[:1] + (more[-1:] if len(more) > 1 else [])
    columns = [*_names(scaling), Column("lay-out rate", "layout_rate")]
    columns += [Column(f"IOPS at {_writers(count)}", "iops") for count in (first, *compared)]
    columns += [Column(f"change at {count}", "change") for count in compared]
    columns += [Column(f"share of ideal at {count}", "share_of_ideal") for count in compared]
    rows = []
    for line in scaling.lines:
        points = {point.writers: point for point in line.points}
        row = [*_name_cells(scaling, line), value_cell(line.layout_rate, "B/s")]
        row += [value_cell(_of(points, count, "iops"), "IOPS") for count in (first, *compared)]
        row += [change_cell(scaling.together(_of(points, n, "change"))) for n in compared]
        row += [share_cell(scaling.together(_of(points, n, "efficiency"))) for n in compared]
        rows.append(row)
    note = f"Measured here: laid out first, then written by this many writers at once. {TOGETHER}"
    return Table("as-published", "As published", note, columns, rows)


def _elsewhere(published: PublishedWriters) -> Table:
    """The publication's own figures; the share is computed from them."""
    last = published.writers[-1]
    columns = [Column("case"), Column("lay-out rate", "layout_rate")]
    columns += [Column(f"IOPS at {count}", "iops") for count in published.writers]
    columns += [Column(f"change at {last}, computed", "change")]
    columns += [Column(f"share of ideal at {last}, computed", "share_of_ideal")]
    rows = [
        [
            TableCell(case.name, case.claim),
            TableCell(f"{case.lay_out:g} {published.lay_out_unit}"),
            *(TableCell(f"{rate:,.1f}") for rate in case.iops),
            TableCell(f"{case.change_percent:+.1f} %"),
            TableCell(f"{case.share_percent:.1f} %", f"in words: {case.called}"),
        ]
        for case in published.case
    ]
    source = published.publication
    between = " ".join(f"{claim.fact} ({claim.id})" for claim in published.between)
    note = (
        f'Published elsewhere, on other hardware, not measured here: {source.author}, "'
        f'{source.title}". {source.method[:1].upper()}{source.method[1:]};'
        f" {source.storage}. Compare changes and shares, not rates. Between cases it says, in our"
        f" words: {between} D-12 and the like are claims: fsgauge published D-12."
    )
    return Table("elsewhere", "Published elsewhere, on other hardware", note, columns, rows)


def is_comparable(results: Results) -> bool:
    """Whether any cell is what was published: 8 KiB, sequential, direct, over one file's blocks."""
    published = (PUBLISHED_BLOCK_BYTES, "write", "shared", "direct", "overwrite")
    return any(
        (each.block_size_bytes, each.pattern, each.ranges, each.access, each.allocation)
        == published
        for each in map(WritersFactors.of, results.cells)
    )


def _between_groups(scaling: Scaling) -> Table:
    """What another way of writing gains, a line per system, group and number of writers."""
    return Rows(sorted(scaling.between_groups, key=lambda row: -row.writers)).table(
        "between-groups",
        "Between groups",
        "IOPS of a group over those of the first one, taken inside each block; intervals and"
        " verdicts are corrected for all of one number of writers, as in the answer.",
        [
            ("system", "", lambda row: row.system),
            ("writers", "", lambda row: str(row.writers)),
            ("group", "", lambda row: row.group),
            ("over", "", lambda row: row.first),
            ("ratio", "between_groups", _ratio_of_groups),
        ],
        folded_from=FOLDED_ROWS,
    )


def _ratio_of_groups(row: GroupRatio) -> TableCell:
    if row.judged is not None:
        return judged_cell(row.judged)
    interval = words.interval(row.ratio.low, row.ratio.high, row.ratio.n)
    return TableCell(words.ratio(row.ratio.value), interval)


def _every_count(results: Results, scaling: Scaling) -> Table:
    """A line per system and number of writers, with everything known of it."""
    measured = [(line, p) for line in scaling.lines for p in line.points if p.iops is not None]
    grouped: list[tuple[str, str, Callable[[tuple[ScalingLine, ScalingPoint]], str]]] = []
    if _is_grouped(scaling):
        grouped = [("group", "", lambda each: each[0].group)]
    return Rows(measured).table(
        "every-count",
        "Every number of writers",
        f"Changes, shares and ratios are taken inside each block. {TOGETHER} Latency is service"
        " time.",
        [
            ("system", "", lambda each: each[0].system),
            *grouped,
            ("writers", "", lambda each: str(each[1].writers)),
            ("IOPS", "iops", lambda each: value_cell(each[1].iops, "IOPS")),
            ("change", "change", lambda each: change_cell(scaling.together(each[1].change))),
            (
                "share of ideal",
                "share_of_ideal",
                lambda each: share_cell(scaling.together(each[1].efficiency)),
            ),
            (
                "of the device",
                "of_device",
                lambda each: share_cell(of_device(results, scaling, *each)),
            ),
            ("fairness", "fairness", lambda each: share_cell(each[1].fairness)),
            ("p50", "p50", lambda each: quantile_cell(each[1].p50_ns)),
            ("p99", "p99", lambda each: quantile_cell(each[1].p99_ns)),
            ("p99.9", "p999", lambda each: quantile_cell(each[1].p999_ns)),
        ],
        folded_from=FOLDED_ROWS,
    )


def _law(scaling: Scaling) -> Table:
    """The Universal Scalability Law of each line, or why there is none."""
    columns = [
        *_names(scaling),
        Column("state", "usl"),
        Column("IOPS of one", "usl"),
        Column("contention", "usl"),
        Column("coherency", "usl"),
        Column("peak at", "usl"),
        Column("residuals", "usl"),
        Column("best measured", "usl"),
    ]
    rows = []
    for line in scaling.lines if any(line.fit.was_tried for line in scaling.lines) else []:
        fit = line.fit
        residuals = NOTHING
        if fit.residual_deviation is not None:
            largest = "" if fit.largest_residual is None else f"at most {fit.largest_residual:.2g}"
            residuals = TableCell(f"{fit.residual_deviation:.2g}", largest)
        rows.append(
            [
                *_name_cells(scaling, line),
                TableCell(fit.state, fit.reason),
                value_cell(fit.rate, "IOPS"),
                number_cell(fit.contention),
                number_cell(fit.coherency),
                number_cell(fit.peak_at) if fit.peak_at else TableCell(_no_peak(line)),
                residuals,
                TableCell(_best(scaling, line)),
            ]
        )
    note = (
        "X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), fitted to logs of block"
        " rates; residuals are those of the log."
    )
    return Table("law", "Scalability law", note, columns, rows)


def _no_peak(line: ScalingLine) -> str:
    return "no peak within range" if line.fit.state == "fits" else ""


def _best(scaling: Scaling, line: ScalingLine) -> str:
    if line.best_writers is None:
        return f"{_writers(max(scaling.writer_counts))}, the most"
    return _writers(line.best_writers)


def _limits(scaling: Scaling) -> Table:
    """The same load without a device."""
    grouped: list[tuple[str, str, Callable[[LimitPoint], str]]] = []
    if any(limit.group for limit in scaling.limits):
        grouped = [("group", "", lambda limit: limit.group)]
    touched = "memory, every byte touched"
    stride = next((limit.stride_bytes for limit in scaling.limits if limit.stride_bytes), None)
    some: list[tuple[str, str, Callable[[LimitPoint], str]]] = []
    if stride:
        some = [(f"memory, 1 B of {exact_size(stride)}", "limits", _of_stride)]
    return Rows(scaling.limits).table(
        "limits",
        "Without a device",
        "What processor and memory alone allow: the same loop and writers, without a device.",
        [
            *grouped,
            ("writers", "", lambda limit: str(limit.writers)),
            (touched, "limits", lambda limit: words.value(limit.memory_touched, "IOPS")),
            *some,
            ("memory", "limits", lambda limit: words.value(limit.memory, "IOPS")),
            ("nothing written", "limits", lambda limit: words.value(limit.null, "IOPS")),
        ],
        folded_from=FOLDED_ROWS,
    )


def _of_stride(limit: LimitPoint) -> str:
    """With what it is of the rate that touches every byte."""
    if not limit.memory_stride:
        return ""
    over = words.ratio(limit.memory_stride / limit.memory_touched)
    return f"{words.value(limit.memory_stride, 'IOPS')}, {over} of every byte"


def _companions(scaling: Scaling) -> Table:
    """Those that ran beside the writers."""
    grouped: list[tuple[str, str, Callable[[CompanionRow], str]]] = []
    if _is_grouped(scaling):
        grouped = [("group", "", lambda row: row.group)]
    return Rows(scaling.companions).table(
        "companions",
        "Alongside the writers",
        "Random readers of the same file, and writers that append to their own logs.",
        [
            ("system", "", lambda row: row.system),
            *grouped,
            ("writers", "", lambda row: str(row.writers)),
            ("alongside them", "", lambda row: ROLES.get(row.role, row.role)),
            ("IOPS", "companions", lambda row: value_cell(row.iops, "IOPS")),
            ("p50", "p50", lambda row: value_cell(row.p50_ns, "ns")),
            ("p99", "p99", lambda row: quantile_cell(row.p99_ns)),
        ],
        folded_from=FOLDED_ROWS,
    )


def _is_grouped(scaling: Scaling) -> bool:
    return any(line.group for line in scaling.lines)


def _names(scaling: Scaling) -> list[Column]:
    grouped = _is_grouped(scaling)
    return [Column("system"), *([Column("group")] if grouped else [])]


def _name_cells(scaling: Scaling, row: ScalingLine) -> list[TableCell]:
    grouped = _is_grouped(scaling)
    return [TableCell(row.system), *([TableCell(row.group)] if grouped else [])]


def _of(points: dict[int, ScalingPoint], count: int, field: str) -> Estimate | None:
    found: Estimate | None = getattr(points[count], field) if count in points else None
    return found


def _writers(count: int) -> str:
    return f"{count} writer" + ("" if count == 1 else "s")
