"""The parts of tables: columns with the pages that explain them, cells with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from fsgauge.report import words
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Measurement, Results
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.units import figure

T = TypeVar("T")
_LONGEST_NUMBER = 40
"""Characters of a number with its unit and its interval; what is longer is a sentence."""


@dataclass(frozen=True)
class Column:
    """A column's head; `page` explains its numbers, "" for names and words. `elsewhere`: its
    numbers were published, not measured."""

    label: str
    page: str = ""
    elsewhere: bool = False


@dataclass(frozen=True)
class TableCell:
    """A value, and its interval or what else belongs below it; `page` explains a row's name."""

    text: str
    below: str = ""
    page: str = ""


@dataclass(frozen=True)
class Table:
    """A table with its heading; `note` says what a reader must know before reading it."""

    name: str
    heading: str
    note: str
    columns: list[Column]
    rows: list[list[TableCell]]
    folded: bool = False

    @property
    def elsewhere(self) -> int:
        """How many columns, the last ones, were published and not measured."""
        return sum(column.elsewhere for column in self.columns)

    def is_of_words(self, index: int) -> bool:
        """Whether the column has sentences, which are read from the left as its head is."""
        return any(len(row[index].text) > _LONGEST_NUMBER for row in self.rows)

    @property
    def pages(self) -> list[str]:
        """The pages that explain its numbers, each once."""
        of_columns = [column.page for column in self.columns]
        of_rows = [cell.page for row in self.rows for cell in row]
        return list(dict.fromkeys(page for page in (*of_columns, *of_rows) if page))


SCREEN_ROWS = 24
"""So many rows fill a screen: a table is folded from there on."""
ELSEWHERE = "elsewhere"
"""In the place of a page: the column's numbers were published, not measured."""
Cell = Callable[[T], TableCell | str | None]
Columns = Sequence[tuple[str, str, Cell[T]] | None]
"""A column is its label, the page that explains its numbers ("" for names and words), and the cell
of one thing, None where that has none. None is a column that this study does not have."""


class Placed(Protocol):
    """What one system had in one cell, by its id."""

    @property
    def cell(self) -> str: ...

    @property
    def system(self) -> str: ...


def place_of(results: Results, cell: str = "cell") -> Columns[Placed]:
    """The first columns of numbers that have a place; `cell` heads that of the cell's name."""
    return [
        (cell, "", lambda each: results.cell(each.cell).name),
        ("system", "", lambda each: each.system),
    ]


