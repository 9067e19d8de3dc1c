"""The base of every part of report.json."""

from __future__ import annotations

from typing import Protocol, Self

from fsgauge.plain_files.kept import Kept


class ResultModel(Kept):
    """Part of report.json."""


class HasOwn(Protocol):
    """Results, or what they are made from."""

    @property
    def own(self) -> OwnResults | None:
        """What only a study of this kind has."""
        ...


class OwnResults(ResultModel):
    """What only one kind of study has; each kind has its model."""

    @classmethod
    def of(cls, holder: HasOwn) -> Self | None:
        """The kind's own results, where the study is of this kind."""
        return holder.own if isinstance(holder.own, cls) else None

    @classmethod
    def within(cls, holder: HasOwn) -> Self:
        """The same of a kind whose analysis always gives them; TypeError elsewhere."""
        found = cls.of(holder)
        if found is None:
            raise TypeError(f"a study of another kind has no {cls.__name__}")
        return found


class StruckRun(ResultModel):
    """A run that was struck on purpose, by one fault. Moments count from the beginning of its load;
    `before`, `during` and `after` are operations per second, `recovered_ns` how long after the end
    of the fault the rate was back at nine tenths of that before; `hindered` why the fault was not
    carried out as planned."""

    block: int
    system: str
    cell: str
    cell_name: str
    fault: str
    began_ns: int | None
    ended_ns: int | None
    back_ns: int | None
    before: float | None
    during: float | None
    after: float | None
    recovered_ns: int | None
    run_fault: str
    words: list[str]
    hindered: str
