"""The points of a sweep: a study for each number of years and each profile."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from pydantic import ValidationError

from fsgauge.errors import InputError
from fsgauge.study.model import Study
from fsgauge.study.sweep_keys import SweepKeys, pairs_of


@dataclass(frozen=True)
class Point:
    """One life of every system: after so many years, with such files."""

    years: float
    profile: str
    study: Study


def points_of(study: Study, sweep: SweepKeys) -> list[Point]:
    """All of them, profile by profile; InputError for a profile that cannot be."""
    return [
        Point(years, profile, _point(study, sweep, years, profile))
        for profile, years in product(sweep.profiles, sorted(sweep.years))
    ]


def _point(study: Study, sweep: SweepKeys, years: float, profile: str) -> Study:
    document: dict[str, Any] = study.model_dump(mode="json", by_alias=True)
    del document["sweep"]
    workload = document["workload"]
    for key, value in pairs_of(profile).items():
        workload[key] = _value(value)
    workload[study.workload.rewrites] = 1.0 + years * sweep.rewrites_a_year
    try:
        return Study.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f'sweep.profiles: "{profile}" cannot be: {first["msg"]}',
            next="fsgauge explain sweep.profiles",
        ) from None


def _value(text: str) -> object:
    """A number as a number; all else is text with its unit."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
