"""The lines that `fsgauge plan` prints unless more is asked, and the command that runs it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fsgauge.cli.plan_lines import MARGIN, changes, span_words, written_words
from fsgauge.plan.preview import PlanDescription, Sensitivity
from fsgauge.units import count, format_size, some_of

_MOST_NAMED = 8
_OWN_OPTIONS = {"--noise": 1, "--pilot": 1, "--json": 0, "--order": 0, "--verbose": 0}
"""Options that only `plan` takes, with the number of words after each."""


def brief_lines(
    description: PlanDescription,
    measured_by: str,
    run: Sequence[str] | None,
    *,
    doctor_measures: bool = True,
) -> list[str]:
    """What is asked, compared, taken and destroyed, what would show, and the command that runs it.

    `run` is that command, None where it would be refused. `measured_by` is where the noise is from;
    `doctor_measures`: whether `fsgauge doctor` measures that of this rig.
    """
    lines = [
        f"asks      {description.question}",
        f"compares  {_systems(description)}; storage: {description.storage}",
        *_starts(description),
        f"takes     {_cost(description)}",
        f"destroys  {description.overwritten}",
        *([f"curve     {description.curve}"] if description.curve else []),
        *([f"race      {description.race}"] if description.race else []),
        *(f"fault     {line}" for line in description.faults),
        *(f"durable   {line}" for line in description.durability),
        f"detects   {_detects(description, measured_by, doctor_measures)}",
    ]
    notes = [*description.cannot_tell, *description.partners, *description.cautions]
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


def _starts(description: PlanDescription) -> list[str]:
    """The program that a study names, whatever it calls it."""
    if not description.starts:
        return []
    first, *more = [line for text in description.starts for line in text.splitlines()]
    cut = f"; {count(len(more), 'more line')}: --verbose" if more else ""
    return [f"starts    {first.removeprefix('program: ')}{cut}"]


def _systems(description: PlanDescription) -> str:
    names = [
        f"{system.name} (baseline, twice)" if system.name == description.baseline else system.name
        for system in description.systems
    ]
    return some_of(names, _MOST_NAMED)


def _cost(description: PlanDescription) -> str:
    runs = f"{count(description.runs, 'run')} in {count(description.blocks, 'block')}"
    writes = f"writes {written_words(description)}"
    if description.simulated:
        writes = f"writes nothing; {format_size(description.written_bytes_estimate)} in the model"
    worn = f" ({description.endurance})" if description.endurance else ""
    return f"{span_words(description)}, {runs}; {writes}{worn}"


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
    needed = f"{blocks} blocks" if blocks is not None else "over 10 000 blocks"
    return f"\n{MARGIN}a change of {effect:g} % needs {needed}"
