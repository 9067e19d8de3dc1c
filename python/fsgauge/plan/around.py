"""What a rig's machines take beside what every machine takes, so that a plan can say how long."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Around:
    """Seconds more than on this machine: before the first block, around each turn, each run."""

    before_seconds: float = 0.0
    turn_seconds: float = 0.0
    run_seconds: float = 0.0

    @property
    def once_up(self) -> Around:
        """The same once all is there for the first block."""
        return replace(self, before_seconds=0.0)


HERE = Around()
"""This machine itself: `plan.estimate` has what it takes."""
