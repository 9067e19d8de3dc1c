"""What became of one trial, in a word; and what was counted, as it is stored: coherence.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from fsgauge.agents.agent import NO_VERSION
from fsgauge.agents.agents import AgentsLog, Answer
from fsgauge.plain_files.kept import Kept

SAME, OLD, TORN, MISSING = "same", "old", "torn", "missing"
KEPT, LOST, TWICE = "kept", "lost", "twice"
_NO_FILE = "ENOENT"


def read_outcome(seen: Answer, version: int, size_bytes: int) -> str:
    """What a reader got that should get a version: same, old (one before it, whole), torn (of
    several, of none, or in part), missing (no file, or an empty one), or the name of an error."""
    if "error" in seen:
        return MISSING if seen["error"] == _NO_FILE else str(seen["error"])
    if seen["bytes"] == 0:
        return MISSING
    versions = [int(each) for each in seen["versions"]]
    if len(versions) > 1 or seen["bytes"] != size_bytes or NO_VERSION in versions:
        return TORN
    (found,) = versions
    if found == version:
        return SAME
    return OLD if found < version else TORN


def append_outcomes(
    records: Iterable[Sequence[int]], torn: int, sent: Iterable[tuple[int, int]]
) -> Counter[str]:
    """What became of the records that nodes appended: kept, lost, twice; and places of the file
    that hold no record count as torn."""
    found = Counter((node, number) for node, number in records)
    became = Counter({0: LOST, 1: KEPT}.get(found[each], TWICE) for each in sent)
    if torn:
        became[TORN] = torn
    return became


def overlapped(records: Iterable[Sequence[int]]) -> int:
    """How many records of a log were written while the other node was at it as well: those that lie
    between the first and the last one of the other. Two that never met leave one block each."""
    nodes = [node for node, _ in records]
    places: dict[int, list[int]] = {}
    for place, node in enumerate(nodes):
        places.setdefault(node, []).append(place)
    return sum(
        any(of[0] < place < of[-1] for other, of in places.items() if other != node)
        for place, node in enumerate(nodes)
    )


RACED_SHARE = 0.5
"""Of what nodes did at once: where less of it met, nothing was tried."""


def has_raced(met: int, of: int) -> bool:
    """Whether so much of it met that what came of it says something."""
    return met >= RACED_SHARE * of


def claim_outcome(winners: int) -> str:
    return {0: "no winner", 1: "one winner"}.get(winners, "several winners")


def lock_outcome(first: Answer, second: Answer, after: Answer) -> str:
    """Of an exclusive lock: asked for by one node, by another while it is held, and by that one
    again once it is given back."""
    for answer in (first, second, after):
        if "error" in answer:
            return str(answer["error"])
    if not first["granted"]:
        return "refused"
    if second["granted"]:
        return "granted twice"
    return "held" if after["granted"] else "not given back"


class Counted(Kept):
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


class Examined(Kept):
    name: str
    words: str
    parameters: dict[str, str] = Field(default_factory=dict)
    fault: str = ""


class Log(AgentsLog):
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
