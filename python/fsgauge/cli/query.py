"""`fsgauge query`."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from fsgauge.cli.choices import despite_choice
from fsgauge.errors import escaped
from fsgauge.programs.streams import json_line

Rows = list[tuple[Any, ...]]
_TABLE_ROWS_LIMIT = 1000


@click.command("query")
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("sql", required=False)
@click.option("--json", "style", flag_value="json", help="One JSON object per row.")
@click.option("--csv", "style", flag_value="csv", help="Comma-separated, with a header.")
@despite_choice()
def command(directory: Path, sql: str | None, style: str | None, accept_changed: bool) -> None:
    """Query the records in DIRECTORY with one SELECT. Without SQL, list the views and columns.

    Read-only; no file outside DIRECTORY can be read:

    fsgauge query DIR "select system, cell, iops, bandwidth, p99_ms from rates"
    """
    from fsgauge.store.query import asked

    if sql is None:
        _list_views(directory, style)
        return
    with asked(directory, sql, accept_changed=accept_changed) as answer:
        for change in answer.changes:
            click.echo(f"warning: {change}", err=True)
        written = {"json": _as_json, "csv": _as_csv, None: _as_table}[style]
        written(answer.columns, answer.batches())


def _list_views(directory: Path, style: str | None) -> None:
    from fsgauge.store.folder import opened_results
    from fsgauge.store.views import VIEWS

    with opened_results(directory):
        pass
    rows: Rows = [
        (view.name, column.name, column.type, column.meaning)
        for view in VIEWS
        for column in view.columns
    ]
    if style is not None:
        written = _as_json if style == "json" else _as_csv
        written(("view", "column", "type", "meaning"), [rows])
        return
    for view in VIEWS:
        click.echo(f"{view.name}: {view.row}")
        if view.twin_of:
            click.echo(f"    the columns of {view.twin_of}")
            continue
        for column in view.columns:
            click.echo(f"    {column.name:28} {column.type:8} {column.meaning}")
    click.echo('\nfsgauge query DIR "select system, cell, iops, bandwidth, p99_ms from rates"')


def _as_json(columns: Sequence[str], batches: Iterable[Rows]) -> None:
    for rows in batches:
        for row in rows:
            click.echo(json_line(dict(zip(columns, row, strict=True))))


def _as_csv(columns: Sequence[str], batches: Iterable[Rows]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")  # a carriage return would be escaped
    writer.writerow(columns)
    for rows in batches:
        writer.writerows(rows)


def _as_table(columns: Sequence[str], batches: Iterable[Rows]) -> None:
    shown: Rows = []
    total = 0
    for rows in batches:
        shown += rows[: _TABLE_ROWS_LIMIT - len(shown)]
        total += len(rows)
    words = [["" if each is None else escaped(str(each)) for each in row] for row in shown]
    cells = [[*map(escaped, columns)], *words]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]
    numbers = [all(isinstance(row[at], int | float) for row in shown) for at in range(len(widths))]
    for row in cells:
        padded = (
            word.rjust(width) if number else word.ljust(width)
            for word, width, number in zip(row, widths, numbers, strict=True)
        )
        click.echo("  ".join(padded).rstrip())
    if total > len(shown):
        click.echo(f"{total - len(shown)} more rows: --csv or --json prints all", err=True)
