"""The page of many results folders: history.html, history.json and its picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsgauge.report import words
from fsgauge.report.charts.history import history_chart
from fsgauge.report.compared import write_pages
from fsgauge.report.template import template
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.folders.change_points import FEWEST
from fsgauge.stats.folders.history import History


@dataclass(frozen=True)
class StepLine:
    """One step in words."""

    cell: str
    system: str
    since: str
    ratio: str
    interval: str
    glyph: str
    direction: str
    changed: str


def step_lines(history: History) -> list[StepLine]:
    """Every step of every series, in order of the series."""
    return [
        StepLine(
            cell=series.cell,
            system=series.system,
            since=step.label,
            ratio=words.ratio(step.ratio),
            interval=words.ratio_range(step.low, step.high),
            glyph=GLYPHS[step.direction],
            direction=step.direction,
            changed="; ".join(step.changed) or "nothing found",
        )
        for series in history.series
        for step in series.steps
    ]


def summary(history: History) -> str:
    """What was found, in a sentence; data that a folder lost comes before steps."""
    if not history.data_lost:
        return _steps_found(history)
    first, *others = history.data_lost
    more = f" Data was lost in {', '.join(others)} too." if others else ""
    return f"Not valid: {first}: {history.reasons[first]}{more} {_steps_found(history)}"


def _steps_found(history: History) -> str:
    count = len(history.folders)
    if not history.enough:
        return f"{count} folders are too few to see a step in: {FEWEST} are needed."
    steps = sum(len(series.steps) for series in history.series)
    many = len(history.series)
    where = f"in {many} series of {count} folders"
    if steps == 0:
        return f"No step {where}."
    return f"{steps} {'step' if steps == 1 else 'steps'} {where}."


def cautions(history: History) -> list[str]:
    """What the reader has to know before the numbers."""
    return [
        *history.changed,
        *(
            f"{label} is left out, as it is not valid: {history.reasons[label]}"
            for label in history.left_out
        ),
        *(f"followed despite {each.fact}: {each.a} / {each.b}" for each in history.despite),
    ]


def write_history(history: History, output: Path) -> Path:
    """Write the page, its data and its picture into `output`; RigError where that cannot be."""
    drawing = history_chart(history)
    page = template("history.html.j2").render(
        history=history,
        answer=summary(history),
        cautions=cautions(history),
        steps=step_lines(history),
        drawing=drawing,
        words=words,
    )
    pages = {"history.json": history.model_dump_json(indent=1), "history.html": page}
    if drawing is not None:
        pages["charts/history.svg"] = drawing.alone
    write_pages(output, pages)
    return output / "history.html"
