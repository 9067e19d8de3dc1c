"""`fsgauge compare` and `history`: results folders of one study, two or many."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import F, despite_choice, folder_option, json_option, tell
from fsgauge.cli.results_named import require_series, two_results
from fsgauge.exit_codes import ExitCode, ends, gravest, of_decision, of_studies

if TYPE_CHECKING:
    from fsgauge.report.compared_models import ModelLine
    from fsgauge.stats.folders.between import Between
    from fsgauge.stats.folders.compare import KnownSittings
    from fsgauge.stats.folders.history import History
    from fsgauge.stats.folders.limits import Test
    from fsgauge.stats.folders.same_conditions import Side


MACHINE = "machine"
"""What --despite takes of a machine that is another one under the same name."""


def _more(side: str) -> Callable[[F], F]:
    return click.option(
        f"--more-{side}",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help=f"Another results folder of {side.upper()}, measured at another time; repeat for"
        " several.",
    )


@click.command("compare")
@ends("compare")
@click.argument("folders", nargs=-1, required=True, metavar="A B", type=click.Path(path_type=Path))
@click.option(
    "--fail-if",
    "limits",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 1 when the whole interval crosses a limit:"
    " 'ratio(iops, randread, 4 KiB) < 0.95'. May be repeated.",
)
@click.option(
    "--on-undecided",
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help="Whether a limit that cannot be decided passes, with a warning, or fails with 4.",
)
@_more("a")
@_more("b")
@click.option(
    "--gate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take from this gate's accepted runs how sittings differ, where A and B are too few.",
)
@click.option(
    "--alone",
    is_flag=True,
    help="Take nothing from earlier folders of this study next to A. Five of other sittings show"
    " how sittings differ, where A and B are too few.",
)
@despite_choice(
    "Compare even if this fact differs, which must normally be equal; machine: it changed under its"
    " name, so judge B's ratios to the baseline against A's, not rates. May be repeated."
)
@folder_option("--output", "Where comparison.html is written. Default: the folder B.")
@json_option("The comparison as JSON.")
def command(
    folders: tuple[Path, ...],
    limits: tuple[str, ...],
    on_undecided: str,
    more_a: tuple[Path, ...],
    more_b: tuple[Path, ...],
    gate: Path | None,
    alone: bool,
    despite: tuple[str, ...],
    output: Path | None,
    accept_changed: bool,
    as_json: bool,
) -> int:
    """Compare results folder B with A: the same study on another day, kernel or machine.

    Ratios are B over A.
    """
    from fsgauge.report.compared import read_sides, write_comparison
    from fsgauge.stats.folders.compare import compare_sides
    from fsgauge.stats.folders.condition import parse_condition
    from fsgauge.stats.folders.limits import check
    from fsgauge.store.seals import understood

    a, b = two_results(folders)
    conditions = [parse_condition(text) for text in limits]
    differing = [each for each in despite if each != MACHINE]
    directories = [a, b, *more_a, *more_b]
    sides = read_sides(directories, accept_changed=accept_changed)
    first, second, *more = sides
    with understood(tuple(change for side in sides for change in side.changes)):
        known, beside = _known(gate, directories, sides, differing, alone=alone)
        between = compare_sides(
            first,
            second,
            more_a=more[: len(more_a)],
            more_b=more[len(more_a) :],
            despite=differing,
            to_baseline=MACHINE in despite,
            known=known,
            folders_beside=beside,
        )
        tests = check(conditions, between.ratios())
    if not as_json:
        tell([*_table(between), *_limits(between, tests)])
    page = write_comparison(between, tests, output or b)
    tell([_document(between, tests, page) if as_json else f"page: {page}"])
    return _exit_code(between, tests, on_undecided)


def _known(
    gate: Path | None,
    directories: Sequence[Path],
    sides: Sequence[Side],
    despite: Sequence[str],
    *,
    alone: bool,
) -> tuple[KnownSittings, int]:
    """How sittings differ, by what a gate has learnt, or earlier folders show: so many."""
    if gate is None:
        from fsgauge.report.beside import sittings_beside
        from fsgauge.stats.welch import FEWEST_SITTINGS

        enough = alone or len(sides) >= FEWEST_SITTINGS
        return ({}, 0) if enough else sittings_beside(directories, sides)
    from fsgauge.report.gate_file import read_gate
    from fsgauge.stats.gate.accept import sittings_for

    return sittings_for(read_gate(gate), sides, str(gate), despite), 0


_CODES = {"crossed": ExitCode.FINDING, "undecided": ExitCode.UNDECIDED}


def _exit_code(between: Between, tests: Sequence[Test], on_undecided: str) -> int:
    decision = gravest(_CODES.get(test.outcome, ExitCode.ANSWERED) for test in tests)
    studies = of_studies([between.a.valid, between.b.valid], is_compared=bool(between.entries))
    fails = on_undecided == "fail"
    if decision == ExitCode.UNDECIDED:
        undecided = sum(test.outcome == "undecided" for test in tests)
        sys.stderr.write(
            f"{'error' if fails else 'warning'}: {undecided} of {len(tests)} tests of limits"
            f" cannot be decided, which {'fails' if fails else 'passes'} (--on-undecided)\n"
        )
    return of_decision(decision, studies, undecided_passes=not fails)


def _document(between: Between, tests: Sequence[Test], page: Path) -> str:
    from fsgauge.programs.streams import json_line

    document = {
        "comparison": between.model_dump(),
        "limits": [test.model_dump() for test in tests],
        "page": str(page),
    }
    return json_line(document)


def _table(between: Between) -> list[str]:
    from fsgauge.report.compared import cautions, primary_lines, summary
    from fsgauge.report.compared_models import (
        basis_sentence,
        differing,
        model_lines,
        repetition_sentence,
    )
    from fsgauge.report.gate import aligned

    for caution in cautions(between):
        sys.stderr.write(f"warning: {caution}\n")
    direct = between.decides == "direct"
    beside = f"to {between.baseline}" if direct else "B over A"
    lines = primary_lines(between)
    head = ["", between.a.label, between.b.label, "ratio (95 %)", "verdict"]
    rows = [
        [
            f"{line.cell}, {line.system}",
            line.a,
            line.b,
            f"{line.ratio} ({line.interval})" if line.ratio else "",
            line.verdict,
        ]
        for line in lines
    ]
    if between.ends is not None:
        head[3:] = ["ratio"]
        rows = [[*row[:3], line.ratio] for row, line in zip(rows, lines, strict=True)]
    if any(line.other for line in lines):
        head.insert(4, beside)
        rows = [[*row[:4], line.other, *row[4:]] for row, line in zip(rows, lines, strict=True)]
    hidden = differing(between)
    ends = between.ends is not None
    models = model_lines(between)
    return [
        summary(between),
        *_models(models),
        *aligned([head, *rows]),
        basis_sentence(between),
        repetition_sentence(between),
        *([f"different: {', '.join(hidden) or 'nothing found'}"] if hidden or not ends else []),
    ]


def _models(lines: Sequence[ModelLine]) -> list[str]:
    """How good a model was; empty where both folders are alike."""
    from fsgauge.report.gate import aligned

    head = ["", "model", "measured", "model over measured (95 %)"]
    rows = [
        [
            f"{each.cell}, {each.system}",
            each.model,
            each.measured,
            f"{each.ratio} ({each.interval})",
        ]
        for each in lines
    ]
    return [*aligned([head, *rows]), ""] if lines else []


def _limits(between: Between, tests: Sequence[Test]) -> list[str]:
    from fsgauge.report import words
    from fsgauge.report.compared import limit_interval, limit_values

    lines = []
    for test in tests:
        said = f"{test.outcome:<10} {test.condition}: {test.cell}, {test.system}:"
        if test.ratio is not None:
            values = limit_values(between, test)
            said += f" {values}," if values else ""
            bounds = f"{limit_interval(test)} at {100 * test.level:.4g} %"
            said += f" {words.ratio(test.ratio)} ({bounds}),"
        lines.append(f"{said} {test.reason}")
    return lines


@click.command("history")
@ends("history")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path))
@despite_choice(
    "Include folders where this fact differs, which must normally be equal. May be repeated."
)
@folder_option("--output", "Where history.html is written. Default: the newest folder.")
@json_option("The history as JSON.")
def history(
    directories: tuple[Path, ...],
    despite: tuple[str, ...],
    output: Path | None,
    accept_changed: bool,
    as_json: bool,
) -> int:
    """Find the steps in a series of results folders of one study, and what changed there.

    Follows ratios to the baseline, never rates, in order of time.
    """
    from fsgauge.report.compared import read_sides
    from fsgauge.report.history import cautions, summary, write_history
    from fsgauge.stats.folders.history import follow
    from fsgauge.store.seals import understood

    require_series(directories)
    sides = read_sides(directories, accept_changed=accept_changed)
    with understood(tuple(change for side in sides for change in side.changes)):
        history = follow(sides, despite=despite)
    starts = [side.study.started_unix_ns for side in sides]
    newest = directories[starts.index(max(starts))]
    page = write_history(history, output or newest)
    code = of_studies([not history.data_lost], is_compared=history.is_followed)
    if as_json:
        click.echo(history.model_dump_json())
        return code
    for caution in cautions(history):
        sys.stderr.write(f"warning: {caution}\n")
    click.echo(summary(history))
    for line in _steps(history):
        click.echo(line)
    click.echo(f"page: {page}")
    return code


def _steps(history: History) -> list[str]:
    from fsgauge.report.history import step_lines

    return [
        f"{step.direction:<7} {step.cell}, {step.system}: {step.ratio} ({step.interval}) since"
        f" {step.since}; changed there: {step.changed}"
        for step in step_lines(history)
    ]
