"""A simulation beside a measurement of the same study: how good the model was, cell by cell.

Rates of both stand beside one another and are divided, always the model's by the measured one.
Nothing is pooled: a number is the model's, or it was measured, or it is the ratio of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.report import words
from fsgauge.stats.evidence import count
from fsgauge.stats.folders.between import Between, Entry, SideFacts


@dataclass(frozen=True)
class ModelLine:
    """One cell of one system: the model's value, the measured one, and their ratio, in words."""

    cell: str
    system: str
    metric: str
    model: str
    measured: str
    ratio: str
    interval: str


def model_and_measured(between: Between) -> tuple[SideFacts, SideFacts] | None:
    """The side that was simulated and the one that was measured; None where both are alike."""
    if between.a.simulated == between.b.simulated:
        return None
    a, b = between.a, between.b
    return (a, b) if a.simulated else (b, a)


def model_lines(between: Between) -> list[ModelLine]:
    """Each primary cell of each system, the baseline too; none where both sides are alike."""
    return [_line(between, entry) for entry in _entries(between)]


def model_sentence(between: Between) -> str:
    """ "The model gives 0.61 to 1.84 times what was measured, over 4 cells of 2 systems." """
    entries = _entries(between)
    ratios = sorted(_over_measured(between, entry)[0] for entry in entries)
    if not ratios:
        return ""
    spread = " to ".join(dict.fromkeys(words.ratio(each) for each in (ratios[0], ratios[-1])))
    cells, systems = ({getattr(each, key) for each in entries} for key in ("cell", "system"))
    over = f"{count(len(cells), 'cell')} of {count(len(systems), 'system')}"
    return f"The model gives {spread} times what was measured, over {over}."


def _entries(between: Between) -> list[Entry]:
    if model_and_measured(between) is None:
        return []
    return between.primary_entries("direct")


def _over_measured(between: Between, entry: Entry) -> tuple[float, float | None, float | None]:
    """The ratio and its interval, the measured value below."""
    if between.b.simulated:
        return entry.ratio, entry.low, entry.high
    low = None if entry.high is None else 1 / entry.high
    high = None if entry.low is None else 1 / entry.low
    return 1 / entry.ratio, low, high


def _line(between: Between, entry: Entry) -> ModelLine:
    metric = between.metric(entry.metric)
    values = [words.value(each, metric.unit) for each in (entry.value_a, entry.value_b)]
    measured, model = values if between.b.simulated else reversed(values)
    ratio, low, high = _over_measured(between, entry)
    return ModelLine(
        cell=between.cell(entry.cell).name,
        system=entry.system,
        metric=metric.label,
        model=model,
        measured=measured,
        ratio=words.ratio(ratio),
        interval=words.interval(low, high, entry.blocks),
    )
