"""Which lines a gate judges, and by how many tests.

A line is judged by both of its bases. The baseline has one test: of it, the relative value can only
confirm that it alone became slower, since it also moves where the others became faster.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.stats.gate.learned import Basis, Learned
from fsgauge.stats.gate.measured import Key
from fsgauge.stats.gate.noise import Noise, Noises


def judged_noises(learned: Learned, noises: Noises) -> dict[Key, Mapping[Basis, Noise]]:
    """The noise of each line in which a loss fails a build."""
    return {
        line.key: noises[line.key]
        for line in learned.lines
        if learned.is_judged(line) and "direct" in noises.get(line.key, {})
    }


def bases_tested(learned: Learned, key: Key, noises: Mapping[Basis, Noise]) -> list[Basis]:
    """The bases of a line that alone may raise an alarm."""
    if key[1] == learned.baseline:
        return ["direct"]
    return list(noises)


def number_of_tests(learned: Learned, noises: Noises) -> int:
    """All tests that are corrected together."""
    judged = judged_noises(learned, noises)
    return sum(len(bases_tested(learned, key, each)) for key, each in judged.items())
