"""The tables of a study of several writers, beside them what others published. Each column with a
number names the page that explains it (`fsgauge explain PAGE`)."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.kinds.writers.analysis import model
from fsgauge.kinds.writers.page.cases import case_tables
from fsgauge.kinds.writers.page.chart import of_device
from fsgauge.report import table_parts, words
from fsgauge.stats.results import Results
from fsgauge.units import count, exact_size

TOGETHER = "Intervals of changes and shares hold for all systems at once, as in the answer."
ROLES = {"reader": "random readers", "log": "log writers"}


def scaling_tables(results: Results) -> list[table_parts.Table]:
    scaling = model.Scaling.within(results)
    return [
        *_as_published(scaling),
        *case_tables(results, scaling),
        *_between_groups(scaling),
        *every_count(results, scaling),
        *_law(scaling),
        *_limits(scaling),
        *_companions(scaling),
    ]


def _as_published(scaling: model.Scaling) -> list[table_parts.Table]:
    """A line a system: lay-out rate, rates of the fewest, the next and the most writers. What lies
    between them is in the table of every number."""
    first, *more = scaling.writer_counts
    compared = more[:1] + (more[-1:] if len(more) > 1 else [])

    def at(
        writers: int, cell: Callable[[model.ScalingPoint], table_parts.TableCell]
    ) -> table_parts.Cell[model.ScalingLine]:
        def of_line(line: model.ScalingLine) -> table_parts.TableCell | None:
            return next((cell(each) for each in line.points if each.writers == writers), None)

        return of_line

    def iops(point: model.ScalingPoint) -> table_parts.TableCell:
        return table_parts.value_cell(point.iops, "IOPS")

    def change(point: model.ScalingPoint) -> table_parts.TableCell:
        return table_parts.change_cell(scaling.together(point.change))

    def share(point: model.ScalingPoint) -> table_parts.TableCell:
        return table_parts.share_cell(scaling.together(point.efficiency))

    return table_parts.Rows(scaling.lines).tables(
        "as-published",
        "As published",
        f"Measured here: laid out first, then written by this many writers at once. {TOGETHER}",
        [
            *_names(scaling),
            (
                "lay-out rate",
                "layout_rate",
                lambda line: table_parts.value_cell(line.layout_rate, "B/s"),
            ),
            *((f"IOPS at {count(n, 'writer')}", "iops", at(n, iops)) for n in (first, *compared)),
            *((f"change at {n}", "change", at(n, change)) for n in compared),
            *((f"share of ideal at {n}", "share_of_ideal", at(n, share)) for n in compared),
        ],
    )


def _between_groups(scaling: model.Scaling) -> list[table_parts.Table]:
    return table_parts.Rows(sorted(scaling.between_groups, key=lambda row: -row.writers)).tables(
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
    )


def _ratio_of_groups(row: model.GroupRatio) -> table_parts.TableCell:
    if row.judged is not None:
        return table_parts.judged_cell(row.judged)
    return table_parts.TableCell(words.ratio(row.ratio.value), words.interval_of(row.ratio))


def every_count(results: Results, scaling: model.Scaling) -> list[table_parts.Table]:
    together = scaling.together
    return table_parts.Rows(
        (line, at) for line in scaling.lines for at in line.points if at.iops
    ).tables(
        "every-count",
        "Every number of writers",
        f"Changes, shares and ratios are taken inside each block. {TOGETHER} Latency is service"
        " time.",
        [
            ("system", "", lambda each: each[0].system),
            ("group", "", lambda each: each[0].group) if _is_grouped(scaling) else None,
            ("writers", "", lambda each: str(each[1].writers)),
            ("IOPS", "iops", lambda each: table_parts.value_cell(each[1].iops, "IOPS")),
            ("change", "change", lambda each: table_parts.change_cell(together(each[1].change))),
            (
                "share of ideal",
                "share_of_ideal",
                lambda each: table_parts.share_cell(together(each[1].efficiency)),
            ),
            (
                "of the device",
                "of_device",
                lambda each: table_parts.share_cell(of_device(results, scaling, *each)),
            ),
            (f"of {results.baseline}", "ratio", lambda each: _of_baseline(results, scaling, *each)),
            ("fairness", "fairness", lambda each: table_parts.share_cell(each[1].fairness)),
            ("p50", "p50", lambda each: table_parts.quantile_cell(each[1].p50_ns)),
            ("p99", "p99", lambda each: table_parts.quantile_cell(each[1].p99_ns)),
            ("p99.9", "p999", lambda each: table_parts.quantile_cell(each[1].p999_ns)),
        ],
    )


def _of_baseline(
    results: Results, scaling: model.Scaling, line: model.ScalingLine, point: model.ScalingPoint
) -> table_parts.TableCell | None:
    """Where that is the device, another column has it."""
    if scaling.device == results.baseline:
        return None
    return table_parts.judged_cell(results.comparison(point.cell, line.system, "iops"))


def _law(scaling: model.Scaling) -> list[table_parts.Table]:
    """The Universal Scalability Law of each line, or why there is none."""
    was_tried = any(line.fit.was_tried for line in scaling.lines)
    return table_parts.Rows(scaling.lines if was_tried else []).tables(
        "law",
        "Scalability law",
        "X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), fitted to logs of block"
        " rates; residuals are those of the log.",
        [
            *_names(scaling),
            ("state", "usl", lambda line: table_parts.TableCell(line.fit.state, line.fit.reason)),
            ("IOPS of one", "usl", lambda line: table_parts.value_cell(line.fit.rate, "IOPS")),
            ("contention", "usl", lambda line: table_parts.number_cell(line.fit.contention)),
            ("coherency", "usl", lambda line: table_parts.number_cell(line.fit.coherency)),
            ("peak at", "usl", _peak),
            ("residuals", "usl", _residuals),
            ("best measured", "usl", lambda line: _best(scaling, line)),
        ],
    )


def _peak(line: model.ScalingLine) -> table_parts.TableCell | str:
    if line.fit.peak_at:
        return table_parts.number_cell(line.fit.peak_at)
    return "no peak within range" if line.fit.state == "fits" else ""


def _residuals(line: model.ScalingLine) -> table_parts.TableCell | None:
    fit = line.fit
    if fit.residual_deviation is None:
        return None
    largest = "" if fit.largest_residual is None else f"at most {fit.largest_residual:.2g}"
    return table_parts.TableCell(f"{fit.residual_deviation:.2g}", largest)


def _best(scaling: model.Scaling, line: model.ScalingLine) -> str:
    if line.best_writers is None:
        return f"{count(max(scaling.writer_counts), 'writer')}, the most"
    return count(line.best_writers, "writer")


def _limits(scaling: model.Scaling) -> list[table_parts.Table]:
    grouped = any(limit.group for limit in scaling.limits)
    touched = "memory, every byte touched"
    stride = next((limit.stride_bytes for limit in scaling.limits if limit.stride_bytes), None)
    one_byte = f"memory, 1 B of {exact_size(stride)}" if stride else ""
    return table_parts.Rows(scaling.limits).tables(
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


def _of_stride(limit: model.LimitPoint) -> str:
    """With what it is of the rate that touches every byte."""
    if not limit.memory_stride:
        return ""
    over = words.ratio(limit.memory_stride / limit.memory_touched)
    return f"{words.value(limit.memory_stride, 'IOPS')}, {over} of every byte"


def _companions(scaling: model.Scaling) -> list[table_parts.Table]:
    return table_parts.Rows(scaling.companions).tables(
        "companions",
        "Alongside the writers",
        "Random readers of the same file, and writers that append to their own logs.",
        [
            *_names(scaling),
            ("writers", "", lambda row: str(row.writers)),
            ("alongside them", "", lambda row: ROLES.get(row.role, row.role)),
            ("IOPS", "companions", lambda row: table_parts.value_cell(row.iops, "IOPS")),
            ("p50", "p50", lambda row: table_parts.value_cell(row.p50_ns, "ns")),
            ("p99", "p99", lambda row: table_parts.quantile_cell(row.p99_ns)),
        ],
    )


def _is_grouped(scaling: model.Scaling) -> bool:
    return any(line.group for line in scaling.lines)


def _names(scaling: model.Scaling) -> table_parts.Columns[model.ScalingLine | model.CompanionRow]:
    grouped = _is_grouped(scaling)
    return [
        ("system", "", lambda row: row.system),
        ("group", "", lambda row: row.group) if grouped else None,
    ]
