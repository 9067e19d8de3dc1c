"""The page of a publication: its figures and claims beside ours, in one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fsgauge.published.archive import LeftOut
from fsgauge.published.ledger import Ledger
from fsgauge.published.page import figure_words, run_words
from fsgauge.published.standing import Standing
from fsgauge.report.compared import write_pages
from fsgauge.report.theme import template


def write_publication(
    path: Path,
    ledger: Ledger,
    standings: Sequence[Standing],
    left_out: Sequence[LeftOut],
) -> Path:
    """Write the page; gives its path. RigError where it cannot be written."""
    runs = {run.study: run for standing in standings for run in standing.runs}
    counts = Counter(standing.word for standing in standings)
    page = template("publication.html.j2").render(
        source=ledger.publication,
        rows=[
            (each, [figure_words(figure) for figure in each.claim.figures]) for each in standings
        ],
        counts=counts.most_common(),
        runs=[run_words(run).replace("`", "") for run in runs.values()],
        left_out=left_out,
    )
    write_pages(path.parent, {path.name: page})
    return path
