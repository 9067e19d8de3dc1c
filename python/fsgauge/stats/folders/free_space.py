"""How much was free when two folders were measured, and in what pieces: it decides where files go.

Of the first turn of each system: that of a folder is from before its files were laid out, that of a
file system that was made for the study from after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fsgauge.record.records import SystemFacts, TurnRecord
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.wording import percent
from fsgauge.units import count, format_size

FREE_SPACE = "free space"
"""What the fact is called, behind the system's name."""
_SIZE_SHARE = 0.01
"""Of the size of the file system: less is what any use changes."""
_PIECES_SHARE = 0.1
"""Of the number of pieces, and of the largest one."""


def differing_space(
    first: Mapping[str, TurnRecord], second: Mapping[str, TurnRecord]
) -> Iterator[tuple[str, str, str]]:
    """Fact, then what it was on both sides; of systems that both have, by their first turns."""
    for system, turn in first.items():
        if system in second and _differ(turn.facts, second[system].facts):
            was, now = space_words(turn.facts), space_words(second[system].facts)
            yield f"{system}: {FREE_SPACE}", was, now


class Space(ResultModel):
    """Of one file system at the first turn of a run."""

    free_bytes: int
    size_bytes: int


def space_of(turns: Mapping[str, TurnRecord]) -> dict[str, Space]:
    known = {name: turn.facts for name, turn in turns.items() if turn.facts.size_bytes}
    return {
        name: Space(free_bytes=facts.free_bytes, size_bytes=facts.size_bytes)
        for name, facts in known.items()
        if facts.free_bytes is not None
    }


def beyond(found: Mapping[str, Space], before: Sequence[Mapping[str, Space]]) -> Iterator[str]:
    """A sentence for each system with less or more free than any earlier run had."""
    for system, space in found.items():
        earlier = [each[system].free_bytes for each in before if system in each]
        if not earlier:
            continue
        margin = _SIZE_SHARE * space.size_bytes
        if min(earlier) - margin <= space.free_bytes <= max(earlier) + margin:
            continue
        had = dict.fromkeys(format_size(each) for each in (min(earlier), max(earlier)))
        yield (
            f"{system} had other {FREE_SPACE}: {format_size(space.free_bytes)} of"
            f" {format_size(space.size_bytes)}, and {' to '.join(had)} in accepted runs"
        )


def space_words(facts: SystemFacts) -> str:
    """ "3.5 GiB of 8 GiB (56 % full), in 1,203 pieces, the largest 1 GiB"."""
    if facts.free_bytes is None or not facts.size_bytes:
        return "not known"
    used = 1 - facts.free_bytes / facts.size_bytes
    full = percent(used, (used, used))  # what is nearly full is not full
    text = f"{format_size(facts.free_bytes)} of {format_size(facts.size_bytes)} ({full} full)"
    if facts.free_extents is None or facts.largest_free_bytes is None:
        return text
    largest = format_size(facts.largest_free_bytes)
    return f"{text}, in {count(facts.free_extents, 'piece')}, the largest {largest}"


def _differ(first: SystemFacts, second: SystemFacts) -> bool:
    if first.free_bytes is None or second.free_bytes is None:
        return False
    size_bytes = max(first.size_bytes, second.size_bytes)
    return (
        abs(first.free_bytes - second.free_bytes) > _SIZE_SHARE * size_bytes
        or _far(first.free_extents, second.free_extents)
        or _far(first.largest_free_bytes, second.largest_free_bytes)
    )


def _far(first: int | None, second: int | None) -> bool:
    """Whether both are known and apart."""
    if first is None or second is None:
        return False
    return abs(first - second) > _PIECES_SHARE * max(first, second)
