"""The page of a publication: its figures and claims beside ours, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fsgauge.published.archive import LeftOut
from fsgauge.published.ledger import Ledger
from fsgauge.published.page import figure_words, run_words
from fsgauge.published.standing import Standing
from fsgauge.report.logged import write_pages
from fsgauge.report.theme import template


def write_publication(
    path: Path, ledger: Ledger, standings: Sequence[Standing], left_out: Sequence[LeftOut]
) -> Path:
    runs = {run.study: run for standing in standings for run in standing.runs}
    counts = Counter(standing.word for standing in standings)
    lines, notes = noted([standing.lines for standing in standings])
    page = template("publication.html.j2").render(
        source=ledger.publication,
        rows=[
            (each, [figure_words(figure) for figure in each.claim.figures], here)
            for each, here in zip(standings, lines, strict=True)
        ],
        notes=notes,
        counts=counts.most_common(),
        runs=[run_words(run).replace("`", "") for run in runs.values()],
        left_out=left_out,
    )
    write_pages(path.parent, {path.name: page})
    return path


Line = tuple[str, int]
"""What stands in the table, and the note that goes on, from 1; 0 without one."""


def noted(lines: Sequence[Sequence[str]]) -> tuple[list[list[Line]], list[str]]:
    """The lines of each claim, and the notes: what ends more than one line is said once, so that
    numbers are seen."""
    ends = Counter(end for each in lines for line in each for end in _ends(line))
    notes: list[str] = []

    def of(line: str) -> Line:
        note = next((end for end in _ends(line) if ends[end] > 1), "")
        if not note:
            return line, 0
        if note not in notes:
            notes.append(note)
        return line.removesuffix(f"; {note}"), notes.index(note) + 1

    return [[of(line) for line in each] for each in lines], notes


def _ends(line: str) -> list[str]:
    """What follows each semicolon of a line, up to its end; the longest first."""
    parts = line.split("; ")
    return ["; ".join(parts[at:]) for at in range(1, len(parts))]
