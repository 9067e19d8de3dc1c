"""`fsgauge run` and `resume`: a study measured, and continued."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import (
    accept_changed_choice,
    chosen_consent,
    chosen_study,
    consent_choices,
    fleet_choices,
    progress_choices,
    results_option,
    rig_option,
    study_choices,
)

if TYPE_CHECKING:
    from fsgauge.rig.rig import FleetChoice


@click.command("run")
@study_choices
@rig_option
@fleet_choices
@consent_choices
@results_option
@click.option(
    "--yes",
    "-y",
    is_flag=True,
    help="Begin without asking. Asked on a terminal alone, above 15 min or 100 GiB written.",
)
@progress_choices
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
    yes: bool,
    style: str | None,
) -> int:
    """Run STUDY (a shipped name or a file) and write its report.

    A shipped study takes minutes. --full is its whole sweep, --as-published the method of the
    publication it began from.

    The last two lines are the answer and the path of the report.
    """
    from fsgauge.cli.asking import ask_where_long
    from fsgauge.cli.execution import execute
    from fsgauge.cli.submitting import submit
    from fsgauge.rig.fleet.choice import is_submitted
    from fsgauge.rig.registry import rig_for, rig_named, study_on

    study = study_on(rig, study)
    chosen = chosen_study(study, overrides, systems, storage, seed, serve, baseline, without)
    rig = rig_for(chosen, rig)
    chosen = rig_named(rig).placed(chosen)
    if chosen.sweep is not None:
        from fsgauge.cli.sweeping import run_sweep

        return run_sweep(chosen, rig, results)
    if is_submitted(hosts):
        return submit(chosen, hosts)
    if not yes:
        ask_where_long(chosen, rig_named(rig, hosts=hosts))
    return execute(
        chosen,
        rig=rig,
        hosts=hosts,
        results=results,
        destroy=chosen_consent(destroy, discard_unknown_data),
        style=style,
    )


@click.command("resume")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--rig", metavar="RIG", help="Must be the rig that the study began on, which is the default."
)
@fleet_choices
@consent_choices
@accept_changed_choice
@progress_choices
def resume(
    directory: Path,
    rig: str | None,
    hosts: FleetChoice,
    destroy: tuple[str, ...],
    discard_unknown_data: bool,
    accept_changed: bool,
    style: str | None,
) -> int:
    """Continue the study in DIRECTORY after an interruption or a kill.

    Plan, seed and study are those that the folder recorded. The block that was cut short is
    measured again from its first turn; its records move to records-abandoned/. A study on a fleet
    needs its hosts again.
    """
    from fsgauge.cli.execution import execute_again
    from fsgauge.cli.sweeping import resume_sweep
    from fsgauge.sweep.folder import is_sweep

    if is_sweep(directory):
        return resume_sweep(directory, accept_changed=accept_changed)
    return execute_again(
        directory,
        rig=rig,
        hosts=hosts,
        destroy=chosen_consent(destroy, discard_unknown_data),
        style=style,
        accept_changed=accept_changed,
    )
