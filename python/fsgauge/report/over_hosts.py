"""The table of a study that varies the number of hosts, and the law of each system."""

from __future__ import annotations

from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    interval_text,
    number_cell,
    share_cell,
    value_cell,
    without_empty_columns,
)
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import HostPoint, HostScaling, Results

_FOLDED_ROWS = 24

Measured = tuple[HostScaling, HostPoint]


def over_hosts_tables(results: Results) -> list[Table]:
    """A line a system, group and number of hosts; then the law, where it was tried."""
    scaling = results.host_scaling
    measured = [(line, point) for line in scaling for point in line.points if point.rate]
    tables = [_numbers(measured), _law([line for line in scaling if line.fit.was_tried])]
    return [without_empty_columns(table) for table in tables if table.rows]


def no_host_law(results: Results) -> str:
    """Why no system has a law; "" where one was tried, or hosts do not vary."""
    scaling = results.host_scaling
    if not scaling or any(line.fit.was_tried for line in scaling):
        return ""
    return scaling[0].fit.reason


def _numbers(measured: list[Measured]) -> Table:
    rate, page = _heading([line for line, _ in measured])
    return Rows(measured).table(
        "over-hosts",
        "By number of hosts",
        "All hosts together. Changes and shares are taken inside each block; ideally, N hosts do N"
        " times what one does.",
        [
            ("system", "", lambda each: each[0].system),
            ("cell", "", lambda each: each[0].group),
            ("hosts", "", lambda each: str(each[1].hosts)),
            (rate, page, lambda each: value_cell(each[1].rate, METRICS[each[0].metric].unit)),
            ("of the fewest", "hosts", lambda each: _times(each[1].change)),
            ("share of ideal", "hosts", lambda each: share_cell(each[1].efficiency)),
        ],
        folded_from=_FOLDED_ROWS,
    )


def _heading(lines: list[HostScaling]) -> tuple[str, str]:
    """The head of a column of rates, and its page; units stand with numbers where they differ."""
    pages = {METRICS[line.metric].page for line in lines}
    return ("IOPS", "iops") if pages == {"iops"} else ("rate", pages.pop() if pages else "")


def _times(change: Estimate | None) -> TableCell:
    """ "3.12 times"."""
    if change is None:
        return NOTHING

    def text(value: float) -> str:
        return f"{value:.2f} times"

    return TableCell(text(change.value), interval_text(change, text))


def _law(lines: list[HostScaling]) -> Table:
    rate, _ = _heading(lines)
    return Rows(lines).table(
        "law-of-hosts",
        "Scalability law over hosts",
        "X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), fitted to logs of block"
        " rates.",
        [
            ("system", "", lambda line: line.system),
            ("cell", "", lambda line: line.group),
            ("state", "usl", lambda line: TableCell(line.fit.state, line.fit.reason)),
            (
                f"{rate} of one",
                "usl",
                lambda line: value_cell(line.fit.rate, METRICS[line.metric].unit),
            ),
            ("contention", "usl", lambda line: number_cell(line.fit.contention)),
            ("coherency", "usl", lambda line: number_cell(line.fit.coherency)),
            ("peak at", "usl", lambda line: number_cell(line.fit.peak_at)),
        ],
        folded_from=_FOLDED_ROWS,
    )
