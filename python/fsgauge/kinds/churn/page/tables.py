"""The tables of a study of churn: damage, layouts aged and fresh, how trees were made."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.kinds.churn.analysis.model import Churn, Damage, Tree
from fsgauge.report import words
from fsgauge.report.table_parts import NOTHING, Column, Table, TableCell, number_cell, value_cell
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import JudgedRatio, Results
from fsgauge.units import format_size

_AGAINST = 5
"""The column against the baseline."""
_SIDES = {"read": "reads", "write": "writes"}


def damage_table(results: Results) -> list[Table]:
    """Rates and their ratio; [] before any block has aged and fresh."""
    churn = Churn.of(results)
    if churn is None or not churn.damages:
        return []
    rows = [
        [
            TableCell(_SIDES[damage.side]),
            TableCell(f"{damage.fill_percent} %"),
            TableCell(damage.system),
            _damage_cell(damage),
            TableCell(_verdict(damage)),
            _against_cell(damage.against_baseline, damage.system == results.baseline),
            value_cell(damage.aged, "B/s"),
            value_cell(damage.fresh, "B/s"),
        ]
        for damage in churn.damages
    ]
    columns = [
        Column("test"),
        Column("full"),
        Column("system"),
        Column("aged over fresh", "damage"),
        Column("verdict"),
        Column(f"over {results.baseline}'s ratio", "damage"),
        Column("aged", "bandwidth"),
        Column("fresh copy", "bandwidth"),
    ]
    note = (
        "Bytes per second of the same work on the aged system over those on the fresh copy, inside"
        " a block. Worse: ageing made it slower. "
    )
    if len(results.systems) > 1:
        note += f"Over {results.baseline}'s ratio: above 1 a system suffers less. "
    note += _noise_words(churn)
    alone = len(results.systems) == 1
    return [_without(_AGAINST, Table("damage", "Damage by fill", note, columns, rows), alone)]


def layout_table(results: Results) -> list[Table]:
    """Aged and fresh side by side; [] without scans."""
    churn = Churn.of(results)
    if churn is None or not churn.layouts:
        return []
    rows = [
        [
            TableCell(f"{each.fill_percent} %"),
            TableCell(each.system),
            TableCell(each.wear),
            number_cell(each.extents_per_file),
            _share(each.fragmented_share),
            NOTHING if each.layout_score is None else TableCell(f"{each.layout_score:.4f}"),
            number_cell(each.new_extents_per_file),
            _count(each.free_extents),
            NOTHING
            if each.largest_free_bytes is None
            else TableCell(format_size(each.largest_free_bytes)),
            _share(each.free_at_least_1_mib_share),
            _share(each.used_share),
        ]
        for each in churn.layouts
    ]
    columns = [
        Column("full"),
        Column("system"),
        Column("tree"),
        Column("extents a file", "extents_per_file"),
        Column("files in several", "fragmented"),
        Column("layout score", "layout_score"),
        Column("extents a new file", "extents_per_file"),
        Column("free pieces", "free_space"),
        Column("largest", "free_space"),
        Column("free in 1 MiB or more", "free_at_least"),
        Column("in use", "free_space"),
    ]
    note = (
        "Where the tree lay, and what was free around it, before it was read; new files were"
        " written afterwards. In use: what a scan reports for the whole file system, including the"
        " file system's own structures."
    )
    return [Table("churn-layouts", "Layouts, aged and fresh", note, columns, rows)]


def tree_table(results: Results) -> list[Table]:
    """How each tree was made; [] before the first."""
    churn = Churn.of(results)
    if churn is None or not churn.trees:
        return []
    rows = [
        [
            TableCell(f"{each.fill_percent} %"),
            TableCell(each.system),
            TableCell(each.wear),
            _count(each.live_files),
            TableCell(format_size(each.live_bytes)),
            _share(each.live_share),
            TableCell(format_size(each.written_bytes)),
            NOTHING if each.storage_age is None else TableCell(f"{each.storage_age:.2f}"),
            TableCell(f"{each.operations:,.0f}", _failed(each)),
        ]
        for each in churn.trees
    ]
    columns = [
        Column("full"),
        Column("system"),
        Column("tree"),
        Column("files", "extents"),
        Column("live", "storage_age"),
        Column("of what was free", "damage"),
        Column("written", "storage_age"),
        Column("storage age", "storage_age"),
        Column("operations", "storage_age"),
    ]
    note = "Means over turns. A fresh copy holds the files that the ageing left, each written once."
    return [Table("trees", "How the trees were made", note, columns, rows, folded=True)]


def _without(column: int, table: Table, alone: bool) -> Table:
    """A system alone has none to be held against."""
    if not alone:
        return table
    return replace(
        table,
        columns=[each for at, each in enumerate(table.columns) if at != column],
        rows=[[cell for at, cell in enumerate(row) if at != column] for row in table.rows],
    )


def _damage_cell(damage: Damage) -> TableCell:
    interval = words.interval(damage.low, damage.high, damage.n)
    return TableCell(words.ratio(damage.ratio), interval)


def _verdict(damage: Damage) -> str:
    text: str = damage.verdict
    if damage.verdict == "equivalent":
        text = f"equivalent (within {words.percent(damage.margin_percent)})"
    elif damage.verdict == "undecided" and damage.detectable_loss_percent is not None:
        loss = words.percent(damage.detectable_loss_percent)
        text = f"undecided (a loss of {loss} would have shown)"
    return f"{GLYPHS[damage.verdict]} {text}"


def _against_cell(against: JudgedRatio | None, is_baseline: bool) -> TableCell:
    if is_baseline:
        return TableCell("baseline")
    if against is None:
        return NOTHING
    interval = words.interval(against.low, against.high, against.n)
    verdict = f"{GLYPHS[against.verdict]} {against.verdict}"
    return TableCell(f"{words.ratio(against.ratio)} {verdict}", interval)


def _noise_words(churn: Churn) -> str:
    def said(noise: Estimate) -> str:
        return words.interval(noise.low, noise.high, noise.n)

    parts = [
        f"{_SIDES[side]} {said(noise)}"
        for side, noise in churn.noise.items()
        if words.is_known(noise.low, noise.high, noise.n)
    ]
    return f"Two equal turns of the baseline differ by: {', '.join(parts)}." if parts else ""


def _share(share: float | None) -> TableCell:
    return NOTHING if share is None else TableCell(f"{100 * share:.1f} %")


def _count(number: float | None) -> TableCell:
    return NOTHING if number is None else TableCell(f"{number:,.0f}")


def _failed(tree: Tree) -> str:
    parts = [f"{tree.failed:,} failed"] if tree.failed else []
    parts += [each.replace("_", " ") for each in tree.ended if each != "complete"]
    return ", ".join(parts)
