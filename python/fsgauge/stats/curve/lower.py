"""What to ask where the least rate is over the limit already: lower rates, or a higher limit.

A load of which single operations take longer than the limit has no lower rate that would help.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fsgauge.record.modes import Curve
from fsgauge.stats.curve.blocks import BlockCurve
from fsgauge.stats.curve.model import LimitedBy
from fsgauge.stats.curve.point import operations_needed, share_waited_for
from fsgauge.units import exact_duration

_LONGER = 4
"""Times the duration: the least rate is so much lower, and the study as much longer."""
_NEAR = 1.5
"""Of the operations that a quantile needs: a run with fewer could not have offered less."""
_ABOVE = 2.0
"""Of the latency that was seen."""


def what_helps(
    curves: Sequence[BlockCurve], curve: Curve, study: Mapping[str, Any], by: LimitedBy
) -> str:
    """The next command, in words that begin with what it brings."""
    found = [each.found for each in curves if each.found is not None]
    if by == "service":
        seen_ns = min(each.latency_ns for each in found)
        return f"a higher limit: --set 'plan.latency_limit={exact_duration(_round_ns(seen_ns))}'"
    duration = study["workload"].get("duration")
    known = [point for each in curves for point in each.points if point.is_known]
    least = min(known, key=lambda point: point.rate)
    share = 1.0 if least.run.result is None else share_waited_for(least.run, least.run.result)
    if duration and least.rate * share * duration / 1e9 < _NEAR * operations_needed(curve):
        longer = exact_duration(_LONGER * duration).replace(" ", "")
        return f"lower rates: --set workload.duration={longer}"
    return f"lower rates: --set plan.blocks={2 * study['plan']['blocks']}"


def longer_runs(study: Mapping[str, Any], words: str) -> str:
    """With the duration that is proposed; `words` are those of a load without one."""
    duration = study["workload"].get("duration")
    if not duration:
        return words
    longer = exact_duration(_LONGER * duration).replace(" ", "")
    return f"longer runs (--set workload.duration={longer})"


def _round_ns(seen_ns: float) -> int:
    """1, 2 or 5 of a decade, above twice what was seen."""
    wanted = _ABOVE * seen_ns
    decade: int = 10 ** math.floor(math.log10(wanted))
    return next(each for each in (decade, 2 * decade, 5 * decade, 10 * decade) if each >= wanted)
