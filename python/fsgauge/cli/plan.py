"""`fsgauge plan`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import (
    chosen_consent,
    chosen_study,
    consent_choices,
    fleet_choices,
    results_option,
    rig_option,
    study_choices,
)
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.plan.preview import MeasuredTime, PlanDescription
from fsgauge.stats.wording import HOPELESS_PERCENT
from fsgauge.study.model import Study
from fsgauge.study.storage import is_preconditioned
from fsgauge.study.system import ALLOCATING
from fsgauge.terminal import say, width_of, wrapped_lines
from fsgauge.units import exact_size, format_duration, format_size

if TYPE_CHECKING:
    from fsgauge.rig.fleet.choice import FleetChoice
    from fsgauge.rig.host.machine.kept_noise import KeptNoise
    from fsgauge.rig.rig import Rig
    from fsgauge.stats.pilot import PilotNoise, PilotTime

_MARGIN = " " * 10
"""Below the name that a line begins with."""
_MEASURED = "the noise here, which fsgauge doctor measures"
_WHOLE_PERCENT = 20.0
"""From here on, a change is shown without decimals: the pilot's noise has no more digits."""


@click.command("plan")
@study_choices
@rig_option
@fleet_choices
@consent_choices
@results_option
@click.option("--noise", metavar="PERCENT", help='How much identical runs differ here: "3 %".')
@click.option(
    "--pilot",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A results folder measured here: gives the noise and, for the same work, the time.",
)
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON.")
@click.option(
    "--order", is_flag=True, help="Show the turns of every block, not of the first alone."
)
def command(
    study: str,
    overrides: tuple[str, ...],
    systems: tuple[str, ...],
    baseline: str | None,
    without: tuple[str, ...],
    storage: str | None,
    serve: str | None,
    seed: int | None,
    rig: str | None,
    hosts: FleetChoice,
    destroy: tuple[str, ...],
    discard_unknown_data: bool,
    results: Path,
    noise: str | None,
    pilot: Path | None,
    as_json: bool,
    order: bool,
) -> int:
    """Show what STUDY would run: order, time and bytes written. Nothing is measured.

    Takes the words of `fsgauge run` and looks at what that would refuse. File systems are made once
    on a scratch image and, as root, mounted; it is gone within half a minute. No device is touched.

    Exit codes: 0 the run would begin, as far as can be known before it; 2 it would be refused,
    which is said first.
    """
    from fsgauge.cli.sweeping import sweep_lines
    from fsgauge.interruption import interruptible
    from fsgauge.plan.preview import describe
    from fsgauge.plan.turns import make_plan
    from fsgauge.rig.design import design_of
    from fsgauge.rig.registry import rig_for, rig_named, study_on
    from fsgauge.rig.rig import (
        FoldersSeen,
        UsesFolders,
        around_on,
        require_hosts,
        strikes_of,
        takes_on,
    )
    from fsgauge.units import parse_percent

    study = study_on(rig, study)
    chosen = chosen_study(study, overrides, systems, storage, seed, serve, baseline, without)
    world = rig_named(rig_for(chosen, rig), say, hosts)
    require_hosts(world, chosen)
    consent = chosen_consent(destroy, discard_unknown_data)
    size_bytes = world.size_bytes(chosen)
    design = design_of(world, chosen)
    with interruptible():
        takes = takes_on(world, chosen)
    around = around_on(world, chosen)
    plan = make_plan(
        chosen,
        size_bytes=size_bytes,
        side_by_side=design.side_by_side,
        strikes=strikes_of(world, chosen),
        takes=takes,
        around=around,
    )
    with interruptible():
        refusals = [*world.refusals(chosen, consent), *_refused_results(results)]
    measured = _measured_noise(pilot, noise)
    time, is_same = _measured_time(pilot, chosen, size_bytes)
    noise_percent = parse_percent(noise) if noise else None
    if measured is not None:
        noise_percent = measured.noise_percent
    kept = _kept_noise(world, chosen) if noise_percent is None else None
    seen = world.folders(chosen) if isinstance(world, UsesFolders) else FoldersSeen({}, [])
    description = describe(
        plan,
        chosen,
        kept.of_design(plan.side_by_side) if kept is not None else noise_percent,
        size_bytes=size_bytes,
        measured=_of_block(time, is_same),
        one_by_one_because=design.because,
        folders=seen.facts,
        cautions=seen.cautions,
        takes=takes,
        around=around,
    )
    code = InputError.exit_code if refusals else 0
    if as_json:
        document = {
            "plan": plan.model_dump(),
            "description": description.model_dump(),
            "pilot": measured.model_dump() if measured else None,
            "pilot_time": {**time.model_dump(), "used": is_same} if time else None,
            "kept_noise": asdict(kept) if kept else None,
            "refusals": [
                {"what": each.what, "details": each.details, "cause": each.cause, "next": each.next}
                for each in refusals
            ],
        }
        click.echo(json.dumps(document))
        return code
    lines = [
        *_refused(refusals),
        *sweep_lines(chosen),
        *_method(description),
        *_order(description, order),
    ]
    lines += _cost(description, _measured_by(kept))
    lines += [*_pilot(measured, description, plan.side_by_side), *_pilot_time(time, is_same)]
    click.echo("\n".join(wrapped_lines(lines, width_of(sys.stdout), _MARGIN)))
    return code


