"""The six lines that `fsgauge plan` prints unless more is asked, and the command that runs it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import accumulate

from fsgauge.cli.plan_lines import changes, span_words, written_words
from fsgauge.durability import MARK
from fsgauge.plan.preview import PlanDescription, Sensitivity
from fsgauge.units import count, some_of

_LETTERS = 80
"""Names of systems are listed up to here, the rest is counted; storage is shortened."""
_OWN_OPTIONS = {"--noise": 1, "--pilot": 1, "--json": 0, "--order": 0, "--verbose": 0}
"""Options that only `plan` takes, with the number of words after each."""


def brief_lines(
    description: PlanDescription,
    measured_by: str,
    run: Sequence[str] | None,
    *,
    doctor_measures: bool = True,
    points: str = "",
) -> list[str]:
    """What is asked, compared, taken and destroyed, what would show, and the command that runs it.

    `run` is that command, None where it would be refused. `measured_by` is where the noise is from;
    `doctor_measures`: whether `fsgauge doctor` measures that of this rig. `points` of a sweep are
    in the place of its runs.
    """
    lines = [
        f"asks      {description.question}{_starts(description)}",
        f"compares  {_systems(description)}; storage: {_storage(description)}",
        f"takes     {_cost(description, points)}",
        f"destroys  {description.overwritten}",
        f"detects   {_detects(description, measured_by, doctor_measures)}",
    ]
    notes = [
        *description.cannot_tell,
        *description.partners,
        *description.cautions,
        *description.less_safe,
        *description.faults,
    ]
    noted = f" ({count(len(notes), 'note')})" if notes else ""
    command = f"{shlex.join(run)}      " if run is not None else ""
    return [*lines, f"next      {command}more: --verbose{noted}, --order"]


def run_command(words: Sequence[str]) -> list[str]:
    """`fsgauge run` with the words that `plan` was given, without what plan alone has."""
    found, skipped = ["fsgauge", "run"], 0
    for word in words:
        if skipped:
            skipped -= 1
            continue
        name, equals, _ = word.partition("=")
        if name in _OWN_OPTIONS:
            skipped = 0 if equals else _OWN_OPTIONS[name]
            continue
        found.append(word)
    return found


def _starts(description: PlanDescription) -> str:
    if not description.starts:
        return ""
    first, *more = [line for text in description.starts for line in text.splitlines()]
    cut = f"; {count(len(more), 'more line')}: --verbose" if more else ""
    return f" (starts: {first.removeprefix('program: ')}{cut})"


def _systems(description: PlanDescription) -> str:
    names = [
        system.name
        + f" {MARK}" * (system.name in description.weak)
        + " (baseline)" * (system.name == description.baseline)
        for system in description.systems
    ]
    lengths = accumulate(len(name) + len(", ") for name in names)
    fitting = sum(length <= _LETTERS for length in lengths)
    less_safe = f" ({MARK} less safe: --verbose)" if description.weak else ""
    return some_of(names, max(fitting, 1)) + less_safe


def _storage(description: PlanDescription) -> str:
    """Its first clause, where the whole is long: virtual disks have limits and a network."""
    first, _, rest = description.storage.partition(", ")
    is_short = len(description.storage) <= _LETTERS
    return description.storage if is_short or not rest else f"{first}, ..."


def _cost(description: PlanDescription, points: str) -> str:
    runs = points or f"{count(description.runs, 'run')} in {count(description.blocks, 'block')}"
    if description.race:
        runs = description.race.partition(":")[0]
    worn = f" ({description.endurance.partition(', in ')[0]})" if description.endurance else ""
    return f"{span_words(description)}, {runs}; writes {written_words(description)}{worn}"


def _detects(description: PlanDescription, measured_by: str, doctor_measures: bool) -> str:
    """The smallest effect; where the noise is not known, for the middle of what is supposed."""
    found = description.sensitivity
    shown = found[len(found) // 2]
    noise = f"{shown.noise_percent:.3g} %"
    seen = changes(shown.detectable_percent).rstrip(",")
    if description.sensitivity_known:
        return f"{seen} (noise: {noise}{measured_by}){_more(shown)}"
    source = "lives with other seeds" if description.simulated else "equal runs"
    known = "; fsgauge doctor measures it" * (doctor_measures and not description.simulated)
    return f"{seen} if {source} differ by {noise}{known}"


def _more(shown: Sensitivity) -> str:
    """Blocks for the largest of the small effects that are asked for, where this is more."""
    effect, blocks = next(iter(shown.blocks_needed.items()))
    if shown.detectable_percent <= effect:
        return ""
    needed = f"{blocks:,} blocks" if blocks is not None else "over 10,000 blocks"
    return f"; {effect:g} % needs {needed}"
