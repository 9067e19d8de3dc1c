"""The table of fluctuation over time: every cell and system, and its ratio to the baseline's."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.model import Fluctuation, Overhead
from fsgauge.report import words
from fsgauge.report.table_parts import NOTHING, Rows, Table, TableCell, interval_text, judged_cell
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.results import Results
from fsgauge.units import exact_duration

FOLDED_ROWS = 33


def fluctuation_table(results: Results) -> list[Table]:
    """[] where no run had intervals enough."""
    overhead = Overhead.of(results)
    if overhead is None or not overhead.fluctuations:
        return []
    lengths = sorted({each.interval_ns for each in overhead.fluctuations})
    intervals = sorted({each.intervals for each in overhead.fluctuations})
    note = (
        "Standard deviation of the rate over time inside a run, as a share of its mean:"
        f" {_span(intervals)} intervals of {' or '.join(map(exact_duration, lengths))} behind the"
        " warm-up. Less is better. Beside it what as many operations at random times would vary"
        " by; where that is as large, intervals of ratios are wide, since counts do not tell."
    )
    table = Rows(overhead.fluctuations).table(
        "fluctuation",
        "Fluctuation over time",
        note,
        [
            ("cell", "", lambda each: results.cell(each.cell).name),
            ("system", "", lambda each: each.system),
            ("fluctuation", "fluctuation", lambda each: _percent_cell(each.value)),
            ("by counting", "fluctuation", lambda each: _percent(each.counting)),
            (f"over {results.baseline}'s", "ratio", _ratio),
        ],
        folded_from=FOLDED_ROWS,
    )
    return [table]


def _span(numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    return str(first) if first == last else f"{first} to {last}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _percent_cell(number: Estimate) -> TableCell:
    return TableCell(_percent(number.value), interval_text(number, _percent))


def _ratio(each: Fluctuation) -> TableCell:
    """The baseline's is its second turn over its first: what equal systems differ by."""
    if each.ratio is not None:
        return judged_cell(each.ratio)
    if each.noise is None:
        return NOTHING
    again = interval_text(each.noise, words.ratio)
    return TableCell(f"{words.ratio(each.noise.value)} of itself", again)
