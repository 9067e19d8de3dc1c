"""The printed summary: the first screen, the primary numbers and the options, on one sheet.

It fits A4 and US letter: what is too long is cut on the page itself, which says how much is left
out (templates/sheet.js).
"""

from __future__ import annotations

import hashlib

from fsgauge.report.draw import Drawing
from fsgauge.report.durability import marked_page
from fsgauge.report.kind_page import page_of
from fsgauge.report.page import page_values
from fsgauge.report.tables import primary_lines
from fsgauge.report.theme import asset, template
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy


def render_summary(results: Results, stored: StoredStudy, drawings: dict[str, Drawing]) -> str:
    """The sheet as text; it asks nothing of the network."""
    sheet = template("summary.html.j2", results.systems, results.baseline)
    made = sheet.render(
        page_values(results, stored, drawings),
        primary=primary_lines(results),
        own_tables=page_of(results).summary_tables(results),
        warnings=[finding for finding in results.findings if finding.level != "note"],
        study_sha256=study_sha256(stored),
        sheet_style=asset("sheet.css"),
        sheet_script=asset("sheet.js"),
    )
    return marked_page(made, results)


def study_sha256(stored: StoredStudy) -> str:
    """Of the file study.toml in the folder, as `sha256sum` prints it."""
    return hashlib.sha256(stored.study_toml.encode()).hexdigest()
