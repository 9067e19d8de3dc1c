"""What others published about the same question, to stand beside a report's own numbers.

Data from kinds/KIND/published.toml; never mixed with what was measured here.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TypeVar

from pydantic import BaseModel, ConfigDict


class Published(BaseModel):
    """Part of a kind's published.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)


P = TypeVar("P", bound=Published)


def read_published(kind: str, model: type[P]) -> P:
    """What is published on a kind's question."""
    path = files(f"fsgauge.kinds.{kind}") / "published.toml"
    return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
