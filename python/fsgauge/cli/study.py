"""`fsgauge study`: the shipped ones, one of your own, and what other tools are told to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import FILE, file_option
from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import cannot_write
from fsgauge.progress.terminal import say
from fsgauge.study.shipped import find_study, shipped_texts, template
from fsgauge.units import binary_size, count, format_duration, format_size, parse_size

if TYPE_CHECKING:
    from fsgauge.converting.groups import Converted


@click.group("study")
def command() -> None:
    """Start a study of your own, list the shipped ones, or take over what another tool does."""


@command.command("new")
@click.argument("name")
@click.option("--like", metavar="STUDY", help="Start from a shipped study: writers, overhead-full.")
def new(name: str, like: str | None) -> None:
    """Write NAME.toml, a commented study to edit."""
    text = template() if like is None else find_study(like)[1]
    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    written(text, path, "choose another name")
    click.echo(f"{path}: edit it, then fsgauge plan {quoted(path)}")


@command.command("list")
def list_() -> None:
    """List the shipped studies: name, time, bytes written, question.

    Time and bytes are estimates, as of `fsgauge plan NAME`. NAME-full is also `NAME --full`,
    NAME-as-published `NAME --as-published`.
    """
    from fsgauge.cli.plan_lines import cost_on
    from fsgauge.rig.registry import rig_for, rig_named
    from fsgauge.study.parse import shipped_study

    rows = [("name", "time", "written", "question")]
    for name, text in shipped_texts().items():
        study = shipped_study(name, text)
        time, written = "simulated", "nothing"
        if not study.is_simulated:
            cost = cost_on(study, rig_named(rig_for(study, None)))
            time = format_duration(int(cost.seconds * 1e9))
            written = format_size(cost.written_bytes) if cost.written_bytes else "not known"
        rows.append((name, time, written, study.question))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, time, written, question in rows:
        click.echo(f"{name:<{widths[0]}}  {time:>{widths[1]}}  {written:>{widths[2]}}  {question}")


_SYSTEM = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="A system to compare, as of run; ext4 and xfs unless named. May be repeated.",
)
_OUTPUT = file_option(
    "--output", "FILE", "The study to write. Default: the job's name with .toml, in this folder."
)


@command.command("from-fio")
@click.argument("job", metavar="JOB", type=FILE)
@_SYSTEM
@click.option(
    "--without",
    multiple=True,
    metavar="OPTION",
    help="Leave this option of the job out, though the load is another one then. May be repeated.",
)
@click.option("--size", metavar="SIZE", help="What stands for a whole device: 100GiB. 4 GiB.")
@click.option(
    "--check",
    is_flag=True,
    help="Run both under strace, and compare the kinds, sizes and offsets of their requests.",
)
@_OUTPUT
def from_fio(
    job: Path,
    systems: tuple[str, ...],
    without: tuple[str, ...],
    size: str | None,
    check: bool,
    output: Path | None,
) -> int:
    """Write a study of what JOB does: a job file of fio's, a personality of filebench's (.f), or a
    parameter file of vdbench's.

    What differs is noted in the study, with the job's lines. What would make another load is
    refused, all of it at once. No command that a job names is ever run.
    """
    from fsgauge.converting import SYSTEMS, study_from_file
    from fsgauge.converting.check import check_job

    size_bytes = parse_size(binary_size(size) or size) if size else None
    study = study_from_file(job, systems=systems or SYSTEMS, without=without, size_bytes=size_bytes)
    if check and study.converted.tool != "fio":
        raise InputError(
            f"--check runs a job by fio, and {job} is one of {study.converted.tool}",
            next=f"fsgauge study from-fio {quoted(job)}",
        )
    path = written(study.text, output or Path(f"{job.stem}.toml"))
    _tell(study.converted, path)
    return check_job(job, click.echo, without=frozenset(without)) if check else 0


@command.command("from-command")
@click.argument("line", metavar="COMMAND")
@_SYSTEM
@_OUTPUT
def from_command(line: str, systems: tuple[str, ...], output: Path | None) -> None:
    """Write a study of what COMMAND does, quoted as one word: 'fio --name=a --rw=randread
    --size=1g', 'ior -w -r -t 1m -b 1g', 'mdtest -n 1000 -F', 'elbencho -w -b 4k --rand FILE', with
    or without mpirun. It is read, never run.
    """
    from fsgauge.converting import SYSTEMS, study_from_command

    study = study_from_command(line, systems=systems or SYSTEMS)
    path = written(study.text, output or Path(f"{study.converted.title.split(',')[0]}.toml"))
    _tell(study.converted, path)


def written(text: str, path: Path, otherwise: str = "--output NAME.toml") -> Path:
    """Write a new file, whole; InputError where there is one, RigError where it cannot be."""
    try:
        file = path.open("x", encoding="utf-8")
    except FileExistsError as error:
        raise InputError(f"{path} exists already", next=otherwise) from error
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        with file:
            file.write(text)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise cannot_write(path, error) from error
    return path


def _tell(converted: Converted, path: Path) -> None:
    findings = converted.findings
    made = count(len(converted.groups), "group")
    if converted.whole:
        made = f"a study of kind {converted.whole.kind}"
    for note in findings.notes.values():
        say(f"note: {note.told}")
    # Words of a command line are read into groups, and none is carried over as it is.
    carried = f", {count(len(findings.carried), 'option')} carried over" if findings.carried else ""
    click.echo(f"wrote {path}: {made}{carried}, {count(len(findings.notes), 'note')}")
    say(f"next: fsgauge plan {quoted(path)}")