def _refused_results(results: Path) -> list[FsgaugeError]:
    """What `run` would say of the folder for its results."""
    from fsgauge.store.folder import require_place

    try:
        require_place(results)
    except FsgaugeError as error:
        return [error]
    return []


def _kept_noise(world: Rig, study: Study) -> KeptNoise | None:
    """What was last measured on this storage, unless the study itself says how noisy it is."""
    from fsgauge.rig.rig import KeepsNoise

    if study.plan.noise_percent is not None or not isinstance(world, KeepsNoise):
        return None
    return world.last_noise(study)


def _measured_by(kept: KeptNoise | None) -> str:
    """ ", as fsgauge doctor measured in /var/tmp on 2026-11-23 02:10"; "" where nothing is kept."""
    if kept is None:
        return ""
    when = f"{datetime.fromtimestamp(kept.measured_unix_s, UTC).astimezone():%Y-%m-%d %H:%M}"
    if not kept.study:
        return f", as fsgauge doctor measured in {kept.source} on {when}"
    return (
        f', as the run of "{kept.study}" on this storage showed on {when}'
        f" ({kept.blocks} blocks, {kept.source})"
    )


def _measured_noise(pilot: Path | None, noise: str | None) -> PilotNoise | None:
    if pilot is None:
        return None
    if noise:
        raise InputError(
            "--noise and --pilot both say what the noise is",
            next="keep one: --pilot takes it from a folder of results",
        )
    from fsgauge.stats.pilot import pilot_noise
    from fsgauge.store import read_results

    stored = read_results(pilot)
    return pilot_noise(stored.study, stored.runs)


def _measured_time(
    pilot: Path | None, study: Study, size_bytes: int
) -> tuple[PilotTime | None, bool]:
    """What a block of the pilot took, and whether a block of this study does the same work."""
    if pilot is None:
        return None, False
    from fsgauge.stats.pilot import is_of_same_work, pilot_time
    from fsgauge.store import read_results

    stored = read_results(pilot)
    document = study.model_dump(mode="json", by_alias=True)
    is_same = is_of_same_work(stored.study, stored.environment_before, document, size_bytes)
    is_same = is_same and not is_preconditioned(study.storage)  # its rounds are in no pilot's time
    return pilot_time(stored.study, stored.turns, stored.runs, stored.steps), is_same


def _of_block(time: PilotTime | None, is_same: bool) -> MeasuredTime | None:
    if time is None or not is_same:
        return None
    return MeasuredTime(
        mean=time.block_seconds, shortest=time.shortest_seconds, longest=time.longest_seconds
    )


def _pilot_time(time: PilotTime | None, is_same: bool) -> list[str]:
    if time is None:
        return []
    took = f"          the pilot took {format_duration(int(time.block_seconds * 1e9))} a block"
    if is_same:
        return [f"{took}, the same work: the time is taken from it"]
    return [f"{took}, of other cells, systems or storage: the time is not taken from it"]


def _pilot(
    measured: PilotNoise | None, description: PlanDescription, side_by_side: bool
) -> list[str]:
    """Where the noise comes from, and what the worst cell would show."""
    if measured is None:
        return []
    from fsgauge.plan.power import corrected, detectable_percent, paired_percent

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
        worst = detectable_percent(
            description.blocks, paired_percent(measured.worst_percent), level
        )
        lines.append(
            f"          the noisiest, {measured.worst_cell}: {measured.worst_percent:.1f} %,"
            f" shows {_changes(worst)}"
        )
    return lines


