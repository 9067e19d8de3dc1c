"""A simulation beside a measurement of the same study: how good the model was, cell by cell.

Rates of both stand beside one another and are divided, always the model's by the measured one.
Nothing is pooled: a number is the model's, or it was measured, or it is the ratio of the two. Of
two simulations, with the ends of a model's range of times, the range is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from fsgauge.report import words
from fsgauge.stats.folders.between import TIMES, Between, Ends, Entry, SideFacts
from fsgauge.stats.folders.folder import APART_HOURS
from fsgauge.stats.folders.free_space import FREE_SPACE
from fsgauge.stats.folders.same_conditions import LIMITS
from fsgauge.units import count

RELIABLE = 3
"""Sittings of a side from which a comparison of sittings sees what matters."""


@dataclass(frozen=True)
class ModelLine:
    """One cell of one system: the model's value, the measured one, and their ratio, in words."""

    cell: str
    system: str
    metric: str
    model: str
    measured: str
    ratio: str
    interval: str


def model_and_measured(between: Between) -> tuple[SideFacts, SideFacts] | None:
    """The side that was simulated and the one that was measured; None where both are alike."""
    if between.a.simulated == between.b.simulated:
        return None
    a, b = between.a, between.b
    return (a, b) if a.simulated else (b, a)


def model_lines(between: Between) -> list[ModelLine]:
    """Each primary cell of each system, the baseline too; none where both sides are alike."""
    return [_line(between, entry) for entry in _entries(between)]


def model_sentence(between: Between) -> str:
    """ "The model gives 0.61 to 1.84 times what was measured, over 4 cells of 2 systems." """
    entries = _entries(between)
    ratios = sorted(_over_measured(between, entry)[0] for entry in entries)
    if not ratios:
        return ""
    spread = " to ".join(dict.fromkeys(words.ratio(each) for each in (ratios[0], ratios[-1])))
    cells, systems = ({getattr(each, key) for each in entries} for key in ("cell", "system"))
    over = f"{count(len(cells), 'cell')} of {count(len(systems), 'system')}"
    return f"The model gives {spread} times what was measured, over {over}."


def _entries(between: Between) -> list[Entry]:
    if model_and_measured(between) is None:
        return []
    return between.primary_entries("direct")


def _over_measured(between: Between, entry: Entry) -> tuple[float, float | None, float | None]:
    """The ratio and its interval, the measured value below."""
    if between.b.simulated:
        return entry.ratio, entry.low, entry.high
    low = None if entry.high is None else 1 / entry.high
    high = None if entry.low is None else 1 / entry.low
    return 1 / entry.ratio, low, high


def _line(between: Between, entry: Entry) -> ModelLine:
    metric = between.metric(entry.metric)
    values = [words.value(each, metric.unit) for each in (entry.value_a, entry.value_b)]
    measured, model = values if between.b.simulated else reversed(values)
    ratio, low, high = _over_measured(between, entry)
    return ModelLine(
        cell=between.cell(entry.cell).name,
        system=entry.system,
        metric=metric.label,
        model=model,
        measured=measured,
        ratio=words.ratio(ratio),
        interval=words.interval(low, high, entry.blocks),
    )


def basis_sentence(between: Between) -> str:
    """Which ratio the verdict is about, and why."""
    if between.ends is not None:
        return _basis_of_ends(between, between.ends)
    if between.decides == "direct":
        said = "All folders are of one machine and storage, so the verdict is on B over A"
        if between.systems == [between.baseline]:
            return f"{said}."
        return (
            f"{said}; a system is better or worse only if its ratio to {between.baseline} changed"
            " alike."
        )
    why = (
        "the machine counts as another one (--despite machine)"
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
        return _repetition_of_ends(between, between.ends)
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


MOST_IN_A_SENTENCE = 4
"""Ranges in the headline; the table has them all."""


def ends_sentence(between: Between) -> str:
    """ "ssd-sata, the range of its model: read, 80 % full: 373 to 386 MiB/s on ext4-6.18." """
    if between.ends is None:
        return ""
    entries = between.primary_entries("direct")
    if not entries:
        return "No primary cell is in both folders: see below."
    cells = [
        f"{between.cell(cell).name}: {', '.join(_range(between, entry) for entry in found)}"
        for cell, found in groupby(entries[:MOST_IN_A_SENTENCE], key=lambda entry: entry.cell)
    ]
    more = "; more below" if len(entries) > MOST_IN_A_SENTENCE else ""
    return f"{between.ends.model}, the range of its model: {'; '.join(cells)}{more}."


def _basis_of_ends(between: Between, ends: Ends) -> str:
    """What a ratio is, and why none is judged."""
    over = (
        "Ratios are B over A"
        if between.decides == "direct"
        else f"Ratios are of the ratio to {between.baseline} in B over the same in A"
    )
    return (
        f"A has the {ends.a} times of the model, and B the {ends.b}. {over}. Nothing is judged:"
        " with the longest times the model is never faster, and it does not say where in the range"
        " a device lies."
    )


def _repetition_of_ends(between: Between, ends: Ends) -> str:
    """Whether anything but the times differs between the sides."""
    if ends.seeds_a != ends.seeds_b:
        return (
            f"The seeds differ ({_listed(ends.seeds_a)} and {_listed(ends.seeds_b)}), so other"
            " files are in the difference too: simulate both ends with one --seed."
        )
    if between.a.blocks_complete != between.b.blocks_complete:
        return (
            "A and B do not have the same number of blocks, so other files are in the difference"
            " too: simulate both ends with as many."
        )
    return "Both have the same seed and the same files in the same places; the times alone differ."


def side_words(between: Between, side: SideFacts) -> str:
    """What a side is made of: "5 complete blocks in 1 sitting", or of a model with which times."""
    blocks = count(side.blocks_complete, "complete block")
    if side.blocks_words:
        one = len(side.folders) == 1
        blocks = side.blocks_words if one else f"{blocks} (of one folder: {side.blocks_words})"
    if between.ends is not None:
        end = between.ends.a if side is between.a else between.ends.b
        return f"{blocks} with the {end} times"
    return f"{blocks} in {count(side.sittings, 'sitting')}"


def differing(between: Between) -> list[str]:
    """What else differs; of two ends neither the times nor the day, which is no matter. Limits and
    free space have their values: what they did to a ratio cannot be told from the folders."""
    hidden = [
        f"{each.fact} {each.a} / {each.b}" if _has_values(each.fact) else each.fact
        for each in between.differences
        if not each.despite
    ]
    if between.ends is None:
        return hidden
    return [name for name in hidden if name not in (TIMES, "day")]


def _has_values(fact: str) -> bool:
    return fact == LIMITS or fact.endswith(f": {FREE_SPACE}")


def _range(between: Between, entry: Entry) -> str:
    """ "373 to 386 MiB/s on ext4-6.18"; one value where both ends read alike."""
    unit = between.metric(entry.metric).unit
    ends = (words.value(each, unit) for each in sorted((entry.value_a, entry.value_b)))
    return f"{words.span(*ends)} on {entry.system}"


def _listed(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds))
