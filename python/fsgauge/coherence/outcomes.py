"""What became of one trial, in a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from fsgauge.hands.hand import NO_VERSION
from fsgauge.hands.hands import Answer

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
    became = Counter(_of_record(found[each]) for each in sent)
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


def _of_record(times: int) -> str:
    return {0: LOST, 1: KEPT}.get(times, TWICE)


def claim_outcome(winners: int) -> str:
    """Of one name that all nodes tried to create with O_EXCL."""
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
