"""The answer and the main numbers as Markdown: a table for a pull request."""

from __future__ import annotations

import re

from fsgauge.errors import escaped
from fsgauge.report.tables import ComparisonRow, primary_lines
from fsgauge.stats.results import Results

_SPECIAL = re.compile(r"[\\`*_|<>\[\]#]")
_HEAD = ("load", "system", "value", "95 % interval", "ratio", "95 % interval", "verdict")


def markdown(results: Results) -> str:
    """The answer, and a row for each primary cell and system; the baseline's has no ratio."""
    rows = [_HEAD, ("---",) * len(_HEAD), *(_row(line) for line in primary_lines(results))]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"**{_plain(results.answer)}**\n\n{table}\n"


def _row(line: ComparisonRow) -> tuple[str, ...]:
    words = (
        line.cell,
        line.system,
        line.value,
        line.interval,
        line.ratio or line.ratio_interval,
        line.ratio_interval if line.ratio else "",
        f"{line.glyph} {line.verdict}".strip(),
    )
    return tuple(map(_plain, words))


def _plain(text: str) -> str:
    """Names of systems are anyone's: no sign in them means anything to Markdown or HTML."""
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", escaped(text))
