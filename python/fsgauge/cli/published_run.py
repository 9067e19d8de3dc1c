"""`fsgauge published run`: all that this machine can run of a publication, asked for once. All are
looked at first; a part that has begun goes on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

import click

from fsgauge.cli.run import LONG_SECONDS, MUCH_BYTES, is_meant
from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError, quoted
from fsgauge.exit_codes import ExitCode, gravest
from fsgauge.programs.interruption import interruptible
from fsgauge.progress.terminal import say
from fsgauge.published.archive import FORMAT, Contents, LeftOut, publication_named, write_archive
from fsgauge.published.ledger import StudyPart, parts_of
from fsgauge.rig.registry import rig_named
from fsgauge.study.parse import load_study
from fsgauge.units import format_duration, format_size

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent
    from fsgauge.published.ledger import Ledger
    from fsgauge.published.runs import JudgedRun
    from fsgauge.rig.rig import Rig
    from fsgauge.study.model import Study


@dataclass(frozen=True)
class Asked:
    """What was typed, beside the publication."""

    results: Path
    storage: str | None
    consent: Consent | None

    def again(self, name: str) -> str:
        words = ["fsgauge", "published", "run", name, "--results", str(self.results)]
        words += ["--storage", self.storage] if self.storage is not None else []
        for device in self.consent.names if self.consent else ():
            words += ["--destroy", device]
        if self.consent is not None and self.consent.unknown_data:
            words.append("--discard-unknown-data")
        return shlex.join(words)

    def alone(self, part: StudyPart) -> str:
        rig = f" --rig {part.rig}" * (part.rig == "simulator")
        return f"fsgauge run {quoted(part.path)}{rig}"


@dataclass(frozen=True)
class Ahead:
    """A part that can be run, and what that takes; 0 of one that is whole.

    `begun` is the newest folder of an earlier run; without one there are study and rig. `caution`
    says what it will not decide.
    """

    part: StudyPart
    seconds: float
    written_bytes: int
    begun: Path | None = None
    study: Study | None = None
    rig: Rig | None = None
    caution: str = ""

    @property
    def words(self) -> str:
        takes = format_duration(round(self.seconds * 1e9))
        if self.begun is not None:
            goes_on = f"goes on in {self.begun}, about {takes}"
            return goes_on if self.seconds else f"was run: {self.begun}"
        writes = f", writes about {format_size(self.written_bytes)}" if self.written_bytes else ""
        return f"about {takes}{writes}{self.caution}"


def run_publication(
    words: Sequence[str],
    results: Path,
    storage: str | None,
    consent: Consent | None,
    *,
    yes: bool,
    plan_only: bool = False,
) -> int:
    """Every part in turn, then the page and the archive; with `plan_only` what would be run."""
    if len(words) > 1:
        raise InputError(
            "published run takes one publication", next=f"fsgauge published run {words[0]}"
        )
    folder, ledger = publication_named(words[0] if words else "")
    name, asked = ledger.publication.name, Asked(results, storage, consent)
    looked = [_looked_at(part, name, asked) for part in parts_of(folder, ledger)]
    ahead = [each for each in looked if isinstance(each, Ahead)]
    left_out = [each for each in looked if isinstance(each, LeftOut)]
    lines = "\n".join([*_plan_lines(ledger, looked), ""])
    (sys.stdout if plan_only else sys.stderr).write(lines)
    if plan_only:
        return ExitCode.ANSWERED
    if not ahead:
        raise _nothing_can_run(name, left_out, ExitCode.ANSWERED)
    if not yes:
        _ask(ahead, asked.again(name))
    return _run_all(folder, ledger, ahead, left_out, asked)


def _looked_at(part: StudyPart, name: str, asked: Asked) -> Ahead | LeftOut:
    """What it takes, or why it cannot be run here."""
    from fsgauge.cli.plan_lines import plan_on
    from fsgauge.plan.turns import with_seed
    from fsgauge.run import left_of

    try:
        if (begun := _begun(part, asked)) is not None:
            left = left_of(begun)
            takes = (left.expected_seconds, left.expected_written_bytes) if left else (0.0, 0)
            return Ahead(part, *takes, begun)
        if part.needs_heads and asked.storage is None:
            return LeftOut(
                study=part.study,
                why="it decides nothing without a disk with heads",
                next=f"{asked.again(name)} --storage /dev/disk/by-id/NAME --destroy SERIAL",
            )
        own = asked.storage if part.rig == "host" else None
        study = with_seed(load_study(str(part.path), [], [], own, None), time_ns())
        rig = rig_named(part.rig, say)
        for refusal in rig.refusals(study, asked.consent if part.rig == "host" else None):
            raise refusal
        plan = plan_on(study, rig).plan
    except FsgaugeError as error:
        if isinstance(error, Interrupted):
            raise
        return LeftOut(study=part.study, why=error.what, next=error.next or asked.alone(part))
    written = 0 if study.is_simulated else plan.expected_written_bytes
    small = _too_small(part, study)
    return Ahead(part, plan.expected_seconds, written, study=study, rig=rig, caution=small)


_FILLED = 3
"""Of so many bytes of storage, the file set of such a study takes one, and a little more."""


def _too_small(part: StudyPart, study: Study) -> str:
    """That its files will fit in memory, where that leaves claims undecided; "" elsewhere."""
    from fsgauge.machine.facts.limits import total_memory_bytes
    from fsgauge.study.model import LoopStorage, RamStorage

    memory_bytes = total_memory_bytes() or 0
    if not part.needs_size or not isinstance(study.storage, LoopStorage | RamStorage):
        return ""
    if study.storage.size >= _FILLED * memory_bytes:
        return ""
    wanted = format_size((_FILLED + 1) * memory_bytes >> 30 << 30).replace(" ", "")
    return (
        f"; its files fit in the memory of {format_size(memory_bytes)}, which leaves times"
        f" undecided: --storage loop:{wanted}, or less memory by a control group"
    )


def _begun(part: StudyPart, asked: Asked) -> Path | None:
    """The newest folder of an earlier run of the study; None without one. Of a storage that was
    asked for, only a run on that is."""
    from fsgauge.plain_files import PlainFolder

    results = asked.results
    if not results.is_dir():
        return None
    with PlainFolder.opened(results) as folder:
        begun = [name for name in folder.names() if name.startswith(f"{part.study}-20")]
    if part.rig != "host" or asked.storage is None:
        return results / max(begun) if begun else None
    newest_first = (results / name for name in sorted(begun, reverse=True))
    return next((each for each in newest_first if _is_on(each, part, asked.storage)), None)


def _is_on(directory: Path, part: StudyPart, storage: str) -> bool:
    """Whether a run was on this storage; one that cannot be read is, and says why it cannot."""
    from fsgauge.store import read_results

    wanted = load_study(str(part.path), [], [], storage, None).model_dump(
        mode="json", by_alias=True
    )
    try:
        recorded = read_results(directory).study.study
    except FsgaugeError:
        return True
    return bool(recorded.get("storage") == wanted["storage"])


def _plan_lines(ledger: Ledger, looked: Sequence[Ahead | LeftOut]) -> list[str]:
    """A line a part, before anything begins; at last what all of them take."""
    lines = [f"{ledger.publication.name}: {ledger.publication.title}"]
    for each in looked:
        if isinstance(each, Ahead):
            lines.append(f"  {each.part.study}, {each.part.rig}: {each.words}")
        else:
            lines.append(f"  {each.study}: not here, since {each.why}; next: {each.next}")
    seconds = sum(each.seconds for each in looked if isinstance(each, Ahead))
    return [
        *lines,
        *([f"  in all: about {format_duration(round(seconds * 1e9))}"] if seconds else []),
    ]


def _ask(ahead: Sequence[Ahead], again: str) -> None:
    """Before what takes long or writes much. Interrupted for a no, InputError without anyone."""
    seconds = sum(each.seconds for each in ahead)
    written_bytes = sum(each.written_bytes for each in ahead)
    if seconds <= LONG_SECONDS and written_bytes <= MUCH_BYTES:
        return
    takes = f"about {format_duration(round(seconds * 1e9))}"
    takes += f" and writes about {format_size(written_bytes)}" if written_bytes else ""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"it takes {takes}, and there is no one to ask whether that is meant",
            next=f"{again} --yes",
        )
    sys.stderr.write(f"all of it takes {takes}\n")
    if not is_meant():
        raise Interrupted("nothing was started", next=again)


def _nothing_can_run(name: str, left_out: Sequence[LeftOut], came_to: ExitCode) -> FsgaugeError:
    """`came_to` is the gravest that runs came to; ANSWERED where none began."""
    from fsgauge.published.runs import NotValidError

    error = {ExitCode.ANSWERED: InputError, ExitCode.FINDING: NotValidError}.get(came_to, RigError)
    what = f"this machine can run no part of {name}"
    return error(
        what if came_to == ExitCode.ANSWERED else f"no run of {name} can be judged",
        details=tuple(f"{each.study}: {each.why}" for each in left_out),
        next=next((each.next for each in left_out if each.next), "fsgauge doctor"),
    )


def _run_all(
    folder: str, ledger: Ledger, ahead: Sequence[Ahead], left_out: list[LeftOut], asked: Asked
) -> int:
    from fsgauge import __version__
    from fsgauge.published.page import text_of
    from fsgauge.published.standing import standing_of
    from fsgauge.report.publication import write_publication

    name, results = ledger.publication.name, asked.results
    ran: list[tuple[Path, JudgedRun]] = []
    codes: list[int] = []
    stopped: Interrupted | None = None
    for each in ahead:
        try:
            if stopped is None:
                with interruptible():  # of pages and statistics too: what was run is packed
                    ran.append(_measured(each, asked))
                continue
        except Interrupted as error:
            stopped = error
        except FsgaugeError as error:
            is_refused = error.exit_code == ExitCode.REFUSED or _begun(each.part, asked) is None
            if not is_refused:
                codes.append(error.exit_code)
            helps = error.next or asked.alone(each.part)
            left_out.append(LeftOut(study=each.part.study, why=error.what, next=helps))
            sys.stderr.write(f"not run: {each.part.study}: {error.what}\n")
            continue
        why = "interrupted before it was whole"
        left_out.append(LeftOut(study=each.part.study, why=why, next=asked.again(name)))
    if stopped is not None:
        stopped.next = asked.again(name)
        if not ran:
            raise stopped
    if not ran:
        raise _nothing_can_run(name, left_out, gravest(codes))
    contents = Contents(
        format=FORMAT,
        fsgauge=__version__,
        publication=name,
        studies=[run.study for _, run in ran],
        left_out=left_out,
    )
    runs = {run.study: run for _, run in ran}
    standings = [standing_of(folder, claim, runs) for claim in ledger.claim]
    page = write_publication(results / f"published-{name}.html", ledger, standings, left_out)
    for line in text_of(folder, ledger, ledger.claim, runs):
        click.echo(line)
    click.echo(f"page: {page}")
    try:
        archive = write_archive(results / f"published-{name}.tar.xz", contents, ran)
        click.echo(f"archive: {archive}")
    except FsgaugeError as error:
        if stopped is None:
            raise
        sys.stderr.write(f"not packed: {error.what}\n")
    if stopped is not None:
        raise stopped
    return gravest(codes)


def _measured(each: Ahead, asked: Asked) -> tuple[Path, JudgedRun]:
    """Its results folder, which is whole, and what it says by the statistics of today: a report
    that is there may be of an earlier fsgauge. Raises what ended it."""
    from fsgauge.cli.execution import make_report, measured, report_in
    from fsgauge.published.runs import judge
    from fsgauge.stats.results import Results

    if each.begun is None:
        assert each.study is not None and each.rig is not None  # noqa: S101 - else it has begun
        sys.stderr.write(f"{each.part.study}, on the rig {each.part.rig}\n")
        destroy = asked.consent if each.part.rig == "host" else None
        directory = measured(each.study, each.rig, asked.results, destroy)
    else:
        directory = each.begun
        _go_on(directory, asked)
    make_report(directory)
    return directory, judge(directory, Results.model_validate(report_in(directory)))[1]


def _go_on(directory: Path, asked: Asked) -> None:
    """Measure what the study lacks, if it does; raises what ended it."""
    from fsgauge.cli.execution import progress_for
    from fsgauge.run import resume_study

    outcome = resume_study(
        directory,
        rig=lambda recorded: rig_named(recorded, say),
        destroy=asked.consent,
        progress=progress_for(None),
    )
    if outcome is not None and outcome.ended_by is not None:
        raise outcome.ended_by
