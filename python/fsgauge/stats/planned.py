"""What a study set out to measure, as its record has it: its turns, its cells, its margin."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.record import Cell, RunRecord, StudyRecord
from fsgauge.stats.analysis import Analysis

DEFAULT_EQUIVALENCE_PERCENT = 3.0


def without_paths(study: StudyRecord) -> StudyRecord:
    """The study's own turns: those over paths beside a server are no samples of it."""
    turns = [turn for turn in study.plan.turns if not turn.over_path]
    return study.model_copy(update={"plan": study.plan.model_copy(update={"turns": turns})})


def primary_cells(study: StudyRecord) -> list[Cell]:
    """The cells that the study named as those the answer is about; all, if it named none."""
    plan = study.plan
    named = [cell for cell in plan.cells if cell.id in plan.primary or cell.name in plan.primary]
    return named or plan.cells


def primary_metrics(
    study: StudyRecord, runs: Sequence[RunRecord], analysis: Analysis
) -> dict[str, str]:
    """What each cell is judged by."""
    paced = any(run.load is not None and run.load.rate is not None for run in runs)
    return {cell.id: analysis.primary_metric(cell, paced=paced) for cell in study.plan.cells}


def margin_percent(study: StudyRecord) -> float:
    """The difference that the study calls none."""
    settings = study.study.get("plan", {})
    return float(settings.get("equivalence_percent", DEFAULT_EQUIVALENCE_PERCENT))
