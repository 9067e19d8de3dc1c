"""`fsgauge study`: studies that are shipped."""

from __future__ import annotations

from pathlib import Path

import click

from fsgauge.errors import InputError, quoted


@click.group("study")
def command() -> None:
    """Start a study of your own, or list the shipped ones."""


@command.command("new")
@click.argument("name")
@click.option("--like", metavar="STUDY", help="Start from a shipped study: writers, overhead-full.")
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
    click.echo(f"{path}: edit it, then fsgauge plan {quoted(path)}")


@command.command("list")
def list_() -> None:
    """List the shipped studies: name, time, bytes written, question.

    Time and bytes are estimates, as of `fsgauge plan NAME`. NAME-full is also `NAME --full`,
    NAME-as-published `NAME --as-published`.
    """
    from fsgauge.plan.turns import make_plan, with_seed
    from fsgauge.rig.registry import rig_for, rig_named
    from fsgauge.rig.rig import around_on
    from fsgauge.study.parse import shipped_study
    from fsgauge.study.shipped import shipped_texts
    from fsgauge.units import format_duration, format_size

    rows = [("name", "time", "written", "question")]
    for name, text in shipped_texts().items():
        study = with_seed(shipped_study(name, text), 0)
        assert study.storage.kind != "device"  # noqa: S101 - a shipped study names nobody's device
        around = around_on(rig_named(rig_for(study, None)), study, tries=False)
        plan = make_plan(study, size_bytes=study.storage.size, around=around)
        time = format_duration(int(plan.expected_seconds * 1e9))
        written = format_size(plan.expected_written_bytes)
        if study.is_simulated:
            time, written = "simulated", "nothing"
        rows.append((name, time, written, study.question))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, time, written, question in rows:
        click.echo(f"{name:<{widths[0]}}  {time:>{widths[1]}}  {written:>{widths[2]}}  {question}")
