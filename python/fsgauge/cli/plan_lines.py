"""The plan of a study on a rig, and what `fsgauge plan` prints of it, section by section."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from fsgauge.durability import MARK
from fsgauge.errors import FsgaugeError
from fsgauge.plan.around import Around
from fsgauge.plan.cost import Cost, cost_of
from fsgauge.plan.in_words import cells_in_words
from fsgauge.plan.preview import PlanDescription, Sensitivity, describe
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Cell, Plan
from fsgauge.rig.refusing import WITHOUT, alike
from fsgauge.rig.rig import Design, Rig, around_on, design_of
from fsgauge.stats.wording import HOPELESS_PERCENT, named_systems
from fsgauge.study.model import Study
from fsgauge.study.system import ALLOCATING
from fsgauge.units import count, exact_size, format_duration, format_size, some_of

if TYPE_CHECKING:
    from fsgauge.stats.pilot import PilotNoise

MARGIN = " " * 10
"""Below the name that a line begins with."""
_MEASURED = "the noise here, which fsgauge doctor measures"
_SAME_TIME = 1.1
"""A longest time within this of the shortest is no range."""
_WHOLE_PERCENT = 20.0
"""From here on, a change is shown without decimals: the pilot's noise has no more digits."""


@dataclass(frozen=True)
class PlannedStudy:
    plan: Plan
    size_bytes: int
    design: Design
    around: Around

    def described(self, study: Study) -> PlanDescription:
        """What the plan of this study would do, with what the study says of noise."""
        return describe(self.plan, study, size_bytes=self.size_bytes, around=self.around)


def plan_on(study: Study, rig: Rig) -> PlannedStudy:
    """The plan that a run would follow; raises as a run would. A block may be tried for it."""
    size_bytes, design = rig.size_bytes(study), design_of(rig, study)
    around = around_on(rig, study)
    plan = make_plan(
        study,
        size_bytes=size_bytes,
        side_by_side=design.side_by_side,
        strikes=rig.strikes(study),
        around=around,
    )
    return PlannedStudy(plan, size_bytes, design, around)


def cost_on(study: Study, rig: Rig) -> Cost:
    """What that plan takes, before its turns are in order and without a trial."""
    return cost_of(
        study,
        size_bytes=rig.size_bytes(study),
        side_by_side=design_of(rig, study).side_by_side,
        strikes=rig.strikes(study),
        around=rig.around(study),
    )


def pilot_lines(
    measured: PilotNoise | None, description: PlanDescription, side_by_side: bool
) -> list[str]:
    if measured is None:
        return []
    from fsgauge.plan.levels import corrected
    from fsgauge.plan.power import paired_percent, planned_percent

    lines = [
        f'pilot     "{measured.study}": {measured.cells} cells in {measured.blocks} blocks;'
        f" equal runs differed by {measured.noise_percent:.1f} %"
    ]
    if measured.side_by_side and not side_by_side:
        lines.append(
            "          the pilot was side by side and this plan goes one by one: what is compared"
            " stands further apart here, so expect more noise"
        )
    if side_by_side and not measured.side_by_side:
        lines.append(
            "          the pilot went one by one and this plan is side by side: what is compared"
            " stands closer here, so expect less noise"
        )
    if measured.cells > 1:
        level = corrected(description.sensitivity[0].comparisons)
        worst = planned_percent(description.blocks, paired_percent(measured.worst_percent), level)
        lines.append(
            f"          the noisiest, {measured.worst_cell}: {measured.worst_percent:.1f} %,"
            f" shows {changes(worst)}"
        )
    return lines


def refused_lines(refusals: Sequence[FsgaugeError], systems: Sequence[str]) -> list[str]:
    """What a run would refuse, before all else; empty where it would begin. What is refused of
    several systems alike is one reason, with their names."""
    if not refusals:
        return []
    named = [(each, _named_in(each, systems)) for each in refusals]
    groups = alike((one, one[1], "\n".join((one[0].what, *one[0].details))) for one in named)
    found = [f"fsgauge run would refuse this study, for {count(len(groups), 'reason')}:"]
    for _, ((error, _), *others) in groups:
        found += [f"refused   {error.what}", *(f"{MARGIN}{each}" for each in error.details)]
        if others:
            found.append(f"{MARGIN}also of {named_systems([name for _, name in others])}")
        found += [f"{MARGIN}cause: {error.cause}"] if error.cause else []
        ends = (each.next.partition(WITHOUT)[1:] for each, _ in others)
        without = " ".join([error.next, *filter(None, map("".join, ends))])
        found += [f"{MARGIN}next: {without}"] if without else []
    return [*found, ""]


def _named_in(error: FsgaugeError, systems: Sequence[str]) -> str:
    return next((name for name in systems if f'"{name}"' in error.what), "")


