"""`fsgauge report`."""

from __future__ import annotations

from pathlib import Path

import click

from fsgauge.cli.changed_records import accept_changed_choice


@click.command("report")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--disk",
    multiple=True,
    metavar="KEY=VALUE",
    help="Predict rates (study aging) for another disk: window=16, seek_average='4 ms'.",
)
@accept_changed_choice
def command(directories: tuple[Path, ...], disk: tuple[str, ...], accept_changed: bool) -> None:
    """Make the report of each results folder again, from its records alone.

    Needs no root, no engine and no disk; works on another machine, years later.
    """
    from fsgauge.cli.answer import make_report

    for directory in directories:
        answer, page = make_report(directory, disk, accept_changed=accept_changed)
        click.echo(f"answer: {answer}\nreport: {page}")
