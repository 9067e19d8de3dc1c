"""Which ratio a comparison of folders is about, and what its intervals hold."""

from __future__ import annotations

from fsgauge.report.compared_ends import ends_basis, ends_repetition
from fsgauge.stats.folders.between import Between
from fsgauge.stats.folders.folder import APART_HOURS
from fsgauge.units import count

RELIABLE = 3
"""Sittings of a side from which a comparison of sittings sees what matters."""


def basis_sentence(between: Between) -> str:
    """Which ratio the verdict is about, and why."""
    if between.ends is not None:
        return ends_basis(between)
    if between.decides == "direct":
        return (
            "All folders are of one machine and storage, so the verdict is on B over A; a system is"
            f" better or worse only if its ratio to {between.baseline} changed alike."
        )
    why = (
        "the ratio of ratios was asked for"
        if between.same_machine
        else f"the machines differ ({', '.join(between.unlike_machines)})"
    )
    return (
        f"Because {why}, the verdict is on the ratio to {between.baseline} in B over the same"
        " ratio in A: what changes all systems alike cancels."
    )


def repetition_sentence(between: Between) -> str:
    """What the intervals hold of the difference between sittings, and what would show it."""
    if between.ends is not None:
        return ends_repetition(between)
    counts = [side.sittings for side in (between.a, between.b)]
    if between.a.simulated and between.b.simulated:
        return (
            "Both sides were simulated: a model is the same on every day, and the intervals hold"
            " what other seeds change, as wide as those of folders measured once. More blocks make"
            " them narrower."
        )
    if not between.sittings_measured and between.sittings_known:
        beside = between.folders_beside
        whose = f"{beside} earlier folders of this study" if beside else "the gate's accepted runs"
        return (
            f"How sittings differ is that of {whose}, and never less than what differs from block"
            " to block."
        )
    if between.sittings_measured:
        return (
            f"A was measured in {count(counts[0], 'sitting')} and B in"
            f" {count(counts[1], 'sitting')}: the intervals hold what differs from sitting to"
            " sitting."
        )
    one = counts == [1, 1]
    options = [
        f"--more-{name} DIR" for name, count in zip("ab", counts, strict=True) if count < RELIABLE
    ]
    pooled = any(len(side.folders) > side.sittings for side in (between.a, between.b))
    return (
        ("Folders that were measured in one go count as one sitting. " if pooled else "")
        + ("Each side is one sitting" if one else f"There are {sum(counts)} sittings in all")
        + f", which {'does' if one else 'do'} not show how sittings differ: nothing is called"
        " better or worse, and the intervals are those of these sittings alone. To decide, name a"
        " gate's file that learnt from five sittings of this study (--gate FILE), or repeat the"
        f" study until each side has {RELIABLE} sittings, each {APART_HOURS} hours or more after"
        " the one before, A's and B's in turns:"
        f" fsgauge compare A B {' '.join(options)}"
    )
