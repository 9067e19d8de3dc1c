"""The general sentence alone, for a kind that puts one of its own before or behind it."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.stats.analysis import Analysis
from fsgauge.stats.answer import answer
from fsgauge.stats.question import Question
from fsgauge.stats.results import NOTHING_WEAK


class _OfAll(Analysis):
    """What every study says, without what is added to the sentence of each."""

    compares_systems = False


def plain_answer(question: Question) -> str:
    """How the systems of a question compare, and nothing else."""
    return answer(
        replace(
            question,
            own=None,
            durability=NOTHING_WEAK,
            served="",
            server_aborts="",
            over_hosts="",
        ),
        _OfAll(),
    )
