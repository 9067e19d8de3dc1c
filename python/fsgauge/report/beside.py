"""Earlier folders of the same study beside those that are compared: how its sittings differ.

A results folder is named after its study and its time. Those next to A that were measured before
the later side, in the conditions of A, are sittings of the same thing: a gate in memory learns from
them what one on disk would. What cannot be read, is not valid or differs is left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from fsgauge import __version__
from fsgauge.errors import FsgaugeError
from fsgauge.report.compared import read_sides
from fsgauge.stats.folders.compare import KnownSittings
from fsgauge.stats.folders.same_conditions import Side, is_simulated
from fsgauge.stats.gate.accept import accept
from fsgauge.stats.gate.learned import Learned
from fsgauge.stats.gate.noise import known_sittings

MOST_READ = 12
"""The newest so many are read: each takes as long as one that is compared."""
MOST_LISTED = 10_000
_ANY_LOSS = 99.0


def sittings_beside(
    directories: Sequence[Path], sides: Sequence[Side]
) -> tuple[KnownSittings, int]:
    """How the sittings of A's study differ, and how many folders show it; nothing and 0 where these
    are too few sittings. `directories` are those of the sides, A's first.
    """
    a = sides[0]
    if is_simulated(a):
        return {}, 0
    folders = earlier_beside(directories, a.study.plan.study)
    learned: Learned | None = None
    with suppress(FsgaugeError):
        learned = _learnt(None, a) if folders else None
    if learned is None:
        return {}, 0
    latest_ns = max(side.study.started_unix_ns for side in sides)
    for folder in folders:
        with suppress(FsgaugeError):
            (side,) = read_sides([folder])
            if side.study.started_unix_ns < latest_ns:
                learned = _learnt(learned, side)
    others = _without_first(learned)
    known = known_sittings(others)
    return (known, len(others.runs)) if known["direct"] else ({}, 0)


def earlier_beside(directories: Sequence[Path], study: str) -> list[Path]:
    """Folders next to the first that are named as results of this study are, newest first, without
    those that are compared."""
    first = directories[0].resolve()
    named = re.compile(rf"{re.escape(study)}-\d{{4}}(-\d\d){{2}}-\d{{6}}")
    compared = {each.resolve() for each in directories}
    with suppress(OSError), os.scandir(first.parent) as entries:
        names = [e.name for e in islice(entries, MOST_LISTED) if named.fullmatch(e.name)]
        found = [first.parent / name for name in sorted(names, reverse=True)]
        own = first.stat().st_uid
        return [
            each
            for each in found
            if each not in compared and not each.is_symlink() and each.stat().st_uid == own
        ][:MOST_READ]
    return []


def _learnt(learned: Learned | None, side: Side) -> Learned:
    """No loss is asked for: only how runs scatter is."""
    return accept(
        learned, [side], version=__version__, label=side.label, loss_percent=_ANY_LOSS
    ).learned


def _without_first(learned: Learned) -> Learned:
    """Without A, whose conditions the others were held to: it is one of those that are compared."""
    lines = [
        line.model_copy(
            update={
                "direct": line.direct.without_first(),
                "to_baseline": line.to_baseline and line.to_baseline.without_first(),
            }
        )
        for line in learned.lines
    ]
    return learned.model_copy(update={"runs": learned.runs[1:], "lines": lines})
