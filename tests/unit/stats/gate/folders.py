"""Small synthetic folders of one study, one a day, as a gate takes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsgauge.record.records import Cell
from fsgauge.stats.folders.same_conditions import Side
from tests.synthetic import make_study
from tests.synthetic.recipe import default_effect
from tests.synthetic.study import SyntheticStudy

SMALL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (1, 32),
    "blocks": 4,
}
DAY_NS = 86_400 * 10**9


def study(number: int, *, slower: dict[str, float] | None = None, **changes: Any) -> SyntheticStudy:
    """The study of day `number`; `slower` are factors on the rates of systems."""
    factors = slower or {}

    def effect(system: str, cell: Cell) -> float:
        return default_effect(system, cell) * factors.get(system, 1.0)

    made = make_study(**{**SMALL, "seed": number, "effect": effect, **changes})
    started = made.study.started_unix_ns + number * DAY_NS
    return replace(made, study=made.study.model_copy(update={"started_unix_ns": started}))


def side(number: int, *, slower: dict[str, float] | None = None, **changes: Any) -> Side:
    made = study(number, slower=slower, **changes)
    label = f"day-{number}"
    return Side(label, made.study, made.turns, made.runs, made.before, made.after)


def on_kernel(side: Side, kernel: str) -> Side:
    """The side as if it had been measured on another kernel."""
    machines = [each.model_copy(update={"kernel": kernel}) for each in side.before.machines]
    return replace(side, before=side.before.model_copy(update={"machines": machines}))
