"""Two ends of a model's range: one study with the shortest and with the longest times. Between them
there is nothing to decide: with the longest times a model is never faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fsgauge.stats.folders.same_conditions import Side, Unlike, is_simulated, unlike
from fsgauge.stats.result_model import ResultModel

TIMES = "storage.times"
"""The fact in which the two differ, and that --despite takes as well."""
End = Literal["shortest", "longest"]


class Ends(ResultModel):
    """The model, which end A and B have, and the seeds of both: of one seed, blocks are alike."""

    model: str
    a: End
    b: End
    seeds_a: list[int]
    seeds_b: list[int]


def ends_of(a: Sequence[Side], b: Sequence[Side]) -> Ends | None:
    """The ends that all folders of A and all of B have; None where they are no such pair. Where
    another fact differs that should be equal, a difference may come from that one too."""
    if not all(is_simulated(side) for side in (*a, *b)):
        return None
    if {name for side in (*a[1:], *b) for name, _, _ in unlike(a[0], side)} != {TIMES}:
        return None
    end_a, end_b = _end(a), _end(b)
    if end_a is None or end_b is None:
        return None
    model = str(a[0].study.study["storage"]["model"])
    return Ends(model=model, a=end_a, b=end_b, seeds_a=_seeds(a), seeds_b=_seeds(b))


def without_times(differences: Sequence[Unlike]) -> list[Unlike]:
    """The differences; the one between two ends is what is shown, and no exception."""
    return [
        each.model_copy(update={"despite": False}) if each.fact == TIMES else each
        for each in differences
    ]


def _end(sides: Sequence[Side]) -> End | None:
    """The end that all have; None where they have both."""
    found: set[End] = {side.study.study["storage"].get("times") for side in sides}
    return found.pop() if len(found) == 1 else None


def _seeds(sides: Sequence[Side]) -> list[int]:
    return sorted({side.study.plan.seed for side in sides})
