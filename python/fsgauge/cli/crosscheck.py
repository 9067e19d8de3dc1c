"""`fsgauge crosscheck`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.asked_study import AskedStudy, study_choices
from fsgauge.cli.choices import consent_choices, json_option, results_option
from fsgauge.errors import InputError
from fsgauge.exit_codes import ends, of_studies
from fsgauge.programs.streams import json_line
from fsgauge.progress.terminal import say
from fsgauge.units import format_bandwidth, format_duration, format_rate

if TYPE_CHECKING:
    from fsgauge.converting.job_crosscheck import Job
    from fsgauge.crosscheck.agreement import Agreement, CellAgreement, ProgramAgreement
    from fsgauge.machine.device.consent import Consent
    from fsgauge.study.model import Study


_LARGER_FILES = "--set 'workload.file_sizes=[\"2 GiB\"]'"
LARGER = f"--storage ram:8GiB {_LARGER_FILES}, larger still on faster storage"
LARGER_IN_MACHINES = f"--set 'storage.size=3 GiB' {_LARGER_FILES}"


@click.command("crosscheck")
@ends("crosscheck")
@study_choices
@click.option(
    "--with",
    "tool",
    type=click.Choice(["fio", "bonnie++", "iozone"]),
    required=True,
    help="What to compare the engine with: the installed fio; for the study sharing, bonnie++, or"
    " the iozone that FSGAUGE_IOZONE names.",
)
@click.option(
    "--rig",
    metavar="RIG",
    help="Where both run: host is this machine, the default; vm is a virtual machine, for bonnie++"
    " and iozone. Its guest has a bonnie++ of its own; your iozone is brought there, and has to be"
    " linked statically.",
)
@click.option(
    "--pairs",
    type=click.IntRange(2, 1000),
    default=6,
    show_default=True,
    help="Pairs of runs for each cell.",
)
@consent_choices
@results_option
@json_option("Events as lines of JSON.")
def command(
    asked: AskedStudy,
    tool: str,
    rig: str | None,
    pairs: int,
    consent: Consent | None,
    results: Path,
    as_json: bool,
) -> int:
    """Run STUDY's cells with the engine and with TOOL, in turns, and say whether they agree.

    STUDY may be a job file of fio's: fio then runs the job, and the engine the study that it
    becomes. Same files, same parameters; ratios are engine / tool with 95 % intervals. The last
    line is the folder with every run of both. On this machine, systems that need nodes are left
    out.
    """
    from fsgauge.converting.job_crosscheck import crosscheck_job
    from fsgauge.crosscheck import Asked, Listener, crosscheck
    from fsgauge.crosscheck.programs import crosscheck_program
    from fsgauge.crosscheck.sitting import paired
    from fsgauge.programs.interruption import interruptible
    from fsgauge.rig.registry import DEFAULT, rig_named

    cells: list[CellAgreement | ProgramAgreement] = []

    def done(cell: CellAgreement | ProgramAgreement) -> None:
        cells.append(cell)
        _say({"event": "cell", **cell.model_dump(mode="json")} if as_json else _in_words(cell))

    def begun(system: str, work: str, pair: int, tool: str) -> None:
        say(f"{system}: {work}: pair {pair + 1} of {pairs}, {tool}")

    chosen_rig = rig_named(rig or DEFAULT, say)
    job, study = _job_and_study(asked, rig, tool)
    wanted = Asked(
        study=paired(study, pairs),
        rig=chosen_rig,
        results=results,
        destroy=consent,
        command=["fsgauge", *sys.argv[1:]],
        listener=Listener(run=begun, cell=done, note=say),
    )
    with interruptible():
        if job is not None:
            directory = crosscheck_job(wanted, job)
        else:
            directory = crosscheck(wanted) if tool == "fio" else crosscheck_program(wanted, tool)
    _advise(cells)
    _say({"event": "ended", "results": str(directory)} if as_json else f"results: {directory}")
    is_compared = any(cell.words for cell in cells)
    if not is_compared:
        say(
            f"nothing could be compared: in none of {len(cells)} cells did both give a rate\n"
            "cause: the tests are over too soon for the program to rate them\n"
            f"next: {LARGER_IN_MACHINES if chosen_rig.has_nodes else LARGER}"
        )
    return of_studies([], is_compared=is_compared)


def _job_and_study(asked: AskedStudy, rig: str | None, tool: str) -> tuple[Job | None, Study]:
    """The study, and the job file that it was made of where one was named."""
    from fsgauge.converting.job_crosscheck import is_job, read_job, study_of_job

    if not is_job(asked.study):
        return None, asked.on(rig)
    if tool != "fio":
        raise InputError(
            f"{tool} does not read job files of fio's",
            cause="it is compared by the studies that it can do as well",
            next="--with fio",
        )
    job = read_job(Path(asked.study))
    return job, study_of_job(job, lambda name, text: replace(asked, study=name, text=text).on(rig))


def _advise(cells: list[CellAgreement | ProgramAgreement]) -> None:
    undecided = [cell for cell in cells if "undecided" in cell.words]
    if undecided:
        say(
            f"{len(undecided)} of {len(cells)} cells are undecided: runs of the same tool differ"
            " too much here; use more --pairs, a longer workload.duration, or an idle machine"
        )


def _say(what: str | dict[str, object]) -> None:
    sys.stdout.write((what if isinstance(what, str) else json_line(what)) + "\n")
    sys.stdout.flush()


def _in_words(cell: CellAgreement | ProgramAgreement) -> str:
    from fsgauge.crosscheck.agreement import CellAgreement

    return table(cell) if isinstance(cell, CellAgreement) else of_program(cell)


def of_program(cell: ProgramAgreement) -> str:
    start = f"{cell.system}: {cell.cell_name}: "
    if cell.ratio is None or cell.engine is None or cell.theirs is None:
        return (
            start + f"{cell.program} was too fast to say a rate in {cell.too_fast} of {cell.pairs}:"
            " it needs larger files (workload.file_sizes), or more of them"
        )
    interval = "-" if cell.low is None else f"{cell.low:.3f} to {cell.high:.3f}"
    rates = f"engine {_rate(cell.engine, cell.unit)}{_busy(cell.engine_processor_share)}"
    theirs = f"{cell.program} {_rate(cell.theirs, cell.unit)}{_busy(cell.their_processor_share)}"
    return start + f"{cell.ratio:.3f} ({interval}) {cell.word}; {rates}, {theirs}"


def _rate(rate: float, unit: str | None) -> str:
    return format_bandwidth(rate) if unit == "bytes/s" else f"{rate:,.0f}/s"


def _busy(share: float | None) -> str:
    return "" if share is None else f" at {100 * share:.0f} % of a CPU"


def table(cell: CellAgreement) -> str:
    lines = [f"{cell.system}: {cell.cell_name}", f"  {shlex.join(cell.command)}"]
    head = ("", "engine", "fio", "engine / fio", "95 % interval")
    lines.append(f"  {head[0]:<38}{head[1]:>10} {head[2]:>10}  {head[3]:>12}  {head[4]}")
    lines += [f"  {_line(each)}" for each in cell.agreements]
    if cell.own_agreements:
        lines.append("  against fio with its own submission, one operation at a time:")
        lines += [f"  {_line(each)}" for each in cell.own_agreements]
    if cell.explanation:
        lines.append(f"  {cell.explanation}")
    return "\n".join(lines) + "\n"


def _line(each: Agreement) -> str:
    interval = "-" if each.low is None else f"{each.low:.3f} to {each.high:.3f}"
    return (
        f"{each.label:<38}{_shown(each.engine, each.unit):>10} {_shown(each.fio, each.unit):>10}"
        f"  {each.ratio:>12.3f}  {interval:<16} {each.word}"
    )


def _shown(value: float, unit: str) -> str:
    return format_rate(value) if unit == "IOPS" else format_duration(value)