def method_lines(description: PlanDescription) -> list[str]:
    lines = [description.question, "", f"storage   {description.storage}"]
    for system in description.systems:
        options = [
            f"{key} {value}"
            for key, value in (("mkfs", system.mkfs), ("mount", system.mount))
            if value
        ]
        options += [
            f"{key.replace('_', ' ')} {exact_size(value)}"
            for key in ALLOCATING
            if (value := getattr(system, key)) is not None
        ]
        named = {**system.server, **system.settings}
        options += [f"{name} = {value}" for name, value in named.items()]
        if system.rig is not None and system.rig.volume is not None:
            options.append(f"volume {system.rig.volume}")
        if system.rig is not None and system.rig.reached_by is not None:
            options.append(f"reached by {system.rig.reached_by}")
        role = "baseline, twice in each block" if system.name == description.baseline else ""
        as_mounted = description.mounted.get(system.name, "")
        words = "; ".join([each for each in (role, as_mounted, *options) if each]) or "defaults"
        lines.append(f"system    {system.name}: {words}")
    lines += [f"starts    {in_margin(line)}" for line in description.starts]
    lines += [f"equal     {line}" for line in description.held_equal]
    lines += [f"different {line}" for line in description.different or ["nothing"]]
    lines += [f"not shown {line}" for line in description.cannot_tell]
    lines += [f"curve     {description.curve}"] if description.curve else []
    lines += [f"race      {description.race}"] if description.race else []
    lines += [f"partners  {line}" for line in description.partners]
    lines += [f"note      {line}" for line in description.cautions]
    lines += [f"less safe {line}" for line in description.less_safe]
    return lines


def in_margin(text: str) -> str:
    """Whole, so that no line of it looks like one of the plan."""
    return f"\n{MARGIN}  ".join(text.splitlines())


def order_lines(description: PlanDescription, cells: Sequence[Cell], whole: bool) -> list[str]:
    """The turns of the first block, or of all with every cell's name; and the faults."""
    of_id = {cell.id: cell for cell in cells}

    def words(ids: Sequence[str]) -> list[str]:
        return [", ".join(ids)] if whole else cells_in_words([of_id[each] for each in ids])

    lines = ["", f"order     {description.runs:,} runs in {description.blocks} blocks"]
    for block in range(description.blocks if whole else 1):
        turns = [turn for turn in description.turns if turn.block == block]
        names = [turn.title for turn in turns]
        stages = [
            words(turn.cells) for turn, name in zip(turns, names, strict=True) if name == names[0]
        ]
        lines.append(f"  block {block + 1}: " + ", ".join(dict.fromkeys(names)))
        for at, (first, *rest) in enumerate(stages):
            lines.append(f"    {'on a new system' if at else 'each'}: {first}")
            lines += [f"      {each}" for each in rest]
    if not whole and description.blocks > 1:
        lines.append(f"  and {description.blocks - 1} more in other orders (--order shows them)")
    return [*lines, *(f"fault     {line}" for line in description.faults)]


def time_and_bytes(description: PlanDescription) -> list[str]:
    span = span_words(description)
    if description.simulated:
        basis = f": {description.time_basis}" if description.time_basis else ""
        return [f"time      {span}{basis}", f"written   {written_words(description)}"]
    return [
        f"time      {span}, {100 * description.under_load_share:.0f} % of it under load",
        f"written   {written_words(description)}"
        + f" ({description.estimate_basis})" * (description.written_bytes_estimate > 0),
        *([f"endurance {description.endurance}"] if description.endurance else []),
    ]


def written_words(description: PlanDescription) -> str:
    """ "about 240 MiB", of a race "about 2 GiB, at worst 7 GiB"."""
    written = description.written_bytes_estimate
    if description.simulated:
        return f"nothing; {format_size(written)} in the model"
    worst = description.written_bytes_at_worst
    most = f", at worst {format_size(worst)}" if worst > written else ""
    return f"about {format_size(written)}{most}" if written else "what the program writes"


def span_words(description: PlanDescription) -> str:
    """How long it takes: "about 8.2 min (7.5 min to 9.1 min)", one time where both ends are nearly
    the same; where it is not known how machines run, "about 19 min emulated, 4 min with KVM"."""

    def words(seconds: float) -> str:
        return format_duration(int(seconds * 1e9))

    if description.simulated and not description.time_basis:
        return "not estimated: the rig does not say what it takes"
    span = words(description.expected_seconds)
    if description.instead is not None:
        seconds, how = description.instead
        span = f"{span} {description.how}, {words(seconds)} {how}"
    # Storage that is limited by the study has one speed, and no range.
    if description.longest_seconds is None:
        about = "" if description.simulated else "about "
        return f"{about}more than {span}"
    ends = description.shortest_seconds, description.longest_seconds
    if description.instead is None and ends[1] > ends[0] * _SAME_TIME:
        span += f" ({' to '.join(map(words, ends))})"
    return f"about {span}"


def cost_lines(description: PlanDescription, measured_by: str) -> list[str]:
    lines = ["", *time_and_bytes(description), f"destroyed {description.overwritten}", ""]
    if not description.sensitivity_known:
        noise = "how far lives with other seeds differ" if description.simulated else _MEASURED
        lines.append(f"shows     depends on {noise}:")
    comparisons = description.sensitivity[0].comparisons
    if comparisons > 1:
        lines.append(f"shows     in 80 of 100 studies, corrected for {comparisons} comparisons:")
    for each in description.sensitivity:
        needed = ", ".join(
            f"{effect:g} % needs {f'{count:,}' if count is not None else 'over 10,000'}"
            for effect, count in each.blocks_needed.items()
        )
        lines.append(
            f"shows     {changes(each.detectable_percent)} if equal runs differ by"
            f" {each.noise_percent:.3g} %{measured_by}; blocks: {needed}"
        )
    return lines


def changes(percent: float) -> str:
    """ "changes of 3.4 % or more"; where noise hides whatever anyone asks about, in words."""
    if percent >= HOPELESS_PERCENT:
        return "nothing below a tenfold change"
    digits = 1 if percent < _WHOLE_PERCENT else 0
    return f"changes of {percent:.{digits}f} % or more"


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
    """Printed unless more is asked: what is asked, compared, taken and destroyed, what would
    show, and the command that runs it.

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
