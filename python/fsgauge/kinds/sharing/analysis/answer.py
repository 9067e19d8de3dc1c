"""The sentence of a study in which a system failed: what the others show, and who failed."""

from __future__ import annotations

from dataclasses import replace

from fsgauge.kinds.sharing.analysis.faults import words
from fsgauge.kinds.sharing.analysis.model import Sharing
from fsgauge.stats.plain_answer import plain_answer
from fsgauge.stats.question import Question
from fsgauge.stats.wording import listed


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
    )
    faults = listed([f"{each.system} failed ({words(each)})" for each in failed])
    has_ratios = of_others.comparisons or of_others.limited
    said = plain_answer(of_others) if has_ratios else ""
    return f"{said} {faults}.".strip()
