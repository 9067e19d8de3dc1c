"""`fsgauge report`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(directories: tuple[Path, ...]) -> None:
    """Make the report of each results folder again, from its records alone.

    Needs no root, no engine and no disk; works on another machine, years later.
    """
    from fsgauge.cli.answer import make_report

    for directory in directories:
        answer, page = make_report(directory)
        click.echo(f"answer: {answer}\nreport: {page}")
