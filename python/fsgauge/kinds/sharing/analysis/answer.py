"""The sentence of a study in which a system failed: what the others show, and who failed."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.kinds.sharing.analysis.faults import words
from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.answer import Question, answer
from fsgauge.stats.results import NOTHING_WEAK
from fsgauge.stats.wording import listed


class _OfAll(Analysis):
    """What every study says, without what is added to the sentence of each."""

    compares_systems = False


def answer_with_faults(question: Question) -> str | None:
    """None where no system failed. A block that lacks the runs of one is whole for all others."""
    own = Sharing.of(question)
    failed = [each for each in own.faults if each.counts] if own is not None else []
    if not failed:
        return None
    named = {each.system for each in failed if not each.reached}
    of_others = replace(
        question,
        others=[each for each in question.others if each not in named],
        blocks_complete=max((each.n for each in question.comparisons), default=0),
        analysis=_OfAll(),
        own=None,
        durability=NOTHING_WEAK,
        served="",
        server_aborts="",
        over_hosts="",
    )
    faults = listed([f"{each.system} failed ({words(each)})" for each in failed])
    said = answer(of_others) if of_others.comparisons else ""
    return f"{said} {faults}.".strip()