def _refused(refusals: Sequence[FsgaugeError]) -> list[str]:
    """What a run would refuse, before all else; empty where it would begin."""
    if not refusals:
        return []
    reasons = "1 reason" if len(refusals) == 1 else f"{len(refusals)} reasons"
    found = [f"fsgauge run would refuse this study, for {reasons}:"]
    for error in refusals:
        found += [f"refused   {error.what}", *(f"{_MARGIN}{each}" for each in error.details)]
        found += [f"{_MARGIN}cause: {error.cause}"] if error.cause else []
        found += [f"{_MARGIN}next: {error.next}"] if error.next else []
    return [*found, ""]


def _method(description: PlanDescription) -> list[str]:
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
        options += [f"reached by {by}"] if system.rig and (by := system.rig.reached_by) else []
        role = "baseline, twice in each block" if system.name == description.baseline else ""
        as_mounted = description.mounted.get(system.name, "")
        words = "; ".join([each for each in (role, as_mounted, *options) if each]) or "defaults"
        lines.append(f"system    {system.name}: {words}")
    lines += [f"equal     {line}" for line in description.held_equal]
    lines += [f"different {line}" for line in description.different or ["nothing"]]
    lines += [f"not shown {line}" for line in description.cannot_tell]
    lines += [f"partners  {line}" for line in description.partners]
    lines += [f"note      {line}" for line in description.cautions]
    lines += [f"durable   {line}" for line in description.durability]
    return lines


def _order(description: PlanDescription, whole: bool) -> list[str]:
    lines = ["", f"order     {description.runs} runs in {description.blocks} blocks"]
    for block in range(description.blocks if whole else 1):
        turns = [turn for turn in description.turns if turn.block == block]
        names = [turn.title for turn in turns]
        stages = [
            ", ".join(turn.cells)
            for turn, name in zip(turns, names, strict=True)
            if name == names[0]
        ]
        lines.append(f"  block {block + 1}: " + ", ".join(dict.fromkeys(names)))
        lines.append("    each: " + stages[0])
        lines += [f"    on a new system: {stage}" for stage in stages[1:]]
    if not whole and description.blocks > 1:
        lines.append(f"  and {description.blocks - 1} more in other orders (--order shows them)")
    return [*lines, *(f"fault     {line}" for line in description.faults)]


def time_and_bytes(description: PlanDescription) -> list[str]:
    """A line of time and a line of bytes written."""

    def words(seconds: float) -> str:
        return format_duration(int(seconds * 1e9))

    span = words(description.expected_seconds)
    # Storage that is limited by the study has one speed, and no range.
    if description.longest_seconds is None:
        span = f"more than {span}"
    elif description.shortest_seconds != description.longest_seconds:
        span += f" ({words(description.shortest_seconds)} to {words(description.longest_seconds)})"
    if description.simulated:
        time = "not estimated: the rig does not say what it takes"
        if description.time_basis:
            about = "" if description.longest_seconds is None else "about "
            time = f"{about}{span}: {description.time_basis}"
        return [
            f"time      {time}",
            f"written   nothing; {format_size(description.written_bytes_estimate)} in the model",
        ]
    return [
        f"time      about {span}, {description.under_load_share:.0%} of it under load",
        f"written   about {format_size(description.written_bytes_estimate)}"
        f" ({description.estimate_basis})",
        *([f"endurance {description.endurance}"] if description.endurance else []),
    ]


def _cost(description: PlanDescription, measured_by: str) -> list[str]:
    lines = ["", *time_and_bytes(description), f"destroyed {description.overwritten}", ""]
    if not description.sensitivity_known:
        noise = "how far lives with other seeds differ" if description.simulated else _MEASURED
        lines.append(f"shows     depends on {noise}:")
    comparisons = description.sensitivity[0].comparisons
    if comparisons > 1:
        lines.append(f"shows     in 80 of 100 studies, corrected for {comparisons} comparisons:")
    for each in description.sensitivity:
        needed = ", ".join(
            f"{effect:g} % needs {count if count is not None else 'over 10 000'}"
            for effect, count in each.blocks_needed.items()
        )
        lines.append(
            f"shows     {_changes(each.detectable_percent)} if equal runs differ by"
            f" {each.noise_percent:.3g} %{measured_by}; blocks: {needed}"
        )
    return lines


def _changes(percent: float) -> str:
    """ "changes of 3.4 % or more"; where noise hides whatever anyone asks about, in words."""
    if percent >= HOPELESS_PERCENT:
        return "nothing that matters, not even a tenfold change,"
    return f"changes of {percent:.{int(percent < _WHOLE_PERCENT)}f} % or more"
