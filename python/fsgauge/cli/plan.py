"""`fsgauge plan`, and the six lines that it prints unless more is asked."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli import plan_lines
from fsgauge.cli.asked_study import AskedStudy, study_choices
from fsgauge.cli.choices import consent_choices, fleet_choices, results_option, rig_option
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.exit_codes import ends, gravest
from fsgauge.plan.preview import MeasuredTime, PlanDescription, Sensitivity
from fsgauge.programs.streams import json_line
from fsgauge.progress.terminal import width_of, wrapped_lines
from fsgauge.study.model import Study
from fsgauge.study.storage import is_preconditioned
from fsgauge.units import count, format_duration, format_size, some_of

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent
    from fsgauge.machine.facts.noise import KeptNoise
    from fsgauge.rig.rig import FleetChoice, Rig
    from fsgauge.stats.pilot import PilotNoise, PilotTime


@click.command("plan")
@ends("plan")
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
    "--verbose",
    is_flag=True,
    help="Also what is equal in all systems, cautions, the order, and what each effect needs.",
)
@click.option(
    "--order", is_flag=True, help="Show the turns of every block, not of the first alone."
)
def command(
    asked: AskedStudy,
    rig: str | None,
    hosts: FleetChoice,
    consent: Consent | None,
    results: Path,
    noise: str | None,
    pilot: Path | None,
    as_json: bool,
    verbose: bool,
    order: bool,
) -> int:
    """Show what STUDY would compare, how long it takes, what it writes and what would show.

    Takes the same options as `fsgauge run` and checks them all; nothing is measured. File systems
    are made once on a scratch image and, as root, mounted (takes up to 30 s). No device is touched.

    What a run would refuse comes first, and alone where a rig has to try a block to know its time.
    """
    from fsgauge.cli.sweeping import of_sweep, sweep_lines
    from fsgauge.plan.preview import describe
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.refusing import each_once, require_none
    from fsgauge.rig.registry import require_hosts
    from fsgauge.rig.rig import is_untried
    from fsgauge.units import parse_percent

    chosen, world = asked.placed(rig, hosts)
    require_hosts(world, chosen)
    with interruptible():
        refusals = [*world.refusals(chosen, consent), *_refused_results(results)]
        try:
            planned = plan_lines.plan_on(chosen, world)
        except InputError as error:  # what does not fit has no plan; the rest is refused with it
            require_none(each_once([*refusals, error]))
            raise
    plan, around, size_bytes = planned.plan, planned.around, planned.size_bytes
    measured, time, is_same = _pilot_of(pilot, noise, chosen, size_bytes)
    noise_percent = parse_percent(noise) if noise else None
    if measured is not None:
        noise_percent = measured.noise_percent
    kept = _kept_noise(world, chosen) if noise_percent is None else None
    seen = world.folders(chosen)
    description = describe(
        plan,
        chosen,
        kept.of_design(plan.side_by_side) if kept is not None else noise_percent,
        size_bytes=size_bytes,
        measured=_of_block(time, is_same),
        one_by_one_because=planned.design.because,
        folders=seen.facts,
        cautions=[*seen.cautions, *world.storage_cautions(chosen)],
        storage=world.storage_words(chosen),
        around=around,
    )
    with interruptible():
        description = of_sweep(description, chosen, world)
    code = gravest([InputError.exit_code] * bool(refusals))
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
        click.echo(json_line(document))
        return code
    lines = plan_lines.refused_lines(refusals)
    if not (refusals and is_untried(world, around)):
        lines += sweep_lines(chosen)
        if verbose:
            lines += plan_lines.method_lines(description)
        else:
            run = None if refusals else run_command(sys.argv[2:])
            lines += brief_lines(
                description, _measured_by(kept), run, doctor_measures=world.keeps_noise
            )
        if verbose or order:
            lines += plan_lines.order_lines(description, plan.cells, order)
        if verbose:
            lines += plan_lines.cost_lines(description, _measured_by(kept))
        lines += plan_lines.pilot_lines(measured, description, plan.side_by_side)
        lines += _pilot_time(time, is_same)
    click.echo("\n".join(wrapped_lines(lines, width_of(sys.stdout), plan_lines.MARGIN)))
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

    return world.last_noise(study) if study.plan.noise_percent is None else None


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


def _pilot_of(
    pilot: Path | None, noise: str | None, study: Study, size_bytes: int
) -> tuple[PilotNoise | None, PilotTime | None, bool]:
    """The noise of the pilot and what a block of it took, and whether a block of this study does
    the same work."""
    if pilot is None:
        return None, None, False
    if noise:
        raise InputError(
            "--noise and --pilot both say what the noise is",
            next="keep one: --pilot takes it from a folder of results",
        )
    from fsgauge.stats.pilot import is_of_same_work, pilot_noise, pilot_time
    from fsgauge.store import read_results

    stored = read_results(pilot)
    document = study.model_dump(mode="json", by_alias=True)
    is_same = is_of_same_work(stored.study, stored.environment_before, document, size_bytes)
    is_same = is_same and not is_preconditioned(study.storage)  # its rounds are in no pilot's time
    time = pilot_time(stored.study, stored.turns, stored.runs, stored.steps)
    return pilot_noise(stored.study, stored.runs), time, is_same


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


def _systems(description: PlanDescription) -> str:
    names = [
        f"{system.name} (baseline, twice)" if system.name == description.baseline else system.name
        for system in description.systems
    ]
    return some_of(names, _MOST_NAMED)


def _cost(description: PlanDescription) -> str:
    runs = f"{count(description.runs, 'run')} in {count(description.blocks, 'block')}"
    writes = f"writes {plan_lines.written_words(description)}"
    if description.simulated:
        writes = f"writes nothing; {format_size(description.written_bytes_estimate)} in the model"
    worn = f" ({description.endurance})" if description.endurance else ""
    return f"{plan_lines.span_words(description)}, {runs}; {writes}{worn}"


def _detects(description: PlanDescription, measured_by: str, doctor_measures: bool) -> str:
    """The smallest effect; where the noise is not known, for the middle of what is supposed."""
    found = description.sensitivity
    shown = found[len(found) // 2]
    noise = f"{shown.noise_percent:.3g} %"
    seen = plan_lines.changes(shown.detectable_percent).rstrip(",")
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
    return f"\n{plan_lines.MARGIN}a change of {effect:g} % needs {needed}"
