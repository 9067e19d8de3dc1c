"""The second race, around the winner of a sample: what differs from it in an option or two."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable
from typing import Any

from fsgauge.study.system import MOST_SYSTEMS
from fsgauge.study.varying import SAMPLED, around, combinations, points_of, system_at


def is_sampled(text: str) -> bool:
    """Whether a study has so many combinations that only some are raced."""
    tables = tomllib.loads(text)["system"]
    return sum(combinations(each.get("vary", {})) for each in tables) > MOST_SYSTEMS


def second_tables(text: str, winner: str, seeds: Iterable[int] = (0,)) -> list[dict[str, Any]]:
    """The [[system]] tables around a winner of the race of this text: the first race's baseline,
    the winner, then its neighbours. The sample is that of one of the seeds: which one does not
    matter, as a name is the same combination in all."""
    tables = tomllib.loads(text)["system"]
    raced = [
        (table, point)
        for seed in seeds
        for table, points in zip(tables, points_of(tables, random.Random(seed)), strict=True)  # noqa: S311 - no secret
        for point in points
    ]
    baseline = next(system_at(table, point) for table, point in raced)
    for table, point in raced:
        if system_at(table, point)["name"] == winner:
            near = [
                system_at(table, each) for each in around(table.get("vary", {}), point, SAMPLED)
            ]
            found = {each["name"]: each for each in [baseline, *near]}
            return list(found.values())
    return [baseline]
