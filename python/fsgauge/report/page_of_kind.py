"""Which page shows results: that of their kind, or of a load curve."""

from __future__ import annotations

from typing import cast

from fsgauge import kinds
from fsgauge.report.kind_page import KindPage
from fsgauge.report.load_curve import PAGE
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.results import Results


def page_of(results: Results) -> KindPage:
    if CurveResults.of(results) is not None:
        return PAGE
    return cast(KindPage, kinds.part(results.kind, "page").PAGE)
