"""What did not stay as it was from the first turn to the last: how a system was made, the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from fsgauge.record.records import TurnRecord
from fsgauge.stats.evidence import Evidence, finding, name_of
from fsgauge.stats.results import Finding
from fsgauge.stats.wording import blocks_in_words, listed
from fsgauge.units import format_duration, format_size

STEP_NS = 1_000_000_000
"""What a clock that is kept by NTP does not move at once."""


def changed_midway(evidence: Evidence) -> Iterator[Finding]:
    """All findings of this file."""
    yield from _made_otherwise(evidence)
    yield from _clock_set(evidence)


def _made_otherwise(evidence: Evidence) -> Iterator[Finding]:
    """One system must be made the same way in every turn, on whichever of several equal disks."""
    turns: dict[str, list[TurnRecord]] = {}
    for turn in evidence.turns:
        turns.setdefault(turn.system, []).append(turn)
    for system, own in turns.items():
        of_turns = [_ways(turn) for turn in own]
        told = [
            listed([f"{way} in {blocks_in_words(blocks)}" for way, blocks in by_way.items()])
            for fact in of_turns[0]
            if len(by_way := _blocks_of(own, [ways[fact] for ways in of_turns])) > 1
        ]
        if told:
            yield finding(
                "system.changed",
                "warning",
                f"{system} was not made the same way in every turn: {'; '.join(told)}.",
                "Find out who changed it, and repeat: its ratio is that of no one system.",
                told,
            )


def _ways(turn: TurnRecord) -> dict[str, str]:
    """What must be the same in every turn, in words."""
    facts = turn.facts
    command = [word for word in facts.mkfs_command if word != facts.mount_source]
    return {
        "mkfs": f"made by {' '.join(command)}",
        "mount": f"mounted {facts.mount_options or 'without options'}",
        "size": f"of {format_size(facts.size_bytes)} ({facts.size_bytes:,} bytes)",
    }


def _blocks_of(turns: Sequence[TurnRecord], ways: Sequence[str]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for turn, way in zip(turns, ways, strict=True):
        found.setdefault(way, []).append(turn.block)
    return found


def _clock_set(evidence: Evidence) -> Iterator[Finding]:
    """A wall clock that was set: in a run, where it leaves the monotonic clock, or between runs,
    where it went back. A step forward between runs cannot be told from a wait."""
    if evidence.before.load.simulation is not None:
        return
    steps = [
        (f"in {name_of(run)}", run.result.pauses.wall_clock_step_ns)
        for run in evidence.runs
        if run.result is not None and run.result.pauses is not None
    ]
    # A block that a resumed study measured again may come after the blocks behind it.
    steps += [] if evidence.resumed else _between_blocks(evidence.turns)
    steps += _since_its_turn(evidence)
    found = [(where, ns) for where, ns in steps if abs(ns) > STEP_NS]
    if found:
        _, most_ns = max(found, key=lambda each: abs(each[1]))
        way = "back" if most_ns < 0 else "forward"
        yield finding(
            "clock.set",
            "warning",
            f"The machine's clock was set {way} by {format_duration(abs(most_ns))} or more while"
            " the study ran.",
            "Rates and latencies hold: they are timed by the monotonic clock. Which study came"
            " first, and which belong to one sitting, is not known of this one: see timedatectl,"
            " and repeat it where history or compare are to take it.",
            [f"{where}: {format_duration(abs(ns))}" for where, ns in found],
        )


def _between_blocks(turns: Sequence[TurnRecord]) -> list[tuple[str, int]]:
    """How far before the end of the block before it a block began, where it did."""
    begun: dict[int, list[int]] = {}
    for turn in turns:
        begun.setdefault(turn.block, []).append(turn.started_unix_ns)
    return [
        (f"before block {block + 1}", min(0, min(begun[block]) - max(begun[before])))
        for before, block in pairwise(sorted(begun))
    ]


def _since_its_turn(evidence: Evidence) -> list[tuple[str, int]]:
    """How far before its turn a run began, where it did."""
    begun = {(turn.block, turn.turn): turn.started_unix_ns for turn in evidence.turns}
    return [
        (f"before {name_of(run)}", min(0, run.started_unix_ns - began_ns))
        for run in evidence.runs
        if (began_ns := begun.get((run.block, run.turn))) is not None
    ]
