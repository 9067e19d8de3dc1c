"""What a comparison is: two tools that do the same, the measures taken of both, and a goal for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


class Skipped(Exception):  # noqa: N818 (it is no error)
    """A bench that cannot run here; its text says why and what helps."""


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
    clean_up: list[Callable[[], None]] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for action in self.clean_up:
            action()
