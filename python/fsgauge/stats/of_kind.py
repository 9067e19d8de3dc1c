"""What says of a recorded study what only its kind has, or of a load curve what any has."""

from __future__ import annotations

from typing import cast

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.record.records import StudyRecord
from fsgauge.stats.analysis import Analysis, kind_of
from fsgauge.stats.curve.analysis import CurveAnalysis


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
