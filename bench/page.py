"""target/bench.html: every row with its interval, its goal, and earlier runs of this machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import groupby

import kept

PAGE = kept.TARGET / "bench.html"
EARLIER = 8
LEAST, MOST, WIDTH = 0.1, 10.0, 220
STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --soft: #777; --line: #ddd; --met: #1a7f37;
  --missed: #b42318; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --soft: #999; --line: #333;
  --met: #4ac26b; --missed: #ff7b72; --page: #111; } }
body { font: 14px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 2em auto; max-width: 84em; padding: 0 1em; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .2em .6em;
  border-top: 1px solid var(--line); vertical-align: middle; } th { color: var(--soft);
  font-weight: normal; } .n { text-align: right; font-variant-numeric: tabular-nums; }
.met { color: var(--met); } .missed { color: var(--missed); } .soft { color: var(--soft); }
.group { padding-top: 1.4em; font-weight: 600; color: var(--ink); }
td:nth-child(-n+6) { white-space: nowrap; } svg { display: block; } .scroll { overflow-x: auto; }
"""


def write(rows: Sequence[kept.Row]) -> None:
    """Write the page of these rows."""
    PAGE.parent.mkdir(exist_ok=True)
    new = PAGE.with_suffix(".html.new")
    new.write_text(page_of(rows))
    new.replace(PAGE)


def page_of(rows: Sequence[kept.Row]) -> str:
    """The page as HTML; rows of one group begin with the same word."""
    counts = {
        verdict: sum(row.get("verdict") == verdict for row in rows)
        for verdict in ("met", "missed", "undecided")
    }
    left_out = sum("verdict" not in row for row in rows)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>fsgauge bench</title><style>{STYLE}</style><h1>fsgauge bench</h1>",
        f"<p>{summary}, {left_out} skipped or failed, on {escape(kept.machine())}. A ratio is the"
        " engine over its peer, or what was measured over its limit; the bar is its 95 % interval,"
        f" from {LEAST:g} to {MOST:g} on a log scale with a line at 1. Pale dots: earlier runs of"
        " this machine. Met or missed: all of the interval says so.</p>",
    ]
    parts.append(
        '<div class="scroll"><table><tr><th>row<th>peer<th class="n">ratio<th>interval<th><th>goal'
        '<th>verdict<th class="n">ours<th class="n">theirs<th>unit<th class="n">load'
    )
    for group, found in groupby(sorted(rows, key=_group), key=_group):
        parts.append(f'<tr><th colspan="11" class="group">{escape(group)}')
        parts += [_row(row) for row in found]
    return "\n".join([*parts, "</table></div>"])


def _group(row: kept.Row) -> str:
    return str(row["name"]).split("-")[0]


def _row(row: kept.Row) -> str:
    name = escape(str(row["name"]))
    why = next((why for why in ("skipped", "failed") if why in row), None)
    if why is not None:
        return f'<tr><td>{name}<td colspan="10" class="soft">{why}: {escape(str(row[why]))}'
    ratio, low, high = (float(str(row[key])) for key in ("ratio", "low", "high"))
    verdict = str(row["verdict"])
    ours, theirs = figure(middle(row["engine"])), figure(middle(row["peer_values"]))
    return (
        f'<tr><td>{name}<td>{escape(str(row["peer"]))}<td class="n">{ratio:.2f}'
        f"<td>{low:.2f} to {high:.2f}<td>{_drawn(name, ratio, low, high)}"
        f'<td>{escape(str(row["goal"]))}<td class="{verdict}">{verdict}{pairs_words(row)}'
        f'<td class="n">{ours}<td class="n">{theirs}<td>{escape(str(row["unit"]))}'
        f'<td class="n">{row.get("load", "")}'
    )


def _drawn(name: str, ratio: float, low: float, high: float) -> str:
    dots = "".join(
        f'<circle cx="{_x(float(str(each["ratio"]))):.1f}" cy="9" r="2.5" fill="var(--line)"/>'
        for each in kept.earlier(name, EARLIER + 1)[:-1]
    )
    left, right = _x(low), _x(high)
    return (
        f'<svg width="{WIDTH}" height="18" role="img" aria-label="{low:.2f} to {high:.2f}">'
        f'<line x1="{_x(1):.1f}" x2="{_x(1):.1f}" y1="0" y2="18" stroke="var(--soft)"/>{dots}'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="9" y2="9" stroke="var(--ink)"'
        f' stroke-width="2"/><circle cx="{_x(ratio):.1f}" cy="9" r="3.5" fill="var(--ink)"/></svg>'
    )


def _x(ratio: float) -> float:
    share = (math.log(ratio) - math.log(LEAST)) / (math.log(MOST) - math.log(LEAST))
    return 4 + (WIDTH - 8) * min(1.0, max(0.0, share))


def pairs_words(row: kept.Row) -> str:
    """For what is not decided: how many pairs would decide it."""
    if row.get("verdict") != "undecided":
        return ""
    count = row.get("pairs_to_decide")
    return "; it is at its goal" if count is None else f"; {count} pairs would decide"


def middle(values: object) -> float:
    """The upper median."""
    assert isinstance(values, list)  # noqa: S101 - a row's values
    return float(sorted(values)[len(values) // 2])


def figure(value: float) -> str:
    """A number as a person reads it."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2f}"
