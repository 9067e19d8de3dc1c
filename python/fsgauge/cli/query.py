"""`fsgauge query`."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsgauge.cli.choices import despite_choice
from fsgauge.errors import escaped
from fsgauge.programs.streams import json_line

if TYPE_CHECKING:
    from _csv import Writer

    from fsgauge.store.query import Answer

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
        {"json": _as_json, "csv": _as_csv, None: _as_table}[style](answer)


def _list_views(directory: Path, style: str | None) -> None:
    from fsgauge.store.folder import opened_results
    from fsgauge.store.views import VIEWS

    with opened_results(directory):
        pass
    rows = [
        (view.name, column.name, column.type, column.meaning)
        for view in VIEWS
        for column in view.columns
    ]
    if style is not None:
        names = ["view", "column", "type", "meaning"]
        _rows_as_json(names, rows) if style == "json" else _rows_as_csv(names, rows)
        return
    for view in VIEWS:
        click.echo(f"{view.name}: {view.row}")
        if view.twin_of:
            click.echo(f"    the columns of {view.twin_of}")
            continue
        for column in view.columns:
            click.echo(f"    {column.name:28} {column.type:8} {column.meaning}")
    click.echo('\nfsgauge query DIR "select system, cell, iops, bandwidth, p99_ms from rates"')


def _as_json(answer: Answer) -> None:
    for rows in answer.batches():
        _rows_as_json(answer.columns, rows)


def _rows_as_json(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    for row in rows:
        click.echo(json_line(dict(zip(names, row, strict=True))))


def _as_csv(answer: Answer) -> None:
    _csv().writerow(answer.columns)
    for rows in answer.batches():
        _csv().writerows(rows)


def _csv() -> Writer:
    """Lines end as all of ours: a carriage return would be escaped."""
    return csv.writer(sys.stdout, lineterminator="\n")


def _rows_as_csv(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    _csv().writerows([names, *rows])


def _as_table(answer: Answer) -> None:
    shown: list[tuple[Any, ...]] = []
    total = 0
    for rows in answer.batches():
        shown += rows[: _TABLE_ROWS_LIMIT - len(shown)]
        total += len(rows)
    cells = [[*map(escaped, answer.columns)], *([_word(value) for value in row] for row in shown)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(answer.columns))]
    numbers = [all(isinstance(row[at], int | float) for row in shown) for at in range(len(widths))]
    for row in cells:
        padded = (
            word.rjust(width) if number else word.ljust(width)
            for word, width, number in zip(row, widths, numbers, strict=True)
        )
        click.echo("  ".join(padded).rstrip())
    if total > len(shown):
        click.echo(f"{total - len(shown)} more rows: --csv or --json prints all", err=True)


def _word(value: object) -> str:
    return "" if value is None else escaped(str(value))
