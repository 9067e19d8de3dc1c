"""Tables of an aged file system: what is kept, level by level, layouts, the modelled disk. What was
measured and what a model says never share a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.devices import device_named
from fsgauge.devices.words import number_words, value_words
from fsgauge.kinds.aging.analysis import model
from fsgauge.kinds.aging.disk import MODEL
from fsgauge.kinds.aging.factors import Side
from fsgauge.kinds.aging.page.against_free import level_words
from fsgauge.report.table_parts import (
    NOTHING,
    Cell,
    Rows,
    Table,
    TableCell,
    interval_text,
    share_cell,
    value_cell,
)
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.stats.verdict import OPEN
from fsgauge.units import count, format_size

_SIDES: tuple[Side, ...] = ("write", "read")


def summary_table(results: Results, aging: model.Aging) -> list[Table]:
    least = min(aging.levels, default=0)
    lines = [
        line
        for system in results.systems
        for side in _SIDES
        if (line := aging.line(system, side)) is not None
    ]

    def clean(line: model.AgingLine) -> TableCell:
        point = line.at(None)
        return value_cell(point.rate if point else None, "B/s")

    def named(line: model.AgingLine) -> TableCell:
        below = _chunk_words(aging.chunks.get(line.system)) if line.side == "write" else ""
        return TableCell(line.system, below)

    return Rows(lines).tables(
        "aging",
        "What is kept",
        "Kept: the rate as a share of the same turn's clean rate. Whole from: the share of the"
        " region that must be free so that from there on no level is decidedly slower than clean.",
        [
            ("system", "", named),
            ("rate", "", lambda line: line.side),
            ("clean", "bandwidth", clean),
            (f"kept at {least} % free", "relative_rate", lambda line: kept_cell(line.at(least))),
            ("least kept", "relative_rate", lambda line: kept_cell(least_kept(line), named=True)),
            ("whole from", "relative_rate", _whole_cell),
        ],
    )


def least_kept(line: model.AgingLine) -> model.AgingPoint | None:
    known = [point for point in line.points if point.relative is not None]
    return min(known, key=lambda point: point.kept, default=None)


def kept_cell(
    point: model.AgingPoint | None, *, named: bool = False, judged: bool = True
) -> TableCell:
    if point is None or point.relative is None:
        return NOTHING
    cell = share_cell(point.relative)
    glyph = f" {GLYPHS[point.verdict]}" if point.verdict and judged else ""
    where = f"at {point.free_percent} % free" if named else ""
    return TableCell(f"{cell.text}{glyph}", ", ".join(filter(None, (cell.below, where))))


def _whole_cell(line: model.AgingLine) -> TableCell:
    if not line.lost_at:
        doubt = any(point.verdict in OPEN for point in line.points)
        return TableCell("undecided", "no loss decided") if doubt else TableCell("always")
    if line.whole_from is None:
        return TableCell("never", f"still less at {line.lost_at[-1]} %")
    return TableCell(f"{line.whole_from} %", f"less at {count(len(line.lost_at), 'level')}")


def _chunk_words(chunk: int | None) -> str:
    return f"in {format_size(chunk)} pieces" if chunk else "its own allocator"


def levels_tables(results: Results, aging: model.Aging) -> list[Table]:
    def column(line: model.AgingLine) -> tuple[str, str, Cell[int]]:
        return line.system, "relative_rate", lambda level: kept_cell(line.at(level))

    tables = []
    for side in _SIDES:
        lines = [line for s in results.systems if (line := aging.line(s, side)) is not None]
        name = side.capitalize()
        tables += Rows(aging.levels if lines else []).tables(
            f"kept-{side}",
            f"{name}s, level by level",
            f"{name} rate as a share of the clean one, with 95 % interval.",
            [("level", "", lambda level: f"{level} % free"), *map(column, lines)],
            folded_from=0,
        )
    return tables


_EXTENTS: list[
    tuple[str, str, Callable[[model.AgingLayout | model.AgedFiles], TableCell | str]]
] = [
    ("extents", "extents", lambda each: f"{each.lengths.extents:,.0f}"),
    ("mean extent", "extents", lambda each: format_size(each.lengths.mean_extent_bytes)),
    ("exactly the allocation size", "contiguity", lambda each: share_cell(each.chunk_share)),
]
"""How files lie, of those that were aged and of the streams' own."""


def layout_tables(results: Results, aging: model.Aging) -> list[Table]:
    return [*_aged_table(aging), *_level_table(results, aging)]


