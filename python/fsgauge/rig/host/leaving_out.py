"""How a study goes on without one of its systems, where that one cannot be measured."""

from __future__ import annotations

import shlex

from fsgauge.study.model import Study, System

_OPTION = "--without"


def or_without(study: Study, system: System, next: str) -> str:
    """What helps, or the option that leaves the system out, where another is left to measure."""
    if len(study.systems) < 2 or _OPTION in next:
        return next
    without = f"{_OPTION} {shlex.quote(system.name)}"
    return f"{next}, or {without}" if next else without
