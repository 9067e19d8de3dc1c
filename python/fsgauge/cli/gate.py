"""`fsgauge gate`: accepted runs teach it their noise, and new ones are judged against that."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge import __version__
from fsgauge.cli.choices import FILE, despite_choice, json_option, tell
from fsgauge.errors import InputError
from fsgauge.exit_codes import ExitCode, ends, of_decision, of_studies

if TYPE_CHECKING:
    from fsgauge.stats.gate.check import Checked

_CODES = {
    "pass": ExitCode.ANSWERED,
    "fail": ExitCode.FINDING,
    "undecided": ExitCode.UNDECIDED,
    "too noisy": ExitCode.TOO_NOISY,
}

_file_choice = click.option(
    "--file",
    type=FILE,
    default=Path("fsgauge-gate.json"),
    show_default=True,
    help="Where the gate keeps what it has learnt; commit it to version control.",
)
_despite_choice = despite_choice(
    "Take folders even if this fact differs, such as the kernel. May be repeated."
)


@click.group("gate")
def command() -> None:
    """Judge every new build against the run-to-run noise of accepted ones.

    `gate accept` learns the noise from several results folders of one study, `gate check` judges a
    new folder. Both write and read one small file.
    """


@command.command("accept")
@ends("gate accept")
@click.argument("directories", nargs=-1, metavar="[DIR]...", type=click.Path(path_type=Path))
@_file_choice
@click.option(
    "--loss",
    metavar="PERCENT",
    help="The loss that has to be seen, kept in the file: '5 %'. 10 % if none is named.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="What every new run has to meet, kept in the file in place of earlier ones:"
    " 'p99(write) < 5 ms'. May be repeated; 'none' removes all.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Judge this metric too, not each cell's primary one alone: read.p99. May be repeated.",
)
@_despite_choice
@json_option()
def accept(
    directories: tuple[Path, ...],
    file: Path,
    loss: str | None,
    limits: tuple[str, ...],
    metrics: tuple[str, ...],
    despite: tuple[str, ...],
    accept_changed: bool,
    as_json: bool,
) -> int:
    """Learn run-to-run noise from known-good runs, and print the smallest loss that will show.

    All folders are of one study on one machine, storage and kernel. More can be added at any time;
    without DIR, only the options are kept.
    """
    from fsgauge.report.compared import read_sides
    from fsgauge.report.gate import accepted_lines
    from fsgauge.report.gate_file import read_gate_if_there, write_gate
    from fsgauge.stats.gate.accept import accept as learn
    from fsgauge.stats.gate.accept import readiness
    from fsgauge.store.seals import understood

    percent = None if loss is None else _percent(loss)
    kept = _limits(limits)
    learned = read_gate_if_there(file)
    sides = read_sides(directories, accept_changed=accept_changed) if directories else []
    with understood(tuple(change for side in sides for change in side.changes)):
        accepted = learn(
            learned,
            sides,
            version=__version__,
            label=str(file),
            loss_percent=percent,
            limits=kept,
            metrics=metrics,
            despite=despite,
        )
    write_gate(file, accepted.learned)
    ready = readiness(accepted.learned)
    if as_json:
        tell([ready.model_dump_json()])
    else:
        for each in accepted.despite:
            sys.stderr.write(f"warning: accepted despite {each.fact}: {each.a} / {each.b}\n")
        for said in accepted.idle:
            sys.stderr.write(f"warning: accepted, although {said}\n")
        baseline = accepted.learned.baseline
        tell(accepted_lines(ready, str(file), baseline, accepted.known, despite))
    return _CODES["too noisy" if ready.state == "too noisy" else "pass"]


@command.command("check")
@ends("gate check")
@click.argument(
    "directories", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path)
)
@_file_choice
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="What this run has to meet, as well as the limits that are kept in the file:"
    " 'iops(randread, depth 32) > 10 k IOPS'. May be repeated.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Fail on this condition in place of any loss: 'ratio(iops, randread, 4 KiB) < 0.95',"
    " as in `fsgauge compare`. May be repeated.",
)
@click.option(
    "--on-undecided",
    type=click.Choice(["pass", "fail"]),
    default="fail",
    show_default=True,
    help="Whether a run that is undecided (4) or too noisy (5) passes, with a warning.",
)
@_despite_choice
@json_option()
def check(
    directories: tuple[Path, ...],
    file: Path,
    limits: tuple[str, ...],
    conditions: tuple[str, ...],
    on_undecided: str,
    despite: tuple[str, ...],
    accept_changed: bool,
    as_json: bool,
) -> int:
    """Judge a new results folder, or several of one build, against what was accepted.

    A line is worse only if its value and its value relative to the baseline both say so.
    """
    from fsgauge.report.compared import read_sides
    from fsgauge.report.gate import checked_lines
    from fsgauge.report.gate_file import read_gate
    from fsgauge.stats.folders.condition import parse_condition, parse_limit
    from fsgauge.stats.gate.check import check as judge
    from fsgauge.store.seals import understood

    asked = [parse_condition(text) for text in conditions]
    more = [parse_limit(text) for text in limits]
    learned = read_gate(file)
    sides = read_sides(directories, accept_changed=accept_changed)
    with understood(tuple(change for side in sides for change in side.changes)):
        checked = judge(
            learned,
            sides,
            label=str(file),
            limits=[*map(parse_limit, learned.limits), *more],
            conditions=asked,
            despite=despite,
        )
    if as_json:
        tell([checked.model_dump_json()])
    else:
        tell(checked_lines(checked, str(file), despite))
    return _exit_code(checked, on_undecided)


def _exit_code(checked: Checked, on_undecided: str) -> int:
    passes = on_undecided == "pass"
    measured = [line.outcome != "missing" for line in checked.lines]
    studies = of_studies([not checked.invalid], is_compared=any(measured) or not measured)
    code = of_decision(_CODES[checked.verdict], studies, undecided_passes=passes)
    if passes and code == ExitCode.ANSWERED != _CODES[checked.verdict]:
        sys.stderr.write(f"warning: {checked.verdict}, which passes (--on-undecided)\n")
    return code


_SHARE = re.compile(r"0?\.[0-9]{1,6}")


def _percent(text: str) -> float:
    from fsgauge.units import parse_percent

    share = float(text) if _SHARE.fullmatch(text.strip()) else 0
    if share:
        raise InputError(
            f"--loss {text} is a share, and --loss takes percent",
            next=f"--loss '{100 * share:g} %', or --loss '{share:g} %'",
        )
    percent = parse_percent(text)
    if not 0 < percent < 100:
        raise InputError("--loss is above 0 % and below 100 %", next="--loss '10 %'")
    return percent


def _limits(texts: tuple[str, ...]) -> list[str] | None:
    """What is kept from now on; None where nothing was said about limits."""
    from fsgauge.stats.folders.condition import parse_limit

    if texts == ("none",):
        return []
    return [parse_limit(text).text for text in texts] or None
