"""The points of a sweep: a study for each number of years and each profile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from pydantic import ValidationError

from fsgauge.study.document import Document, Origin
from fsgauge.study.locate import Spans
from fsgauge.study.mistakes import explain_mistake
from fsgauge.study.model import Study
from fsgauge.study.settings import SweepKeys, pairs_of


@dataclass(frozen=True)
class Point:
    """One life of every system: after so many years, with such files."""

    years: float
    profile: str
    study: Study


def points_of(study: Study, sweep: SweepKeys) -> list[Point]:
    """All of them, profile by profile, of a study whose points were checked."""
    return [
        Point(years, profile, Study.model_validate(_point(study, sweep, years, profile)))
        for profile, years in product(sweep.profiles, sorted(sweep.years))
    ]


def check_points(study: Study, document: Document) -> None:
    """Raise InputError, with its place, for years or a profile that the workload cannot have."""
    if study.sweep is None:
        return
    # Where the last year can be, all before it can.
    years = max(study.sweep.years)
    for index, profile in enumerate(study.sweep.profiles):
        data = _point(study, study.sweep, years, profile)
        try:
            Study.model_validate(data)
        except ValidationError as error:
            found = explain_mistake(error, _as_written(document, data, study, index))
            if any(study.workload.rewrites in each["loc"] for each in error.errors()):
                found.details += (
                    f"{years:g} years of {study.sweep.rewrites_a_year:g} rewrites each make it"
                    f" {data['workload'][study.workload.rewrites]:g}",
                )
            raise found from None


def _point(study: Study, sweep: SweepKeys, years: float, profile: str) -> dict[str, Any]:
    document: dict[str, Any] = study.model_dump(mode="json", by_alias=True)
    del document["sweep"]
    workload = document["workload"]
    for key, value in pairs_of(profile).items():
        workload[key] = _value(value)
    workload[study.workload.rewrites] = 1.0 + years * sweep.rewrites_a_year
    return document


def _as_written(document: Document, data: dict[str, Any], study: Study, index: int) -> Document:
    """A point's values, each with the place in the sweep that it comes from."""
    found = Document(document.label, data, dict(document.origins))
    origin = document.origin(("sweep", "profiles", index))
    if study.sweep is None or origin is None:
        return found
    for pair in study.sweep.profiles[index].split(";"):
        key = pair.partition("=")[0].strip()
        found.put_entry(("workload", key), None, _part_of(origin, pair.strip()))
    years = document.origin(("sweep", "years")) or document.origin(("sweep",))
    if years is not None:
        found.put_entry(("workload", study.workload.rewrites), None, years)
    return found


def _part_of(origin: Origin, text: str) -> Origin:
    """Where a text stands within a value."""
    start = origin.text.find(text, *origin.spans.value)
    if start < 0:
        return origin
    span = (start, start + len(text))
    return replace(origin, spans=Spans(span, span))


def _value(text: str) -> object:
    """A number as a number; all else is text with its unit."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
