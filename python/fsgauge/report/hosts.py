"""Several hosts: a sentence, a line each, and rates over the number of hosts as table and picture.

One panel a system in each group of cells that differ in their hosts alone, with the ideal and,
where it fits, the scalability law; of many groups those that the answer is about.
"""

from __future__ import annotations

from typing import Any

from fsgauge.report import table_parts, vega, words
from fsgauge.report.charts import marks, panels
from fsgauge.report.charts.law import LawPanel, law_panel
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.results import Results
from fsgauge.stats.scaling.model import HostPoint, HostScaling
from fsgauge.units import count, format_duration

_ABOUT_EQUAL = 0.005
MOST_PANELS = 12
Measured = tuple[HostScaling, HostPoint]


def host_tables(results: Results) -> list[table_parts.Table]:
    """A line a host; none where one machine drove the load."""
    hosts = results.hosts
    if hosts is None:
        return []
    all_took_part = (
        "The first hosts took part in runs with fewer of them"
        if over_hosts_tables(results)
        else "Every host took part in every run"
    )
    return table_parts.Rows(hosts.hosts).tables(
        "hosts",
        "Each host",
        f"{all_took_part}; the study's numbers are the sums. Rate: that of one of its jobs or"
        f" clients, over the median host's, the median of {count(hosts.runs, 'run')}. Start: after"
        " the common moment, by one clock; the bound is how wrong that can be. Each host's own"
        " records are next to the study's, in records/*/host-NAME-*.json.",
        [
            ("host", "", lambda each: each.name),
            ("rate", "hosts", lambda each: f"{each.share:.3f}"),
            ("start, median", "hosts", lambda each: _signed(each.late_ns)),
            ("start, farthest", "hosts", lambda each: _signed(each.worst_late_ns)),
            ("bound", "hosts", lambda each: _time(each.clock_bound_ns)),
        ],
    )


def hosts_sentence(results: Results) -> str:
    """ "" where one machine drove the load."""
    hosts = results.hosts
    if hosts is None:
        return ""
    parts = [count(len(hosts.hosts), "host")]
    if hosts.skew_median_ns is not None:
        parts[0] += (
            f" began each run within {_time(hosts.skew_median_ns)} of one another (median; at most"
            f" {_time(hosts.skew_most_ns)}, certainly within {_time(hosts.skew_bound_ns)})"
        )
    ranked = sorted(hosts.hosts, key=lambda each: each.share)
    if ranked and ranked[-1].share - ranked[0].share > _ABOUT_EQUAL:
        parts.append(
            f"fastest {ranked[-1].name} ({ranked[-1].share:.2f} of the others), slowest"
            f" {ranked[0].name} ({ranked[0].share:.2f})"
        )
    if hosts.last_over_median is not None:
        parts.append(f"the last to end took {hosts.last_over_median:.2f} of the median host's time")
    parts.append(f"lost: {'; '.join(hosts.left_out) or 'none'}")
    return "; ".join(parts)


def _time(ns: int | None) -> str:
    return "unknown" if ns is None else format_duration(ns)


def _signed(ns: int | None) -> str:
    if ns is None:
        return "unknown"
    return f"{'-' if ns < 0 else ''}{format_duration(abs(ns))}"


def over_hosts_tables(results: Results) -> list[table_parts.Table]:
    """A line a system, group and number of hosts; then the law, where it was tried."""
    scaling = results.host_scaling
    measured = [(line, point) for line in scaling for point in line.points if point.rate]
    tried = [line for line in scaling if line.fit.was_tried]
    return [*_numbers(results, measured), *_law(results, tried)]


def _numbers(results: Results, measured: list[Measured]) -> list[table_parts.Table]:
    rate, page = _heading(results, [line for line, _ in measured])
    return table_parts.Rows(measured).tables(
        "over-hosts",
        "By number of hosts",
        "All hosts together. Changes and shares are taken inside each block; ideally, N hosts do N"
        " times what one does.",
        [
            ("system", "", lambda each: each[0].system),
            ("cell", "", lambda each: each[0].group),
            ("hosts", "", lambda each: str(each[1].hosts)),
            (
                rate,
                page,
                lambda each: table_parts.value_cell(each[1].rate, _unit_of(results, each[0])),
            ),
            (
                "of the fewest",
                "hosts",
                lambda each: table_parts.estimate_cell(each[1].change, "{:.2f} times".format),
            ),
            ("share of ideal", "hosts", lambda each: table_parts.share_cell(each[1].efficiency)),
        ],
    )


