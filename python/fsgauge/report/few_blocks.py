"""Tables of a study with too few blocks: that no interval is known is said once, above."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.report import words
from fsgauge.report.table_parts import Table, TableCell


def said_once(table: Table, blocks: int) -> Table:
    """The table without that remark under every number; its note says it."""
    if blocks >= words.FEWEST_BLOCKS:
        return table
    remarks = [words.unknown(number) for number in range(1, words.FEWEST_BLOCKS)]
    rows = [[_without(cell, remarks) for cell in row] for row in table.rows]
    if rows == table.rows:
        return table
    number = "one block" if blocks == 1 else f"{blocks} blocks"
    return replace(table, rows=rows, note=f"{table.note} No interval is known from {number}.")


def _without(cell: TableCell, remarks: list[str]) -> TableCell:
    for remark in remarks:
        if cell.below.startswith(remark):
            return replace(cell, below=cell.below.removeprefix(remark).removeprefix(", "))
    return cell
