"""Tables of a study with too few blocks: that no interval is known is said once, above."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.report import words
from fsgauge.report.table_parts import Table, TableCell

_REMARKS = {words.unknown(blocks): blocks for blocks in range(1, words.FEWEST_BLOCKS)}


def said_once(table: Table) -> Table:
    """The table without that remark under each number; its note says it."""
    found = [remark for remark in _REMARKS if any(_has(c, remark) for r in table.rows for c in r)]
    if not found:
        return table
    blocks = (_REMARKS[remark] for remark in found)
    numbers = " or ".join("one block" if each == 1 else f"{each} blocks" for each in blocks)
    return replace(
        table,
        rows=[[_without(cell) for cell in row] for row in table.rows],
        note=f"{table.note} No interval is known from {numbers}.".lstrip(),
    )


def _has(cell: TableCell, remark: str) -> bool:
    return cell.below.startswith(remark)


def _without(cell: TableCell) -> TableCell:
    for remark in _REMARKS:
        if _has(cell, remark):
            return replace(cell, below=cell.below.removeprefix(remark).lstrip(";, "))
    return cell
