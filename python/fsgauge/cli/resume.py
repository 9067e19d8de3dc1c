"""`fsgauge resume`."""

from __future__ import annotations

from pathlib import Path

import click

from fsgauge.cli.changed_records import accept_changed_choice
from fsgauge.cli.choices import chosen_consent, consent_choices, progress_choices


@click.command("resume")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--rig", metavar="RIG", help="The study's own unless given; no other goes on with it."
)
@consent_choices
@accept_changed_choice
@progress_choices
def command(
    directory: Path,
    rig: str | None,
    destroy: str | None,
    discard_unknown_data: bool,
    accept_changed: bool,
    style: str | None,
) -> int:
    """Go on with the study in DIRECTORY that was interrupted or killed.

    Same plan, same seed, same study, as the folder recorded them. The block that was cut short is
    measured again from its first turn; what there was of it moves to records-abandoned/.
    """
    from fsgauge.cli.execution import execute_again

    return execute_again(
        directory,
        rig=rig,
        destroy=chosen_consent(destroy, discard_unknown_data),
        style=style,
        accept_changed=accept_changed,
    )
