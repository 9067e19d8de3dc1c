"""`fsgauge history`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.changed_records import accept_changed_choice

if TYPE_CHECKING:
    from fsgauge.stats.folders.history import History


@click.command("history")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--despite",
    multiple=True,
    metavar="FACT",
    help="Follow although this fact differs that must be equal. May be repeated.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where history.html is written. Default: the newest of the folders.",
)
@accept_changed_choice
@click.option("--json", "as_json", is_flag=True, help="The history as JSON.")
def command(
    directories: tuple[Path, ...],
    despite: tuple[str, ...],
    output: Path | None,
    accept_changed: bool,
    as_json: bool,
) -> None:
    """Where many results folders of one study took a step, and what changed there.

    Follows ratios to the baseline, never rates. The order is that of time.
    """
    from fsgauge.report.compared import read_sides
    from fsgauge.report.history import cautions, summary, write_history
    from fsgauge.stats.folders.history import follow
    from fsgauge.store.seals import understood

    sides = read_sides(directories, accept_changed=accept_changed)
    with understood(tuple(change for side in sides for change in side.changes)):
        history = follow(sides, despite=despite)
    starts = [side.study.started_unix_ns for side in sides]
    newest = directories[starts.index(max(starts))]
    page = write_history(history, output or newest)
    if as_json:
        click.echo(history.model_dump_json())
        return
    for caution in cautions(history):
        sys.stderr.write(f"warning: {caution}\n")
    click.echo(summary(history))
    for line in _steps(history):
        click.echo(line)
    click.echo(f"page: {page}")


def _steps(history: History) -> list[str]:
    from fsgauge.report.history import step_lines

    return [
        f"{step.direction:<7} {step.cell}, {step.system}: {step.ratio} ({step.interval}) since"
        f" {step.since}; changed there: {step.changed}"
        for step in step_lines(history)
    ]
