"""`fsgauge explain`."""

from __future__ import annotations

import difflib

import click

from fsgauge.errors import InputError


@click.command("explain")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Explain NAME: a number of the report (iops, create.mean) or a key of a study file.

    Without NAME, list the numbers that have a page.
    """
    from fsgauge.pages import explain_metric, is_metric, metric_pages
    from fsgauge.study.reference import explain_key

    pages = metric_pages()
    if name is None:
        for page, first_line in pages.items():
            click.echo(f"{page:<24} {first_line}")
        return
    if is_metric(name):
        click.echo(explain_metric(name))
        return
    try:
        click.echo(explain_key(name))
    except InputError as error:
        near = difflib.get_close_matches(name, pages, n=1)
        raise InputError(
            f'there is no number and no key "{name}"',
            details=error.details,
            next=f"fsgauge explain {near[0]}" if near else error.next,
        ) from error
