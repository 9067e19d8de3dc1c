"""Tables of an aged file system: what is kept, level by level, layouts, the modelled disk.

What was measured and what a model says never share a column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsgauge.kinds.aging.analysis.model import (
    AgedFiles,
    Aging,
    AgingLayout,
    AgingLine,
    AgingPoint,
    FreeAtLevel,
    Lengths,
    Side,
)
from fsgauge.kinds.aging.disk import PUBLISHED, parameters_of
from fsgauge.report.table_parts import (
    NOTHING,
    Column,
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
from fsgauge.units import exact_bandwidth, exact_percent, format_duration, format_size

_NAMES: dict[Side, str] = {"write": "write", "read": "read"}


def summary_table(results: Results, aging: Aging) -> Table:
    """Two lines a system: its clean rate, the least it keeps, from where on nothing is lost."""
    least = min(aging.levels, default=0)
    rows = [
        _summary_row(line, aging.chunks.get(system), least)
        for system in results.systems
        for side in _NAMES
        if (line := aging.line(system, side)) is not None
    ]
    columns = [
        Column("system"),
        Column("rate"),
        Column("clean", "bandwidth"),
        Column(f"kept at {least} % free", "relative_rate"),
        Column("least kept", "relative_rate"),
        Column("whole from", "relative_rate"),
    ]
    note = (
        "Kept: the rate as a share of the same turn's clean rate. Whole from: the share of the"
        " region that must be free so that from there on no level is decidedly slower than clean."
    )
    return Table("aging", "What is kept", note, columns, rows)


def _summary_row(line: AgingLine, chunk: int | None, least: int) -> list[TableCell]:
    clean = line.at(None)
    known = [point for point in line.points if point.relative is not None]
    lowest = min(known, key=lambda point: point.kept, default=None)
    first = TableCell(line.system, _chunk_words(chunk))
    return [
        first if line.side == "write" else TableCell(line.system),
        TableCell(line.side),
        value_cell(clean.rate if clean else None, "B/s"),
        _kept_cell(line.at(least)),
        _kept_cell(lowest, named=True),
        _whole_cell(line),
    ]


def _kept_cell(point: AgingPoint | None, *, named: bool = False) -> TableCell:
    """A share with its verdict; `named` adds the level."""
    if point is None or point.relative is None:
        return NOTHING
    cell = share_cell(point.relative)
    glyph = f" {GLYPHS[point.verdict]}" if point.verdict else ""
    where = f"at {point.free_percent} % free" if named else ""
    return TableCell(f"{cell.text}{glyph}", ", ".join(filter(None, (cell.below, where))))


def _whole_cell(line: AgingLine) -> TableCell:
    if not line.lost_at:
        doubt = any(point.verdict == "undecided" for point in line.points)
        return TableCell("undecided", "no loss decided") if doubt else TableCell("always")
    if line.whole_from is None:
        return TableCell("never", f"still less at {line.lost_at[-1]} %")
    levels = "1 level" if len(line.lost_at) == 1 else f"{len(line.lost_at)} levels"
    return TableCell(f"{line.whole_from} %", f"less at {levels}")


def _chunk_words(chunk: int | None) -> str:
    return f"in {format_size(chunk)} pieces" if chunk else "its own allocator"


def levels_tables(results: Results, aging: Aging) -> list[Table]:
    """A folded table a side: every level, a column a system."""
    tables = []
    for side, name in _NAMES.items():
        lines = [line for s in results.systems if (line := aging.line(s, side)) is not None]
        if not lines:
            continue
        rows = [
            [TableCell(f"{level} % free"), *(_kept_cell(line.at(level)) for line in lines)]
            for level in aging.levels
        ]
        columns = [Column("level"), *(Column(line.system, "relative_rate") for line in lines)]
        note = f"{name.capitalize()} rate as a share of the clean one, with 95 % interval."
        tables.append(
            Table(
                f"kept-{side}", f"{name.capitalize()}s, level by level", note, columns, rows, True
            )
        )
    return tables


_EXTENTS: list[tuple[str, str, Callable[[AgingLayout | AgedFiles], TableCell | str]]] = [
    ("extents", "extents", lambda each: f"{each.lengths.extents:,.0f}"),
    ("mean extent", "extents", lambda each: format_size(each.lengths.mean_extent_bytes)),
    ("exactly the allocation size", "contiguity", lambda each: share_cell(each.chunk_share)),
]
"""How files lie, of those that were aged and of the streams' own."""


