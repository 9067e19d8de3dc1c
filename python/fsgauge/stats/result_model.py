"""The base of every part of report.json."""

from __future__ import annotations

from typing import Protocol, Self

from pydantic import BaseModel, ConfigDict


class ResultModel(BaseModel):
    """Part of report.json."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


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
