"""Writes the report of a results folder.

Takes the folder; makes report.html, report.json and charts/NAME.svg in it, and the sheets of paper
that are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fsgauge.errors import RigError, escaped
from fsgauge.plain_files import cannot_write
from fsgauge.report import drawing
from fsgauge.report.charts.forest import forest, further_forest
from fsgauge.report.charts.latency import latency_percentiles
from fsgauge.report.charts.processor import processor_time
from fsgauge.report.charts.race import survival
from fsgauge.report.charts.series import time_series
from fsgauge.report.disclosure import render_disclosure
from fsgauge.report.draw import Drawing
from fsgauge.report.durability import marked_drawings
from fsgauge.report.faults import struck_series
from fsgauge.report.hosts import over_hosts
from fsgauge.report.page import render_page, render_summary
from fsgauge.report.page_of_kind import page_of
from fsgauge.report.table_parts import TableCell
from fsgauge.report.tables import ComparisonRow, primary_lines
from fsgauge.stats.read import naming_changes, read_stored
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.seals import understood


@dataclass(frozen=True)
class Report:
    """The report of a results folder: its records, what statistics made of them, its pictures."""

    stored: StoredStudy
    results: Results

    @cached_property
    def drawings(self) -> dict[str, Drawing]:
        """Every picture that has something to show, by name, in the order of the page."""
        return draw_all(self.results, self.stored)

    def write(self) -> Path:
        """report.html, report.json and charts/, in the folder; gives the path of the page. Raises
        RigError, and InputError where another folder is in its place."""
        pages = {f"charts/{each.name}.svg": each.alone for each in self.drawings.values()}
        pages |= {"report.json": self.results.model_dump_json(indent=1), "report.html": self.page()}
        write_beside(self.stored, pages)
        return self.stored.directory / "report.html"

    def page(self) -> str:
        """The page that is read on a screen."""
        return render_page(self.results, self.stored, self.drawings)

    def summary(self) -> str:
        """The page of one sheet of paper."""
        return render_summary(self.results, self.stored, self.drawings)

    def markdown(self) -> str:
        """The answer and the main numbers, for a pull request."""
        return markdown(self.results)

    def disclosure(self) -> str:
        """How it was measured, on one sheet of paper."""
        return render_disclosure(self.results, self.stored)


def read_report(
    directory: Path, disk: Sequence[str] = (), *, accept_changed: bool = False
) -> Report:
    """The report of a results folder, not yet written.

    `disk` are KEY=VALUE that change the disk for which a study predicts rates.

    Raises InputError when the folder holds no readable study, RigError when its records were
    changed, unless that is accepted: then the report names them.
    """
    drawing.begin()
    stored = read_results(directory, accept_changed=accept_changed)
    with understood(stored.changes):
        return Report(stored, naming_changes(read_stored(stored, disk), stored.changes))


def write_report(
    directory: Path, disk: Sequence[str] = (), *, accept_changed: bool = False
) -> Path:
    """Make the report of a results folder and give the path of its page; raises as `read_report`,
    and RigError when it cannot be written."""
    report = read_report(directory, disk, accept_changed=accept_changed)
    with understood(report.stored.changes):
        return report.write()


def write_beside(stored: StoredStudy, files: Mapping[str, str | bytes]) -> None:
    """Write files, by name, into the folder of the records; raises as `Report.write` does."""
    directory = stored.directory
    try:
        with stored.folder.opened() as folder:
            for name, content in files.items():
                folder.write(name, content)
    except OSError as error:
        refused = cannot_write(directory / name, error)
        raise RigError(
            f"cannot write the report into {directory}: {error.strerror}",
            details=(refused.what, *refused.details),
            cause=f"{refused.cause}; the records are untouched",
            next=f"copy {directory} to a place where you may write, and repeat",
        ) from error


def draw_all(results: Results, stored: StoredStudy) -> dict[str, Drawing]:
    """Every picture that has something to show, by name, in the order of the page."""
    page = page_of(results)
    drawings = (
        *page.pictures(results),
        survival(results),
        forest(results, is_all=page.draws_every_ratio),
        further_forest(results) if page.draws_every_ratio else None,
        over_hosts(results),
        latency_percentiles(results, stored.runs),
        processor_time(results),
        time_series(results, stored.runs),
        struck_series(results, stored.struck_runs),
    )
    found = {drawing.name: drawing for drawing in drawings if drawing is not None}
    for name in page.left_out(found, results):
        found.pop(name, None)
    return marked_drawings(found, results)


_SPECIAL = re.compile(r"[\\`*_|<>\[\]#]")
_HEAD = ("load", "system", "value", "95 % interval", "ratio", "95 % interval", "verdict")


def markdown(results: Results) -> str:
    """The answer, and its kind's own tables, or a row for each primary cell and system, where the
    baseline's has no ratio."""
    own = page_of(results).markdown_tables(results)
    tables = [_table([c.label for c in t.columns], map(_cells, t.rows)) for t in own]
    if not own:
        tables = [_table(_HEAD, map(_row, primary_lines(results)))]
    return "\n\n".join([f"**{_plain(results.answer)}**", *tables]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ("---",) * len(head), *(map(_plain, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(row: Sequence[TableCell]) -> list[str]:
    return [f"{cell.text} ({cell.below})" if cell.below else cell.text for cell in row]


def _row(line: ComparisonRow) -> tuple[str, ...]:
    return (
        line.cell,
        line.system,
        line.value,
        line.interval,
        line.ratio or line.ratio_interval,
        line.ratio_interval if line.ratio else "",
        f"{line.glyph} {line.verdict}".strip(),
    )


def _plain(text: str) -> str:
    """Names of systems are anyone's: no sign in them means anything to Markdown or HTML."""
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", escaped(text))
