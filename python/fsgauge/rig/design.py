"""Which of two designs a study gets: systems measured side by side, or one after the other.

Side by side, partners of a ratio stand seconds apart; one by one, as long as a turn takes, and
their ratios are wider by what the machine does meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.storage import has_place_for_each
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of


@dataclass(frozen=True)
class Design:
    """`because` says why systems are measured one by one where the study would not have it so."""

    side_by_side: bool
    because: str = ""


def design_of(rig: Rig, study: Study) -> Design:
    """What the study asks for and the rig can do; InputError where it insists on what cannot be."""
    asked = study.plan.side_by_side
    if asked == "false":
        return Design(side_by_side=False)
    if has_place_for_each(study.storage):
        asked = "true"
    if asked == "auto" and not _any_in_slices(study):
        because = "no cell of this study can be measured in slices"
    else:
        because = rig.hindrance(study)
    if because and asked == "true":
        raise InputError(
            "the systems cannot be measured side by side",
            cause=because,
            next=_way_out(study),
        )
    return Design(side_by_side=not because, because=because)


def _way_out(study: Study) -> str:
    if has_place_for_each(study.storage):
        return "name one device, which measures them one by one and is wider"
    return "--set plan.side_by_side=false measures them one by one, which is wider"


def _any_in_slices(study: Study) -> bool:
    method = method_of(study.workload)
    return any(not method.slicing(cell).is_whole for cell in cells_of(study.workload))
