"""What a comparison is: two tools that do the same, and measures of both with their goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class Skipped(Exception):
    """A bench that cannot run here; its text says why and what helps."""


class Failed(Exception):
    """A tool that did not do its work; its text says which and what it said."""


@dataclass(frozen=True)
class Sample:
    """What one run of one tool gave: a number for each measure, above 0."""

    values: dict[str, float]


@dataclass(frozen=True)
class Measure:
    """One number that is compared."""

    key: str
    short: str
    unit: str
    goal: str
    """The goal as a person reads it."""
    meets: Callable[[float, list[Sample]], bool]
    """Judges the mean ratio; the engine's samples are there for goals with a condition."""
    limit: float | None = None
    """What the engine is held to in place of the peer, which has no such number."""


def no_remark(samples: list[Sample]) -> str:
    """Say nothing about a comparison."""
    del samples
    return ""


@dataclass
class Comparison:
    """The engine and one peer on the same work."""

    peer: str
    measures: list[Measure]
    engine: Callable[[], Sample]
    other: Callable[[], Sample]
    remark: Callable[[list[Sample]], str] = no_remark


def expect(found: int, wanted: int, what: str) -> None:
    """End where not all was done: what is fast because it is not done is not fast."""
    if found != wanted:
        raise Failed(f"{found} {what}, and there should be {wanted}")
