"""Machines that were lost while a block was measured: a panic, a hang, a host that was killed.

Takes evidence; gives a finding for each time, with the last lines of the machine's console.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.record.records import LostBlock
from fsgauge.stats.evidence import Evidence, finding
from fsgauge.stats.results import Finding

CODE = "machine.lost"


def lost_machines(evidence: Evidence) -> Iterator[Finding]:
    """In the order in which they were lost."""
    for lost in evidence.lost:
        yield finding(CODE, "warning", _sentence(lost), _advice(lost)).model_copy(
            update={"lines": lost.lines}
        )


def _sentence(lost: LostBlock) -> str:
    after = (
        "The block was measured again."
        if lost.again
        else "It was not measured again: the runs that it lacked have failed."
    )
    meanwhile = f", while {lost.during}" if lost.during else ""
    return f"In block {lost.block + 1}{meanwhile}: {lost.because}. {after}"


def _advice(lost: LostBlock) -> str:
    if not lost.lines:
        return "Look at the machine's own log before the numbers of this system are trusted."
    return (
        "The last lines of its console are below. If they show a panic or a hang, and it returns"
        " with the same system, it is a fault of that system on this kernel."
    )
