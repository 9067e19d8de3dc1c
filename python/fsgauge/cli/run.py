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
    style: str | None,
) -> int:
    """Run STUDY (a shipped name or a file) and write its report.

    The answer and the report's path are the last two lines.
    """
    from fsgauge.cli.execution import execute

    chosen = chosen_study(study, overrides, systems, storage, seed, serve)
    return execute(
        chosen,
        rig=rig,
        results=results,
        destroy=chosen_consent(destroy, discard_unknown_data),
        style=style,
    )
