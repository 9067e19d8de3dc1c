"""What a block takes on a rig whose storage has no speed of its own to reckon with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Takes:
    """Seconds of a block: expected, and from shortest to longest. It writes nothing.

    `words` say where the seconds come from. `longest_seconds` is None where only a lower bound is
    known.
    """

    seconds: float
    shortest_seconds: float
    longest_seconds: float | None
    words: str