def _level_table(results: Results, aging: model.Aging) -> list[Table]:
    layouts = [
        layout
        for system in results.systems
        for level in [None, *aging.levels]
        if (layout := aging.layout(system, level)) is not None
    ]
    return Rows(layouts).tables(
        "aging-layouts",
        "Layouts, level by level",
        "The streams' files after each write, means over all turns.",
        [
            ("system", "", lambda each: each.system),
            ("level", "", lambda each: level_words(each.free_percent)),
            *_EXTENTS,
            (
                "free elsewhere",
                "free_space",
                lambda e: format_size(e.free.size_bytes) if e.free else "",
            ),
            ("free pieces", "free_space", lambda each: _free_pieces(each.free)),
            ("largest free", "free_space", lambda each: _largest_free(each.free)),
        ],
        folded_from=0,
    )


def _free_pieces(free: model.FreeAtLevel | None) -> str:
    return "" if free is None or free.extents is None else f"{free.extents:,.0f}"


def _largest_free(free: model.FreeAtLevel | None) -> str:
    return format_size(free.largest_bytes) if free and free.largest_bytes else ""


def _aged_table(aging: model.Aging) -> list[Table]:
    def listed(lengths: model.Lengths) -> str:
        longest = (lengths.exact or [])[:3]
        return ", ".join(f"{format_size(n)} {100 * share:.0f} %" for n, share in longest)

    return Rows(aging.aged).tables(
        "aged-files",
        "The aged files",
        "The intermingled files right after ageing, means over all turns. Exactly: the share of"
        " their bytes in extents of just that size, none longer, none shorter.",
        [
            ("system", "", lambda e: TableCell(e.system, _chunk_words(aging.chunks.get(e.system)))),
            ("files", "files", lambda each: f"{each.lengths.files:,.0f}"),
            *_EXTENTS,
            ("most bytes in extents of", "contiguity", lambda each: listed(each.lengths)),
        ],
    )


def predicted_table(results: Results, aging: model.Aging, shown: Sequence[int]) -> list[Table]:
    is_known = any(each.predicted is not None for each in aging.layouts)

    def clean(system: str) -> TableCell:
        layout = aging.layout(system, None)
        return value_cell(layout.predicted if layout else None, "B/s")

    def column(level: int) -> tuple[str, str, Cell[str]]:
        return f"{level} % free", "predicted_rate", lambda system: kept(system, level)

    def kept(system: str, level: int) -> TableCell:
        layout = aging.layout(system, level)
        relative = layout.predicted_relative if layout else None
        if relative is None:
            return NOTHING
        below = interval_text(relative, _percent(relative))
        return TableCell(f"{100 * relative.value:.0f} %", below)

    return Rows(results.systems if is_known else []).tables(
        "predicted",
        "Predicted, not measured",
        "From the positions of the streams' files in each turn: seeks, waits and transfers of one"
        " disk array. Shares are of the prediction for the same turn's clean files; intervals show"
        " how layouts vary, not how right the model is.",
        [
            ("system", "", lambda system: system),
            ("clean", "predicted_rate", clean),
            *map(column, shown),
        ],
    )


def _percent(number: Estimate) -> Callable[[float], str]:
    """With as many digits as the interval's width needs."""
    low, high = number.low or number.value, number.high or number.value
    digits = 0 if round(100 * low) != round(100 * high) else 1
    return lambda share: f"{100 * share:.{digits}f} %"


def disk_table(aging: model.Aging) -> list[Table]:
    numbers = device_named(MODEL).number

    def source(each: model.DiskParameter) -> str:
        own = numbers(each.name)
        return own.source if each.is_default else f"changed; else {number_words(own)}"

    def value(each: model.DiskParameter) -> str:
        return value_words(each.value, numbers(each.name).unit)

    changed = sum(not each.is_default for each in aging.disk)
    return Rows(aging.disk).tables(
        "disk",
        "The disk of the model",
        "A disk like those of the published rig; what is not printed of it is assumed"
        + (f", with {count(changed, 'number')} changed" if changed else "")
        + ". Another disk, without measuring again:"
        " fsgauge report DIR --set workload.disk.window=16."
        + (f" No rate is predicted: {aging.unpredicted}." if aging.unpredicted else ""),
        [
            ("number", "", lambda each: each.name),
            ("value", "predicted_rate", value),
            ("what it is", "", lambda each: numbers(each.name).what),
            ("from", "", source),
        ],
        folded_from=0,
    )
