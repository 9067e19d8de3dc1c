"""Which lines a gate judges, and by how many tests.

A line is tested by both of its bases, unless the study has one system. The baseline has one test:
its value to the others can only confirm that it alone became slower, since that one also falls
where the others became faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fsgauge.stats.folders.folder import Basis, Key
from fsgauge.stats.gate.learned import Learned, LearnedMean
from fsgauge.stats.gate.noise import LearnedNoise, Noises


@dataclass(frozen=True)
class Watched:
    """A line's noise by its bases, and those of them that may raise an alarm."""

    noises: Mapping[Basis, LearnedNoise]
    tested: tuple[Basis, ...]

    def with_samples(self, samples: int) -> Watched:
        """The same, known from so many samples."""
        more = {basis: noise.with_samples(samples) for basis, noise in self.noises.items()}
        return Watched(more, self.tested)


def watched_lines(learned: Learned, noises: Noises, *, judged: bool = True) -> dict[Key, Watched]:
    """The lines in which a loss fails a build, or all others."""
    found = {}
    for line in learned.lines:
        own = noises.get(line.key, {})
        if is_whole(line) and own and learned.is_judged(line) == judged:
            is_baseline = line.system == learned.baseline
            found[line.key] = Watched(own, ("direct",) if is_baseline else tuple(own))
    return found


def is_whole(line: LearnedMean) -> bool:
    """Whether every accepted run has the line by all of its bases."""
    return all(None not in each.runs for each in (line.direct, line.to_baseline) if each)


def number_of_tests(lines: Iterable[Watched]) -> int:
    """All tests that are corrected together."""
    return sum(len(line.tested) for line in lines)
