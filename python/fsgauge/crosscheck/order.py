"""What every cross-check does alike: one device, pairs as blocks, who goes first."""

from __future__ import annotations

import random
from typing import TypeVar

from fsgauge.study.model import Study
from fsgauge.study.storage import first_device

Name = TypeVar("Name", bound=str)


def tools_in_order(pairs: int, seed: int, tools: tuple[Name, Name]) -> list[tuple[Name, Name]]:
    """Who goes first in each pair: ABBA or BAAB, by lot."""
    one, other = tools
    if random.Random(seed).random() >= 0.5:  # noqa: S311 - no secret
        one, other = other, one
    return [(one, other) if pair % 2 == 0 else (other, one) for pair in range(pairs)]


def first_device_alone(study: Study, pairs: int) -> Study:
    """A pair is a block of its own: another seed, other offsets. Both tools use one device."""
    plan = study.plan.model_copy(update={"blocks": pairs, "budget": None})
    return study.model_copy(update={"plan": plan, "storage": first_device(study.storage)})
