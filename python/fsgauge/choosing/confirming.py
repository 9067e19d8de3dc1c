"""What a race of models found, as a study that measures it: a full plan over the finalists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.study.dump import dump_study
from fsgauge.study.model import LoopStorage, PlanSettings, SimulatedStorage, Study, System
from fsgauge.study.policies import POLICIES

_FEWEST = 2


def on_host(study: Study, finalists: Sequence[str]) -> str:
    """The text of a study of the finalists on a file of this machine; "" where fewer than two of
    them are file systems, or nothing was simulated. Of a model that stands for one, as it is by
    itself, that one; what that makes twice is there once."""
    if not isinstance(study.storage, SimulatedStorage):
        return ""
    systems = list(_real([each for each in study.systems if each.name in finalists]))
    if len(systems) < _FEWEST:
        return ""
    plan = PlanSettings(
        primary=study.plan.primary, equivalence_percent=study.plan.equivalence_percent
    )
    update = {
        "name": f"{study.name}-finalists",
        "storage": LoopStorage(size=study.storage.size),
        "systems": systems,
        "plan": plan,
    }
    return dump_study(study.model_copy(update=update))


def _real(systems: Sequence[System]) -> Iterator[System]:
    given: list[System] = []
    for system in systems:
        policy = POLICIES.get(system.kind)
        if policy is not None and (not policy.stands_for or system.settings):
            continue
        real = system.model_copy(update={"kind": policy.stands_for} if policy else {})
        if (nameless := real.model_copy(update={"name": ""})) not in given:
            given.append(nameless)
            yield real
