"""Results whose records are not what was written: they say that first, and vouch for nothing."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.stats.answer import not_vouched_for
from fsgauge.stats.results import Finding, Results

_MOST_NAMED = 10
_ADVICE = "Restore the folder from a copy: these records are no longer what was measured."


def changed_sentence(changes: Sequence[str]) -> str:
    """What was accepted, in a sentence that names the first of them."""
    more = len(changes) - 1
    others = f", and {more} more" if more else ""
    return f"Records were changed after they were written ({changes[0]}{others})."


def naming_changes(results: Results, changes: Sequence[str]) -> Results:
    """The same results, which say first that their records are not what was written."""
    if not changes:
        return results
    sentence = changed_sentence(changes)
    found = Finding(
        code="records.changed",
        level="invalid",
        sentence=sentence,
        advice=_ADVICE,
        count=len(changes),
        where=list(changes[:_MOST_NAMED]),
    )
    reason = sentence[:1].lower() + sentence[1:]
    invalid = {"valid": False, "invalid_reason": reason}
    return results.model_copy(
        update={
            "answer": not_vouched_for(reason),
            "findings": [found, *results.findings],
            "sureness": results.sureness.model_copy(update=invalid),
        }
    )
