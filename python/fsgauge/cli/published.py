"""`fsgauge published`: what published studies claim, run here, and judged again."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

import click

from fsgauge.cli.choices import results_option
from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError
from fsgauge.exit_codes import ExitCode

if TYPE_CHECKING:
    from fsgauge.published.archive import LeftOut
    from fsgauge.published.ledger import Ledger
    from fsgauge.published.parts import StudyPart
    from fsgauge.published.runs import JudgedRun

_RUN = "run"


@click.command("published")
@click.argument("words", metavar="[STUDY|ID | run PUBLICATION]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@click.option(
    "--judge",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="ARCHIVE",
    help="Judge the claims again, from an archive that `published run` made.",
)
@click.option(
    "--storage",
    metavar="SPEC",
    help="With run: storage of what runs on this host; a device first by `fsgauge run --destroy`.",
)
@results_option
def command(
    words: tuple[str, ...],
    as_json: bool,
    judge: Path | None,
    storage: str | None,
    results: Path,
) -> int:
    """Print what the published studies claim, and the verdict on each claim here.

    STUDY is a study with a publication (connections): its claims, a line each. ID is a claim
    (N-06): in full, with its figures. Without either, the claims of all studies.

    run PUBLICATION (nss, flash, sonexion, clusters, closson) runs every part that this machine can,
    says what it cannot and why, and writes a page of verdicts and an archive of records. The same
    command goes on where it was interrupted.
    """
    from fsgauge.published import page
    from fsgauge.published.ledger import find

    is_run = judge is None and words[:1] == (_RUN,)
    if storage is not None and not is_run:
        raise InputError("--storage is for published run", next="fsgauge published run nss")
    if as_json and is_run:
        raise InputError(
            "published run prints no JSON", next="fsgauge published --judge ARCHIVE --json"
        )
    if judge is not None:
        return _judge_again(judge, words, as_json=as_json)
    if is_run:
        return _run(words[1:], results, storage)
    if len(words) > 1:
        raise InputError(
            f"published takes one study or id, and was given {len(words)}",
            next=f"fsgauge published {words[0]}",
        )
    found = find(words[0] if words else "")
    if as_json:
        claims = [page.as_json(folder, claim) for folder, _, each in found for claim in each]
        click.echo(json.dumps(claims, indent=1, ensure_ascii=False))
        return ExitCode.ANSWERED
    for folder, ledger, each in found:
        for line in page.text_of(folder, ledger, each):
            click.echo(line)
    return ExitCode.ANSWERED


def _judge_again(path: Path, words: tuple[str, ...], *, as_json: bool) -> int:
    from fsgauge.published import page
    from fsgauge.published.archive import publication_named, read_archive

    archived = read_archive(path)
    folder, ledger = publication_named(archived.contents.publication)
    claims = [ledger.of(_id_in(ledger, word)) for word in words] or ledger.claim
    if as_json:
        found = [page.as_json(folder, claim, archived.runs) for claim in claims]
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return ExitCode.ANSWERED
    for line in page.text_of(folder, ledger, claims, archived.runs):
        click.echo(line)
    for each in archived.contents.left_out:
        click.echo(f"  not run  {each.study}: {each.why}")
    return ExitCode.ANSWERED


def _id_in(ledger: Ledger, word: str) -> str:
    ids = [claim.id for claim in ledger.claim]
    if word.upper() not in ids:
        raise InputError(
            f'the archive\'s publication has no claim "{word}"',
            details=(f"{ids[0]} to {ids[-1]}",),
            next=f"fsgauge published {ledger.publication.name}",
        )
    return word.upper()


def _run(words: tuple[str, ...], results: Path, storage: str | None) -> int:
    """Every part in turn; ends with the page and the archive, which have what was run."""
    from fsgauge import __version__
    from fsgauge.published.archive import FORMAT, Contents, publication_named, write_archive
    from fsgauge.published.parts import parts_of
    from fsgauge.published.standing import standing_of
    from fsgauge.report.publication import write_publication

    if len(words) > 1:
        raise InputError(
            "published run takes one publication", next=f"fsgauge published run {words[0]}"
        )
    folder, ledger = publication_named(words[0] if words else "")
    name = ledger.publication.name
    ran: list[tuple[Path, JudgedRun]] = []
    left_out: list[LeftOut] = []
    again = f"fsgauge published run {name} --results {shlex.quote(str(results))}"
    if storage is not None:
        again += f" --storage {shlex.quote(storage)}"
    failed: list[FsgaugeError] = []
    stopped: Interrupted | None = None
    for part in parts_of(folder, ledger):
        try:
            found = (
                _try(part, results, storage, failed)
                if stopped is None
                else _not_reached(part, again)
            )
        except Interrupted as error:
            stopped, found = error, _not_reached(part, again)
        if isinstance(found, tuple):
            ran.append(found)
        else:
            left_out.append(found)
            sys.stderr.write(f"not run: {found.study}: {found.why}\n")
    if stopped is not None:
        stopped.next = again
        if not ran:
            raise stopped
    if not ran:
        raise (RigError if failed else InputError)(
            f"this machine can run no part of {name}",
            details=tuple(f"{each.study}: {each.why}" for each in left_out),
            next=next((each.next for each in left_out if each.next), "fsgauge doctor"),
        )
    contents = Contents(
        format=FORMAT,
        fsgauge=__version__,
        publication=name,
        studies=[run.study for _, run in ran],
        left_out=left_out,
    )
    archive = write_archive(results / f"published-{name}.tar.xz", contents, ran)
    runs = {run.study: run for _, run in ran}
    standings = [standing_of(folder, claim, runs) for claim in ledger.claim]
    page = write_publication(results / f"published-{name}.html", ledger, standings, left_out)
    for line in _ledger_lines(folder, ledger, runs):
        click.echo(line)
    click.echo(f"archive: {archive}")
    click.echo(f"page: {page}")
    if stopped is not None:
        raise stopped
    return ExitCode.FAILED if failed else ExitCode.ANSWERED


def _not_reached(part: StudyPart, again: str) -> LeftOut:
    from fsgauge.published.archive import LeftOut

    return LeftOut(study=part.study, why="interrupted before it was whole", next=again)


def _ledger_lines(folder: str, ledger: Ledger, runs: Mapping[str, JudgedRun]) -> Iterator[str]:
    from fsgauge.published import page

    return page.text_of(folder, ledger, ledger.claim, runs)


def _try(
    part: StudyPart, results: Path, storage: str | None, failed: list[FsgaugeError]
) -> tuple[Path, JudgedRun] | LeftOut:
    """The results folder and what it says; or why this machine cannot, or did not, run it. What
    failed once it had begun is in `failed` too."""
    from fsgauge.cli.execution import make_report, report_in
    from fsgauge.errors import quoted
    from fsgauge.published.archive import LeftOut
    from fsgauge.published.runs import judge
    from fsgauge.stats.results import Results

    again = f"fsgauge run {quoted(part.path)}" + (f" --rig {part.rig}" * (part.rig == "simulator"))
    if part.needs_heads and storage is None and _begun(part, results) is None:
        return LeftOut(
            study=part.study,
            why="it decides nothing without a disk with heads",
            next=f"{again} --storage /dev/disk/by-id/NAME",
        )
    try:
        directory = _begun(part, results)
        if directory is None:
            directory = _measured(part, results, storage)
            make_report(directory)
        elif _went_on(directory) or not (directory / "report.json").is_file():
            make_report(directory)
        results_of = Results.model_validate(report_in(directory))
        return directory, judge(directory, results_of)[1]
    except FsgaugeError as error:
        if isinstance(error, Interrupted):
            raise
        if not isinstance(error, InputError) and _begun(part, results) is not None:
            failed.append(error)
        there = f"{again} --storage {shlex.quote(storage)}" if storage is not None else again
        hint = f"{there} {error.next}" if error.next.startswith("--destroy") else error.next
        return LeftOut(study=part.study, why=error.what, next=hint or there)


def _begun(part: StudyPart, results: Path) -> Path | None:
    """The newest folder of an earlier run of the study; None without one."""
    from fsgauge.plain_files import PlainFolder

    if not results.is_dir():
        return None
    with PlainFolder.opened(results) as folder:
        begun = [name for name in folder.names() if name.startswith(f"{part.study}-20")]
    return results / max(begun) if begun else None


def _went_on(directory: Path) -> bool:
    """Whether the study lacked anything, which is then there; raises what ended it."""
    from fsgauge.cli.execution import progress_for
    from fsgauge.progress.terminal import say
    from fsgauge.rig.registry import rig_named
    from fsgauge.run import resume_study

    outcome = resume_study(
        directory,
        rig=lambda recorded: rig_named(recorded, say),
        destroy=None,
        progress=progress_for("auto"),
    )
    if outcome is not None and outcome.ended_by is not None:
        raise outcome.ended_by
    return outcome is not None


def _measured(part: StudyPart, results: Path, storage: str | None) -> Path:
    """The folder of a new run, which is whole; raises what its rig refuses, or what ended it."""
    from fsgauge.cli.execution import progress_for
    from fsgauge.plan.turns import with_seed
    from fsgauge.progress.terminal import say
    from fsgauge.rig.registry import rig_named
    from fsgauge.run import run_study
    from fsgauge.study.parse import load_study

    own = storage if part.rig == "host" else None
    study = with_seed(load_study(str(part.path), [], [], own, None), time_ns())
    rig = rig_named(part.rig, say)
    for refusal in rig.refusals(study):
        raise refusal
    sys.stderr.write(f"{part.study}, on the rig {part.rig}\n")
    outcome = run_study(
        study,
        rig=rig,
        results=results,
        destroy=None,
        command=["fsgauge", *sys.argv[1:]],
        progress=progress_for("auto"),
        created=lambda _: None,
    )
    if outcome.ended_by is not None:
        raise outcome.ended_by
    return outcome.directory
