"""What a study set out to measure, and whether it knows enough to end before its last block.

It may end early by the width of intervals alone: stopping on significance would inflate errors;
the width says nothing of where the ratio lies. It is looked at after whole blocks only, and not
before the sixth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.plan.levels import LEVEL, STOPPING_LEVEL
from fsgauge.record.records import Cell, Plan, RunRecord, StudyRecord
from fsgauge.stats.analysis import Analysis, Interval, kind_of
from fsgauge.stats.compare import compare_all
from fsgauge.stats.curve.analysis import CurveAnalysis
from fsgauge.stats.curve.blocks import of_loads, samples_of
from fsgauge.stats.run_checks import rate_offered
from fsgauge.stats.samples import is_complete, whole_blocks

DEFAULT_EQUIVALENCE_PERCENT = 3.0


def without_paths(study: StudyRecord) -> StudyRecord:
    """The study's own turns: those over paths beside a server are no samples of it. Of a curve, in
    the cells of its loads."""
    turns = [turn for turn in study.plan.turns if not turn.over_path]
    plan = of_loads(study.plan.model_copy(update={"turns": turns}))
    return study.model_copy(update={"plan": plan})


def primary_cells(plan: Plan) -> list[Cell]:
    """The cells that the study named as those the answer is about; all, if it named none."""
    named = [cell for cell in plan.cells if cell.id in plan.primary or cell.name in plan.primary]
    return named or plan.cells


def primary_metrics(
    study: StudyRecord, runs: Sequence[RunRecord], analysis: Analysis
) -> dict[str, str]:
    paced = any(rate_offered(run) is not None for run in runs)
    return {cell.id: analysis.primary_metric(cell, paced=paced) for cell in study.plan.cells}


def margin_percent(study: StudyRecord) -> float:
    """The difference that the study calls none."""
    settings = study.study.get("plan", {})
    return float(settings.get("equivalence_percent", DEFAULT_EQUIVALENCE_PERCENT))


FEWEST_BLOCKS = 6


@dataclass(frozen=True)
class Stopping:
    """How far a study has come. `enough`: it asked to stop at a width, and whole blocks gave it.

    `widest_percent` is the furthest that an interval reaches from its ratio, None while any ratio
    that the study is about has no interval; `blocks` are those that are whole for every cell that
    the study is about; `plan` is that of the blocks up to the last of these.
    """

    enough: bool
    widest_percent: float | None
    blocks: int
    plan: Plan


def widest_percent(ratios: Sequence[Interval]) -> float | None:
    """The furthest that an interval reaches from its ratio, in percent. None while any of them has
    no interval."""
    reaches = []
    for entry in ratios:
        if entry.low is None or entry.high is None:
            return None
        reaches.append(max(entry.high / entry.ratio - 1, 1 - entry.low / entry.ratio))
    return 100 * max(reaches) if reaches else None


def stop_interval(study: StudyRecord) -> float | None:
    """The width at which the study asked to stop, in percent."""
    limit = study.study.get("plan", {}).get("stop_interval")
    return None if limit is None else float(limit)


def level_of(study: StudyRecord) -> float:
    """The level at which its intervals are drawn so that they hold the truth as 95 % promise."""
    return LEVEL if stop_interval(study) is None else STOPPING_LEVEL


def state_of(study: StudyRecord, runs: Sequence[RunRecord]) -> Stopping:
    """The state of a study with these runs, without those over paths beside a server. Runs of a
    block after the last whole one are not looked at: what was enough stays enough."""
    study = without_paths(study)
    analysis, margin = analysis_of(study), margin_percent(study)
    primary = [cell.id for cell in primary_cells(study.plan)]
    whole = whole_blocks(study.plan, filter(is_complete, runs), primary)
    plan = first_blocks(study.plan, whole[-1] + 1 if whole else 0)
    samples = samples_of(plan, runs, level=level_of(study))
    comparisons = compare_all(samples, primary, margin)
    metrics = primary_metrics(study, runs, analysis)
    widest = widest_percent(analysis.primary_ratios(comparisons, metrics, samples, margin))
    limit = stop_interval(study)
    enough = limit is not None and len(whole) >= FEWEST_BLOCKS
    enough = enough and widest is not None and limit is not None and widest <= limit
    return Stopping(enough, widest, len(whole), plan)


def first_blocks(plan: Plan, blocks: int) -> Plan:
    """The plan as it was carried out: its first `blocks` blocks, whole or not."""
    return plan.model_copy(update={"turns": [turn for turn in plan.turns if turn.block < blocks]})


def analysis_of(study: StudyRecord) -> Analysis:
    """What its kind says, or of a load curve what is said of any; InputError for a kind that this
    fsgauge does not have."""
    kind = kind_of(study)
    try:
        found = cast(Analysis, kinds.part(kind, "analysis").ANALYSIS)
    except KeyError:
        raise InputError(
            f"{study.plan.study} is a study of kind {kind}, which this fsgauge does not have",
            details=(f"it has {', '.join(kinds.names())}",),
            cause="a newer fsgauge measured it",
            next="read it with the fsgauge that measured it",
        ) from None
    return found if study.plan.curve is None else CurveAnalysis(found)
