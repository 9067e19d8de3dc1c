"""What is done to the machines of a rig on purpose while a run goes on: planned, and as it was. A
run that is struck is no sample of a comparison: it stands in turns of its own (Plan.struck)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept
from fsgauge.units import exact_duration, format_rate

StrikeKind = Literal["power_off", "link_cut", "disk_error", "slow_disk"]

TITLES: dict[StrikeKind, str] = {
    "power_off": "power off",
    "link_cut": "link cut",
    "disk_error": "disk error",
    "slow_disk": "slow disk",
}


class Strike(Kept):
    """Planned: so long after a run's load has begun, for so long, on the machine of that `number`
    among those that stand together, from 1.

    `operations_per_second` is what a slow disk does; `loses_unflushed` whether a machine whose
    power is cut loses what its disks were not told to flush.
    """

    kind: StrikeKind
    number: int
    at_ns: int
    for_ns: int
    operations_per_second: float | None = None
    loses_unflushed: bool = False

    @property
    def machine(self) -> str:
        return f"node{self.number}"

    @property
    def title(self) -> str:
        """As in: node2, power off."""
        return f"{self.machine}, {TITLES[self.kind]}"


class Struck(Kept):
    """A strike as it was: when it began and ended, counted from the beginning of the run's load on
    the clock of the machine that fsgauge runs on; null where it did not come to that.

    `back_ns` is when a machine without power was up again, with all that it does for the system;
    `fault` why the strike could not be carried out or undone.
    """

    strike: Strike
    began_ns: int | None = None
    ended_ns: int | None = None
    back_ns: int | None = None
    words: list[str] = Field([])
    """What was found afterwards, in sentences without a stop."""
    fault: str = ""


def strike_words(strike: Strike) -> str:
    """As in: node1, slow disk (50 IOPS), after 1 s, for 2 s."""
    how = ""
    if strike.operations_per_second is not None:
        how = f" ({format_rate(strike.operations_per_second)})"
    elif strike.loses_unflushed:
        how = " (what was not flushed is lost)"
    after, lasts = exact_duration(strike.at_ns), exact_duration(strike.for_ns)
    return f"{strike.title}{how}, after {after}, for {lasts}"
