"""What any rig says of systems one by one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.rig import Rig, of_some
from fsgauge.rig.session import Session
from fsgauge.study.model import Study
from tests.synthetic_race import race_study


class Strict(Rig):
    """Refuses two of the systems, and what could not be read back on another machine."""

    name = "strict"

    def size_bytes(self, study: Study) -> int:
        return 1 << 30

    def check(self, study: Study, destroy: Consent | None) -> None:
        Study.model_validate_json(study.model_dump_json(by_alias=True))
        for system in study.systems:
            if system.name in ("two", "four"):
                raise InputError(f"no {system.name}")

    @contextmanager
    def opened(self, study: Study) -> Iterator[Session]:
        raise NotImplementedError
        yield


def test_one_system_of_a_race_is_a_study_that_another_machine_can_read() -> None:
    """A host of a fleet was sent a race of one system, which no study can be."""
    study = race_study()
    alone = of_some(study, study.systems[:1])
    assert Study.model_validate_json(alone.model_dump_json(by_alias=True)) == alone
    assert of_some(study, study.systems[:2]).plan.mode == "race"


def test_what_is_refused_is_told_by_system() -> None:
    found = Strict().refused_alone(race_study())
    assert {name: [str(each.what) for each in of] for name, of in found.items() if of} == {
        "two": ["no two"],
        "four": ["no four"],
    }
    others = [each for each in race_study().systems if each.name not in ("two", "four")]
    assert Strict().refused_alone(of_some(race_study(), others)) == {}
    assert all(isinstance(each, FsgaugeError) for of in found.values() for each in of)