class Rows(Generic[T]):
    """What a table has a line for each."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = list(things)

    def tables(
        self,
        name: str,
        heading: str,
        note: str,
        columns: Columns[T],
        *,
        folded_from: int = SCREEN_ROWS,
    ) -> list[Table]:
        """The table, or [] without rows; with `folded_from` rows or more it is folded. Columns
        without any number are left out, and a remark of many numbers is in its note."""
        if not self._things:
            return []
        had = [column for column in columns if column is not None]
        table = Table(
            name,
            heading,
            note,
            [Column(a, "" if b == ELSEWHERE else b, b == ELSEWHERE) for a, b, _ in had],
            [[_as_cell(cell(thing)) for *_, cell in had] for thing in self._things],
            len(self._things) >= folded_from,
        )
        return [_said_once(_without_empty_columns(table))]

    def by_system(
        self,
        name: str,
        heading: str,
        note: str,
        title: tuple[str, Callable[[T], TableCell | str]],
        systems: Sequence[str],
        cell: Callable[[T, str], TableCell],
        *,
        page: str = "",
    ) -> list[Table]:
        """A line a thing, a column a system; things that no system has a number of are left out."""

        def column(system: str) -> tuple[str, str, Callable[[T], TableCell]]:
            return system, page, lambda thing: cell(thing, system)

        known = [
            thing for thing in self._things if any(cell(thing, each) != NOTHING for each in systems)
        ]
        columns: Columns[T] = [(title[0], "", title[1]), *map(column, systems)]
        return Rows(known).tables(name, heading, note, columns)


def _as_cell(said: TableCell | str | None) -> TableCell:
    return said if isinstance(said, TableCell) else TableCell(said or "")


NEVER_VARIED = "the same in all blocks"
NOTHING = TableCell("")
TOO_FEW = TableCell("", "too few samples")


def _without_empty_columns(table: Table) -> Table:
    """Columns without any number, such as a p99.9 of few writes, are left out."""
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column.page in ("", "p99")  # a missing p99 is looked for, and says why
        or any(row[index] not in (NOTHING, TOO_FEW) for row in table.rows)
    ]
    return replace(
        table,
        columns=[table.columns[index] for index in kept],
        rows=[[row[index] for index in kept] for row in table.rows],
    )


def interval_text(number: words.Interval, text: Callable[[float], str]) -> str:
    """The interval in words, or why there is none; a number may never vary (extents)."""
    if isinstance(number, Measurement) and number.short_runs:
        return short_words(number)
    if number.low is None or number.high is None:
        return "one block" if number.n == 1 else ""
    if not words.is_known(number.low, number.high, number.n):
        return words.unknown(number.n)
    if never_varies(number.low, number.high):
        return NEVER_VARIED
    low, high = text(number.low), text(number.high)
    if low == high:
        return words.WITHIN_ROUNDING
    (_, _, unit), (_, _, other) = low.partition(" "), high.partition(" ")
    if unit and unit == other and not low.startswith("x "):
        low = low.removesuffix(f" {unit}")
    return f"{low} to {high}"


def never_varies(low: float | None, high: float | None) -> bool:
    """Layouts often repeat exactly: an interval without width says so in words."""
    return low is not None and high is not None and math.isclose(low, high, rel_tol=1e-12)


def judged_cell(found: words.Ratio | None, text: Callable[[float], str] = words.ratio) -> TableCell:
    """A ratio with its verdict: "0.94 ▼ worse"; `text` writes a number and ends of the interval."""
    if found is None:
        return NOTHING
    said = f"{text(found.ratio)} {GLYPHS[found.verdict]} {found.verdict}"
    return TableCell(said, interval_text(found, text))


def short_words(number: Measurement) -> str:
    """What a quantile is of where some runs had too few operations for their own; "" elsewhere."""
    if not number.short_runs:
        return ""
    return f"all runs together: {number.short_runs} of {number.n} too short"


def estimate_cell(number: Estimate | None, text: Callable[[float], str]) -> TableCell:
    """A number, as `text` writes it, with its interval."""
    if number is None:
        return NOTHING
    return TableCell(text(number.value), interval_text(number, text))


def value_cell(number: Estimate | None, unit: str) -> TableCell:
    """A number with its unit; the column's head has that of operations."""
    return estimate_cell(number, lambda value: words.value(value, unit).removesuffix(" IOPS"))


def rate_head(units: Iterable[str]) -> str:
    """The head of a column of rates; another unit than that of I/O stands with each number."""
    return "IOPS" if set(units) <= {"IOPS"} else "rate"


def change_cell(number: Estimate | None) -> TableCell:
    return estimate_cell(number, words.change)


def share_cell(number: Estimate | None) -> TableCell:
    digits = words.share_digits(number.value) if number is not None else 0
    return estimate_cell(number, lambda share: f"{100 * share:.{digits}f} %")


def quantile_cell(number: Estimate | None) -> TableCell:
    """A percentile; it needs ten samples beyond it in each run."""
    return TOO_FEW if number is None else value_cell(number, "ns")


V = TypeVar("V")


def known(value: V | None, text: Callable[[V], str]) -> str:
    """A value as `text` writes it; "" where it is not known."""
    return "" if value is None else text(value)


def number_cell(number: Estimate | None) -> TableCell:
    """A number without a unit."""
    return estimate_cell(number, figure)


_REMARKS = {words.unknown(blocks): blocks for blocks in range(1, BLOCKS_FOR_A_VERDICT)}


def _said_once(table: Table) -> Table:
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