def _unit_of(results: Results, line: HostScaling) -> str:
    """The unit of a line's rates: "IOPS", "commits/s", "B/s"."""
    unit = METRICS[line.metric].unit
    return next((results.unit_in(point.cell, unit) for point in line.points), unit)


def _heading(results: Results, lines: list[HostScaling]) -> tuple[str, str]:
    """The head of a column of rates, and its page."""
    pages = {METRICS[line.metric].page for line in lines}
    head = table_parts.rate_head(_unit_of(results, line) for line in lines)
    return head, pages.pop() if pages else ""


def _law(results: Results, lines: list[HostScaling]) -> list[table_parts.Table]:
    rate, _ = _heading(results, lines)
    return table_parts.Rows(lines).tables(
        "law-of-hosts",
        "Scalability law over hosts",
        "X(N) = rate N / (1 + contention (N - 1) + coherency N (N - 1)), fitted to logs of block"
        " rates.",
        [
            ("system", "", lambda line: line.system),
            ("cell", "", lambda line: line.group),
            ("state", "usl", lambda line: table_parts.TableCell(line.fit.state, line.fit.reason)),
            (
                f"{rate} of one",
                "usl",
                lambda line: table_parts.value_cell(line.fit.rate, _unit_of(results, line)),
            ),
            ("contention", "usl", lambda line: table_parts.number_cell(line.fit.contention)),
            ("coherency", "usl", lambda line: table_parts.number_cell(line.fit.coherency)),
            ("peak at", "usl", lambda line: table_parts.number_cell(line.fit.peak_at)),
        ],
    )


def over_hosts(results: Results) -> Drawing | None:
    systems = panels.drawn_systems(results)
    lines = [
        each
        for each in results.host_scaling
        if each.system in systems and any(point.rate for point in each.points)
    ]
    of_answer = [
        each for each in lines if any(point.cell in results.primary_cells for point in each.points)
    ]
    shown = of_answer if len(lines) > MOST_PANELS and of_answer else lines
    if not shown:
        return None
    grouped = len({each.group for each in shown}) > 1
    rows = panels.styled(
        results, [_row(results, line, at) for line in shown for at in line.points if at.rate]
    )
    note = panels.left_out(results)
    if len(shown) < len(lines):
        note = f"{note} Drawn are the primary cells; the table has all.".strip()

    def panel(line: HostScaling, width: int) -> vega.Chart:
        own = [row for row in rows if (row["system"], row["group"]) == (line.system, line.group)]
        return law_panel(_law_of(line, own, grouped=grouped), width)

    label = "The rate of all hosts together, by the number of hosts."
    return draw("over-hosts", label, *panels.both(shown, panel, 3), rows, note=note)


def _law_of(line: HostScaling, rows: list[dict[str, Any]], *, grouped: bool) -> LawPanel:
    counts = [row["x"] for row in rows]
    label = rows[0]["label"]
    fits = line.fit.state == "fits"
    first = rows[0]
    rate = line.fit.rate.value if fits and line.fit.rate else first["iops"] / first["x"]
    return LawPanel(
        rows=rows,
        fit=line.fit,
        counts=counts,
        of="hosts",
        edge=max([*counts, *(each[0] for each in line.fit.curve)]),
        title=f"{label}, {line.group}" if grouped else label,
        subtitle=line.fit.words if line.fit.was_tried else _reached(line),
        ideal=rate,
        unit=rows[0]["unit"],
    )


def _reached(line: HostScaling) -> str:
    """ "4 hosts: 3.12 times, 78 % of ideal"."""
    last = line.points[-1]
    if last.change is None or last.efficiency is None:
        return ""
    share = words.share(last.efficiency)
    return f"{last.hosts} hosts: {last.change.value:.2f} times, {share} of ideal"


def _row(results: Results, line: HostScaling, point: HostPoint) -> dict[str, Any]:
    rate, unit = point.rate, _unit_of(results, line)
    assert rate is not None  # noqa: S101 - those without are left out
    return {
        "system": line.system,
        "group": line.group,
        "cell": point.cell,
        "x": point.hosts,
        "iops": rate.value,
        **marks.ends(rate, "iops_"),
        "blocks": [rate for _, rate in point.blocks],
        "unit": unit,
        "tip": _tip(line, point, rate, unit),
    }


def _tip(line: HostScaling, point: HostPoint, rate: Estimate, unit: str) -> str:
    hosts = count(point.hosts, "host")
    parts = [f"{line.system}, {line.group}, {hosts}: {words.estimate(rate, unit)}"]
    if point.efficiency is not None:
        parts.append(f"{words.share(point.efficiency)} of ideal")
    return "; ".join(parts)
