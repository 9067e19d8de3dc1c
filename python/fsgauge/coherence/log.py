"""What was counted, as it is stored: coherence.json in its folder."""

from __future__ import annotations

from pydantic import Field

from fsgauge.coherence.outcomes import has_raced
from fsgauge.hands.hands import HandsLog, LogPart


class Counted(LogPart):
    """A case on a system: how many trials came to what. `fault` is why it did not go on; `is_hang`
    that a node did not answer. `behind_ns` is how long after the last trial's write its reader saw
    it: 0 where it saw it at once or was not waited for, None where it never did. `raced` is how
    many of them met the other node at work; None where they need not."""

    system: str
    case: str
    counts: dict[str, int]
    trials: int
    elapsed_ns: int
    behind_ns: int | None = 0
    fault: str = ""
    is_hang: bool = False
    raced: int | None = None

    @property
    def did_not_race(self) -> bool:
        """Whether the nodes hardly met, so that what is right shows nothing."""
        return self.raced is not None and not has_raced(self.raced, sum(self.counts.values()))


class Examined(LogPart):
    """A system: what it is, and why it could not be set up, if so."""

    name: str
    words: str
    parameters: dict[str, str] = Field(default_factory=dict)
    fault: str = ""


class Log(HandsLog):
    """All of it; `place` is where it was tested, `nodes` who took part."""

    place: str
    nodes: list[str]
    trials: int
    cases: list[str]
    systems: list[Examined] = Field(default_factory=list)
    counted: list[Counted] = Field(default_factory=list)

    def of(self, system: str, case: str) -> Counted | None:
        found = (each for each in self.counted if (each.system, each.case) == (system, case))
        return next(found, None)

    def with_one(self, what: Examined | Counted) -> Log:
        """The same with one more; a system that is told again is replaced."""
        if isinstance(what, Counted):
            return self.model_copy(update={"counted": [*self.counted, what]})
        others = [each for each in self.systems if each.name != what.name]
        return self.model_copy(update={"systems": [*others, what]})
