"""`fsgauge study`."""

from __future__ import annotations

from pathlib import Path

import click

from fsgauge.errors import InputError


@click.group("study")
def command() -> None:
    """Start a study of your own, or list the shipped ones."""


@command.command("new")
@click.argument("name")
@click.option("--like", metavar="STUDY", help="Start from a shipped study: writers, overhead.")
def new(name: str, like: str | None) -> None:
    """Write NAME.toml, a commented study to edit."""
    from fsgauge.study.shipped import find_study, template

    text = template() if like is None else find_study(like)[1]
    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise InputError(f"{path} exists already", next="choose another name") from error
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    click.echo(f"{path}: edit it, then fsgauge plan {path}")


@command.command("list")
def list_() -> None:
    """List the shipped studies and their questions."""
    from fsgauge.study.shipped import shipped_studies

    for name, question in shipped_studies().items():
        click.echo(f"{name:<12} {question}")
