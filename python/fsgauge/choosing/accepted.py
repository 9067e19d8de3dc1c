"""What a rig refuses of single systems: each is tried by itself before a race begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.refusing import require_none
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study, System


@dataclass(frozen=True)
class Refused:
    """A system that does not begin, and why."""

    system: str
    why: str


def refused_alone(
    study: Study,
    rig: Rig,
    consent: Consent | None,
    trying: Callable[[str], None] = lambda _: None,
) -> list[Refused]:
    """The systems that mkfs, mount or the load refuses, each tried once as a run would make it.

    Raises what is refused of all of them: that is none of theirs. `trying` is told the name.
    """
    if not rig.refusals(study, consent):
        return []
    found: dict[str, list[FsgaugeError]] = {}
    for system in study.systems:
        trying(system.name)
        found[system.name] = rig.refusals(_alone(study, system), consent)
    if all(found.values()):
        require_none(next(iter(found.values())))
    return [
        Refused(name, "; ".join(each.with_last_words for each in errors))
        for name, errors in found.items()
        if errors
    ]


def _alone(study: Study, system: System) -> Study:
    return study.model_copy(update={"systems": [system]})
