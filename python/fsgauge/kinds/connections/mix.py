"""What clients of a mix do: activities and how often each is drawn, by weights or by a name."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.base import conflict

Weight = Annotated[int, Field(ge=1, le=1_000_000)]
"""How often something is drawn, relative to others."""
ACTIVITIES = ("read", "create", "save", "delete", "stat", "list")
HOME_DIRECTORY = {"stat": 40, "read": 30, "list": 10, "save": 10, "create": 5, "delete": 5}
MIXES = {"home directory": HOME_DIRECTORY}
"""Mixes by name. Their weights are a choice, not a measurement of anybody's home directory."""


def _named_mix(value: object) -> object:
    """The weights of a mix that is called by its name."""
    if not isinstance(value, str):
        return value
    if value in MIXES:
        return MIXES[value]
    raise conflict(
        f'no mix is called "{value}"',
        [()],
        hint=f"known: {', '.join(MIXES)}; or write {{ read = 3, stat = 1 }}",
    )


def _known_activities(mix: dict[str, int]) -> dict[str, int]:
    for activity in mix:
        if activity not in ACTIVITIES:
            near = nearest(activity, ACTIVITIES)
            raise conflict(
                f'"{activity}" is not an operation of a mix',
                [(activity,)],
                hint=did_you_mean(near) if near else f"known: {', '.join(ACTIVITIES)}",
            )
    return mix


Mix = Annotated[
    dict[str, Weight],
    BeforeValidator(_named_mix),
    AfterValidator(_known_activities),
    Field(min_length=1),
]
