"""Models of devices with a range of times: a study takes one end of it, and says which."""

from __future__ import annotations

from typing import Literal

from fsgauge.devices import device_named
from fsgauge.study.conflict import conflict


def check_times(model: str, times: Literal["shortest", "longest"] | None) -> None:
    """Raise a conflict where an end of the range is missing, or where there is no range."""
    has_range = device_named(model).has_range
    if has_range and times is None:
        raise conflict(
            f"{model} has a range of times, and a study takes one end of it",
            ["model"],
            hint="extents do not say which dies data is on: one time would be a guess",
            next="--seed 1 --set storage.times=shortest, then --seed 1 --set"
            " storage.times=longest; fsgauge compare A B shows the range",
        )
    if times is not None and not has_range:
        raise conflict(
            f"times would be ignored: {model} has one time for each run, and no range",
            ["times"],
            next="leave it out",
        )
