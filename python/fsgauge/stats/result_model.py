"""The base of every part of report.json."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ResultModel(BaseModel):
    """Part of report.json."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
