"""`fsgauge plan`: what a study compares, takes and would show."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.asked_study import AskedStudy, study_choices
from fsgauge.cli.choices import (
    consent_choices,
    fleet_choices,
    json_option,
    results_option,
    rig_option,
)
from fsgauge.errors import InputError
from fsgauge.exit_codes import ends, gravest
from fsgauge.programs.streams import json_line
from fsgauge.progress.terminal import width_of, wrapped_lines
from fsgauge.units import count, format_duration, parse_percent

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent
    from fsgauge.machine.facts.noise import KeptNoise
    from fsgauge.rig.rig import FleetChoice
    from fsgauge.stats.pilot import PilotNoise, PilotTime
    from fsgauge.study.model import Study


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
@json_option("The plan as JSON.")
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

    If `run` would refuse, the reasons come first.
    """
    from fsgauge.cli.plan_lines import (
        MARGIN,
        brief_lines,
        cost_lines,
        method_lines,
        order_lines,
        pilot_lines,
        plan_on,
        refused_lines,
        run_command,
    )
    from fsgauge.cli.sweeping import of_sweep, sweep_lines, sweep_words
    from fsgauge.plan.preview import describe
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.refusing import each_once, refused_by, require_none
    from fsgauge.rig.registry import require_hosts
    from fsgauge.rig.rig import is_untried
    from fsgauge.store.folder import require_place

    chosen, world = asked.placed(rig, hosts)
    require_hosts(world, chosen)
    with interruptible():
        place = partial(require_place, results)
        refusals = [*world.refusals(chosen, consent), *refused_by([place])]
        try:
            planned = plan_on(chosen, world)
        except InputError as error:  # what does not fit has no plan; the rest is refused with it
            require_none(each_once([*refusals, error]))
            raise
    plan, around, size_bytes = planned.plan, planned.around, planned.size_bytes
    measured, time, is_same = _pilot_of(pilot, noise, chosen, size_bytes)
    noise_percent = parse_percent(noise) if noise else None
    if measured is not None:
        noise_percent = measured.noise_percent
    kept = None
    if noise_percent is None and chosen.plan.noise_percent is None:
        kept = world.last_noise(chosen)
    seen = world.folders(chosen)
    description = describe(
        plan,
        chosen,
        kept.of_design(plan.side_by_side) if kept is not None else noise_percent,
        size_bytes=size_bytes,
        measured=(time.block_seconds, time.shortest_seconds, time.longest_seconds)
        if time and is_same
        else None,
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
    lines = refused_lines(refusals, [system.name for system in chosen.systems])
    if not (refusals and is_untried(world, around)):
        if verbose:
            lines += [*sweep_lines(chosen), *method_lines(description)]
        else:
            lines += brief_lines(
                description,
                _measured_by(kept, measured),
                None if refusals else run_command(sys.argv[2:]),
                doctor_measures=world.keeps_noise,
                points=sweep_words(chosen),
            )
        if verbose or order:
            lines += order_lines(description, plan.cells, order)
        if verbose:
            source = f" ({count(kept.blocks, 'block')}, {kept.source})" if kept is not None else ""
            lines += cost_lines(description, _measured_by(kept, measured, source))
            lines += pilot_lines(measured, description, plan.side_by_side)
            lines += _pilot_time(time, is_same)
    click.echo("\n".join(wrapped_lines(lines, width_of(sys.stdout), MARGIN)))
    return code


def _measured_by(kept: KeptNoise | None, pilot: PilotNoise | None, source: str = "") -> str:
    """ ", as fsgauge doctor measured in /var/tmp on 2026-11-23 02:10"; ', as the pilot "gate"
    showed'; "" where neither is. `source` is said of a run that was kept."""
    if pilot is not None:
        return f', as the pilot "{pilot.study}" showed'
    if kept is None:
        return ""
    when = f"{datetime.fromtimestamp(kept.measured_unix_s, UTC).astimezone():%Y-%m-%d %H:%M}"
    if not kept.study:
        return f", as fsgauge doctor measured in {kept.source} on {when}"
    return f', as "{kept.study}" showed on this storage on {when}{source}'


def _pilot_of(
    pilot: Path | None, noise: str | None, study: Study, size_bytes: int
) -> tuple[PilotNoise | None, PilotTime | None, bool]:
    """A pilot's noise and time, and whether a block of this study does the same work."""
    if pilot is None:
        return None, None, False
    if noise:
        raise InputError(
            "--noise and --pilot both say what the noise is",
            next="keep one: --pilot takes it from a folder of results",
        )
    from fsgauge.stats.pilot import is_of_same_work, pilot_noise, pilot_time
    from fsgauge.store import read_results
    from fsgauge.study.storage import is_preconditioned

    stored = read_results(pilot)
    document = study.model_dump(mode="json", by_alias=True)
    is_same = is_of_same_work(stored.study, stored.before, document, size_bytes)
    is_same = is_same and not is_preconditioned(study.storage)  # its rounds are in no pilot's time
    time = pilot_time(stored.study, stored.turns, stored.runs, stored.steps)
    return pilot_noise(stored.study, stored.runs), time, is_same


def _pilot_time(time: PilotTime | None, is_same: bool) -> list[str]:
    if time is None:
        return []
    took = f"          the pilot took {format_duration(int(time.block_seconds * 1e9))} a block"
    other = "of other cells, systems or storage: the time is not taken from it"
    return [f"{took}, {'the same work: the time is taken from it' if is_same else other}"]