def layout_tables(results: Results, aging: Aging) -> list[Table]:
    """What ageing left, and where the streams' files lay at each level."""
    layouts = [
        layout
        for system in results.systems
        for level in [None, *aging.levels]
        if (layout := aging.layout(system, level)) is not None
    ]
    table = Rows(layouts).table(
        "aging-layouts",
        "Layouts, level by level",
        "The streams' files after each write, means over all turns.",
        [
            ("system", "", lambda each: each.system),
            (
                "level",
                "",
                lambda e: "clean" if e.free_percent is None else f"{e.free_percent} % free",
            ),
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
    aged = [_aged_table(aging)] if aging.aged else []
    return [*aged, *([table] if layouts else [])]


def _free_pieces(free: FreeAtLevel | None) -> str:
    return "" if free is None or free.extents is None else f"{free.extents:,.0f}"


def _largest_free(free: FreeAtLevel | None) -> str:
    return format_size(free.largest_bytes) if free and free.largest_bytes else ""


def _aged_table(aging: Aging) -> Table:
    note = (
        "The intermingled files right after ageing, means over all turns. Exactly: the share of"
        " their bytes in extents of just that size, none longer, none shorter."
    )

    def listed(lengths: Lengths) -> str:
        longest = (lengths.exact or [])[:3]
        return ", ".join(f"{format_size(n)} {100 * share:.0f} %" for n, share in longest)

    return Rows(aging.aged).table(
        "aged-files",
        "The aged files",
        note,
        [
            ("system", "", lambda e: TableCell(e.system, _chunk_words(aging.chunks.get(e.system)))),
            ("files", "files", lambda each: f"{each.lengths.files:,.0f}"),
            *_EXTENTS,
            ("most bytes in extents of", "contiguity", lambda each: listed(each.lengths)),
        ],
    )


def predicted_table(results: Results, aging: Aging, shown: Sequence[int]) -> list[Table]:
    """What the model says, at the shown levels; nothing in it was measured."""
    known = [each for each in aging.layouts if each.predicted is not None]
    if not known:
        return []
    rows = []
    for system in results.systems:
        clean = aging.layout(system, None)
        cells = [TableCell(system), value_cell(clean.predicted if clean else None, "B/s")]
        for level in shown:
            layout = aging.layout(system, level)
            relative = layout.predicted_relative if layout else None
            cells.append(
                NOTHING
                if relative is None
                else TableCell(
                    f"{100 * relative.value:.0f} %", interval_text(relative, _percent(relative))
                )
            )
        rows.append(cells)
    columns = [Column("system"), Column("clean", "predicted_rate")]
    columns += [Column(f"{level} % free", "predicted_rate") for level in shown]
    note = (
        "From the positions of the streams' files in each turn: seeks, waits and transfers of one"
        " disk"
        " array. Shares are of the prediction for the same turn's clean files; intervals show how"
        " layouts vary, not how right the model is."
    )
    return [Table("predicted", "Predicted, not measured", note, columns, rows)]


def _percent(number: Estimate) -> Callable[[float], str]:
    """With as many digits as the interval's width needs."""
    low, high = number.low or number.value, number.high or number.value
    digits = 0 if round(100 * low) != round(100 * high) else 1
    return lambda share: f"{100 * share:.{digits}f} %"


def disk_table(aging: Aging) -> Table:
    """Every number of the modelled disk with its source, changed ones marked."""
    known = {each.name: each for each in parameters_of(PUBLISHED)}
    rows = [
        [
            TableCell(each.name),
            TableCell(value_words(each.name, each.value)),
            TableCell(known[each.name].what if each.name in known else ""),
            TableCell(
                known[each.name].source
                if each.is_default and each.name in known
                else f"changed; else {value_words(each.name, known[each.name].value)}"
            ),
        ]
        for each in aging.disk
    ]
    columns = [
        Column("number"),
        Column("value", "predicted_rate"),
        Column("what it is"),
        Column("from"),
    ]
    changed = sum(not each.is_default for each in aging.disk)
    note = (
        "A disk like those of the published rig; what is not printed of it is assumed"
        + (f", with {changed} {'number' if changed == 1 else 'numbers'} changed" if changed else "")
        + ". Another disk, without measuring again: fsgauge report DIR --disk window=16."
        + (f" No rate is predicted: {aging.unpredicted}." if aging.unpredicted else "")
    )
    return Table("disk", "The disk of the model", note, columns, rows, folded=True)


_RATES = ("outer_rate", "inner_rate", "path_rate")
_TIMES = ("seek_single", "seek_average", "seek_full", "overhead")
_SIZES = ("cylinder_size", "request_size")
_SHARES = ("position", "rotational_wait")


def value_words(name: str, value: float) -> str:
    """ "175 MB/s", "8.5 ms", "35 %", "7200"."""
    if name in _RATES:
        return exact_bandwidth(value)
    if name in _TIMES:
        return format_duration(value)
    if name in _SIZES:
        return format_size(value)
    if name in _SHARES:
        return exact_percent(value)
    return f"{value:,g}"
