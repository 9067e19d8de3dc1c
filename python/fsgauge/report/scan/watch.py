"""The page of `--watch`: how a file system filled and came apart over days or years."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from fsgauge import __version__
from fsgauge.errors import escaped
from fsgauge.report.scan.lengths import text_at
from fsgauge.report.theme import asset, template
from fsgauge.scan import words
from fsgauge.scan.numbers import QUANTITIES, Quantity
from fsgauge.scan.watch import Point, Watch, forecast_words, series
from fsgauge.units import moment

SHOWN = (
    "used_percent",
    "free_bytes",
    "largest_free_bytes",
    "free_extents",
    "free_at_least_8_mib_percent",
    "extents_per_file",
    "fragmented_percent",
    "mean_extent_bytes",
    "layout_score",
    "files",
)
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 540, 150, 74, 10, 10, 26
_MOST_MARKED = 60
_ROWS = 400


def watch_page(watch: Watch) -> str:
    by_name = {quantity.name: quantity for quantity in QUANTITIES}
    drawn = [(by_name[name], series(watch, name)) for name in SHOWN]
    last = watch.points[-1]
    return template("watch.html.j2").render(
        version=__version__,
        title=escaped(watch.path),
        count=len(watch.points),
        first=moment(watch.points[0].started_unix_ns),
        last=moment(last.started_unix_ns),
        sentence=last.sentence,
        forecast=forecast_words(watch),
        left_out=watch.left_out,
        charts=[(quantity, _chart(quantity, points)) for quantity, points in drawn if points],
        rows=_rows(watch.points)[:_ROWS],
        scan_style=asset("scan.css"),
    )


Row = tuple[str, Sequence[tuple[str, int]], str]


def _rows(points: Sequence[Point]) -> list[Row]:
    """The last first; scans in a row with the same answer are one, in the words of the last."""
    found: list[Row] = []
    for _, same in groupby(reversed(points), key=lambda point: point.sentence.partition(":")[0]):
        each = list(same)
        first, last = each[-1], each[0]
        when = moment(last.started_unix_ns)
        if len(each) > 1:
            days = dict.fromkeys(moment(point.started_unix_ns)[:10] for point in (first, last))
            when = f"{' to '.join(days)}, {len(each):,} scans"
        found.append((when, last.worst, last.sentence))
    return found


def _chart(quantity: Quantity, points: Sequence[tuple[int, float]]) -> str:
    begin, end = points[0][0], points[-1][0]
    values = [value for _, value in points]
    low, high = min(values), max(values)
    if low == high:
        low, high = min(0.0, low), max(high, low + 1)

    def x(at: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * ((at - begin) / (end - begin or 1))

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    line = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in points)
    marks = "".join(
        f'<circle cx="{x(at):.1f}" cy="{y(value):.1f}" r="3" fill="rgb(0, 114, 178)">'
        f"<title>{escape(f'{moment(at)}: {words.number(value, quantity.unit)}')}</title></circle>"
        for at, value in (points if len(points) <= _MOST_MARKED else points[-1:])
    )
    labels = "".join(
        f'<path d="M{_LEFT} {y(value):.1f}H{_WIDTH - _RIGHT}" stroke="var(--grid, #e3e6ea)"/>'
        + text_at(_LEFT - 4, y(value) + 4, words.number(value, quantity.unit), "end")
        for value in (low, high)
    )
    ends = text_at(_LEFT, _HEIGHT - 6, moment(begin)[:10], "start") + text_at(
        _WIDTH - _RIGHT, _HEIGHT - 6, moment(end)[:10], "end"
    )
    return (
        f'<svg class="chart" role="img" aria-label="{escape(quantity.label)} over time"'
        f' viewBox="0 0 {_WIDTH} {_HEIGHT}" style="max-width:{_WIDTH}px">{labels}'
        f'<polyline points="{line}" fill="none" stroke="rgb(0, 114, 178)" stroke-width="1.6"/>'
        f"{marks}{ends}</svg>"
    )
