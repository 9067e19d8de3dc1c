"""`fsgauge run`."""

from __future__ import annotations

from pathlib import Path

import click

from fsgauge.cli.choices import (
    chosen_consent,
    chosen_study,
    consent_choices,
    progress_choices,
    results_option,
    rig_option,
    study_choices,
)


@click.command("run")
@study_choices
@rig_option
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
    storage: str | None,
    serve: str | None,
    seed: int | None,
    rig: str,
    destroy: str | None,
    discard_unknown_data: bool,
    results: Path,
    yes: bool,
    style: str | None,
) -> int:
    """Run STUDY (a shipped name or a file) and write its report.

    A shipped study takes minutes; --full is its whole sweep, --as-published what others did.

    The answer and the report's path are the last two lines.
    """
    from fsgauge.cli.asking import ask_where_long
    from fsgauge.cli.execution import execute
    from fsgauge.rig.registry import rig_named

    chosen = chosen_study(study, overrides, systems, storage, seed, serve)
    if not yes:
        ask_where_long(chosen, rig_named(rig))
    return execute(
        chosen,
        rig=rig,
        results=results,
        destroy=chosen_consent(destroy, discard_unknown_data),
        style=style,
    )
