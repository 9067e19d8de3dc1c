"""What came of a prediction: the band of its numbers, over devices and levels, and whether it is
met.

The numbers are simulated. They are held against the publication as they are, without the intervals
over seeds: what is unknown is the device, and the band has that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from fsgauge.published.ledger import Claim
from fsgauge.published.runs import JudgedRun, Observed
from fsgauge.published.trial import Prediction
from fsgauge.published.verdict import MARGIN
from fsgauge.units import figure

Met = Literal["missed", "fitted", "no proof", "met", "answered", "not run"]
GRAVEST_FIRST: tuple[Met, ...] = get_args(Met)


@dataclass(frozen=True)
class Predicted:
    """One prediction: `low` and `high` of all devices and levels; None before its runs."""

    prediction: Prediction
    published: float | None
    low: float | None
    high: float | None
    met: Met
    words: str
    runs: tuple[JudgedRun, ...]

    @property
    def is_run(self) -> bool:
        """Whether there is a number of each device."""
        return self.low is not None

    @property
    def why(self) -> str:
        """What is to be known of it: why it is missed, or proves nothing, or what it answers."""
        about = self.prediction
        return {
            "missed": about.missed,
            "fitted": about.fitted,
            "no proof": about.no_proof,
            "answered": about.answer,
        }.get(self.met, "")


def predicted(claim: Claim, prediction: Prediction, runs: Sequence[JudgedRun | None]) -> Predicted:
    """What runs of its studies, in their order, make of a prediction."""
    published = claim.published_ratio(prediction)
    kept = [run for run in runs if run is not None]
    seen = [run.of(claim, prediction) for run in kept]
    if len(kept) < len(runs) or not all(seen):
        waits = ", ".join(prediction.studies)
        words = f"waits for a simulation: {waits}"
        return Predicted(prediction, published, None, None, "not run", words, tuple(kept))
    values = [each.value for one in seen for each in one]
    low, high = min(values), max(values)
    met = _met(prediction, published, low, high)
    words = _band(low, high, seen)
    return Predicted(prediction, published, low, high, met, words, tuple(kept))


def _met(prediction: Prediction, published: float | None, low: float, high: float) -> Met:
    if prediction.rule == "open":
        return "answered"
    bound = published if published is not None else 1.0
    # What lies nearer to 1 than this is no change.
    barely = 0.005 if published is None else 0.0
    is_met = {
        "within": low * (1 - MARGIN) <= bound <= high * (1 + MARGIN),
        "at least": low >= bound,
        "above": low > bound + barely,
        "below": high < bound - barely,
    }[prediction.rule]
    if not is_met:
        return "missed"
    if prediction.fitted:
        return "fitted"
    return "no proof" if prediction.no_proof else "met"


def _band(low: float, high: float, seen: Sequence[Sequence[Observed]]) -> str:
    """ "14 to 31.2 over 2 devices"; "0.3 to 0.78 over 20 levels"."""
    cells = len(seen[0])
    over = [f"{len(seen)} devices"] if len(seen) > 1 else []
    over += [f"{cells} levels"] if cells > 1 else []
    first, last = figure(low), figure(high)
    span = first if first == last else f"{first} to {last}"
    return f"{span} over {' and '.join(over)}" if over else span
