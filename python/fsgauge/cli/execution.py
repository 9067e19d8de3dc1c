"""Run or resume a study for a command: measure, make the report, print the last two lines."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from fsgauge.cli.choices import needed_again
from fsgauge.errors import FsgaugeError, FullModelError, Interrupted, quoted
from fsgauge.exit_codes import ExitCode, gravest, of_report
from fsgauge.programs.streams import json_line
from fsgauge.progress.terminal import width_of, wrapped, wrapped_lines
from fsgauge.units import count

if TYPE_CHECKING:
    from fsgauge.machine.device.consent import Consent
    from fsgauge.progress import Progress
    from fsgauge.rig.rig import Rig
    from fsgauge.run import Outcome
    from fsgauge.study.model import Study

MOST_WARNINGS = 3
"""On the terminal; the page has all."""


class Ended(NamedTuple):
    """The exit code, and the folder with its report where nothing ended the study early."""

    code: int
    whole: Path | None


def execute(
    study: Study,
    *,
    rig: Rig,
    results: Path,
    destroy: Consent | None,
    style: str | None,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Ended:
    """Run a study; the texts of `beside` are kept in its folder, by name."""
    from fsgauge.run import run_study

    with _naming_resume() as created:
        outcome = run_study(
            study,
            rig=rig,
            results=results,
            destroy=destroy,
            command=["fsgauge", *sys.argv[1:]],
            progress=progress_for(style),
            created=created,
            beside=beside,
        )
    ended = _conclude(outcome, style)
    _keep_noise(rig, study, outcome.directory)
    return ended


def execute_again(
    directory: Path,
    rig: Callable[[str], Rig],
    destroy: Consent | None,
    style: str | None,
    *,
    accept_changed: bool,
) -> Ended:
    """Resume a study on the rig that its name gives; a complete one is only reported."""
    from fsgauge.run import Outcome, resume_study

    with _naming_resume() as created:
        created(directory)
        outcome = resume_study(
            directory,
            rig=rig,
            destroy=destroy,
            progress=progress_for(style),
            accept_changed=accept_changed,
        )
    if outcome is None:
        sys.stderr.write("the study is complete: nothing is left to measure\n")
    return _conclude(outcome or Outcome(directory, None), style, accept_changed=accept_changed)


def measured(study: Study, rig: Rig, results: Path, destroy: Consent | None) -> Path:
    """Run a study and give its folder, for a report of the caller's; raises what ended it early."""
    from fsgauge.run import run_study

    outcome = run_study(
        study,
        rig=rig,
        results=results,
        destroy=destroy,
        command=["fsgauge", *sys.argv[1:]],
        progress=progress_for(None),
    )
    if outcome.ended_by is not None:
        raise outcome.ended_by
    return outcome.directory


def progress_for(style: str | None) -> Progress:
    """`style`: json, quiet, lines; None: live on a terminal, else lines."""
    from fsgauge.progress import Progress
    from fsgauge.progress.lines import JsonLines, Lines

    if style == "json":
        return JsonLines(sys.stdout)
    if style == "quiet":
        return Progress()
    if style is None and sys.stderr.isatty():
        from fsgauge.progress.live import Live

        return Live()
    return Lines(sys.stderr)


def _keep_noise(rig: Rig, study: Study, directory: Path) -> None:
    """How far the baseline differed from itself, for the next plan on this storage; not of a study
    that is not valid, that its CPU quota slowed, or whose runs take as long as they were told."""
    from fsgauge.stats.machine_findings import THROTTLED
    from fsgauge.stats.pilot import pilot_noise
    from fsgauge.store import read_results

    if not rig.keeps_noise or study.workload.is_judged_by_own_number:
        return
    with suppress(FsgaugeError):  # too few blocks, or records that cannot be read
        report = report_in(directory)
        codes = {each["code"] for each in report["findings"]}
        if not report["sureness"]["valid"] or THROTTLED in codes:
            return
        stored = read_results(directory)
        found = pilot_noise(stored.study, stored.runs)
        rig.keep_noise(study, found.noise_percent, found.blocks, str(directory))


@contextmanager
def _naming_resume() -> Iterator[Callable[[Path], None]]:
    """Gives a function that takes the study's folder: an interruption then names `resume`."""
    named: list[Path] = []
    try:
        yield named.append
    except Interrupted as error:
        if named and (named[0] / "study.json").is_file():
            error.next = _resume(named[0])
        else:
            error.cause = "nothing was measured yet, so nothing is kept"
        raise


def _resume(directory: Path) -> str:
    """With what a fleet or a device needs again."""
    return shlex.join(["fsgauge", "resume", str(directory), *needed_again(sys.argv[1:])])


def _conclude(outcome: Outcome, style: str | None, *, accept_changed: bool = False) -> Ended:
    ended_by = outcome.ended_by
    if ended_by is not None:
        _say_end(ended_by, outcome.directory)
    try:
        answer, page = make_report(outcome.directory, accept_changed=accept_changed)
    except FsgaugeError as error:
        if ended_by is None:
            raise
        sys.stderr.write(f"{error.render()}\n")
        return Ended(ended_by.exit_code, None)
    except KeyboardInterrupt:
        raise Interrupted(
            "the page was not written to its end",
            cause="interrupted; all runs are kept",
            next=f"fsgauge report {quoted(outcome.directory)}",
        ) from None
    report = report_in(outcome.directory)
    commands = (report.get("race") or {}).get("commands", [])
    if style == "json":
        ratios = primary_ratios(report)
        facts = {"event": "answer", "answer": answer, "report": str(page), "ratios": ratios}
        facts |= {"limits": found} if (found := limits_of(report)) else {}
        facts |= {"commands": commands} if commands else {}
        sys.stdout.write(json_line(facts) + "\n")
    else:
        if style != "quiet":
            _say_warnings(report)
        shown = [said(answer, report["lines"], page), *(commands if style is None else [])]
        sys.stdout.write("".join(f"{line}\n" for line in shown))
    code = of_report(report)
    if ended_by is not None:
        return Ended(gravest([ended_by.exit_code, code]), None)
    if code == ExitCode.FAILED:
        _say_nothing_measured(report, outcome.directory)
    return Ended(code, outcome.directory)


def _say_nothing_measured(report: Mapping[str, Any], directory: Path) -> None:
    """What failed first and what helps against that, or the first warning of the page."""
    from fsgauge.store import read_results

    warned = [each for each in report["findings"] if each["level"] == "warning"]
    runs = read_results(directory, accept_changed=True).runs
    fault = next((run.fault for run in runs if run.fault is not None), None)
    error = FsgaugeError(
        "nothing of what the study compares could be measured",
        details=(fault.what,) if fault is not None else (),
        cause=fault.cause if fault is not None else "".join(e["sentence"] for e in warned[:1]),
        next=fault.next if fault is not None else "".join(e["advice"] for e in warned[:1]),
    )
    sys.stderr.write(f"{error.render()}\n")


def said(answer: str, lines: Sequence[str], page: Path) -> str:
    """The last two lines; on a terminal each of the answer's `lines` begins a line of its own."""
    width, start = width_of(sys.stdout), answer.removesuffix(" ".join(lines))
    told = [f"{start}{lines[0]}", *lines[1:]] if width is not None and lines else [answer]
    shown = [f"answer: {told[0]}", *(f"        {each}" for each in told[1:])]
    return "\n".join([*wrapped_lines(shown, width), f"report: {page}"])


def _say_warnings(report: Mapping[str, Any]) -> None:
    """The limits that bind, and the first of the page's warnings."""
    found = [each for each in report["findings"] if each["level"] == "warning"]
    lines = [f"limits: {sentence}" for sentence in limits_of(report)]
    lines += [f"warning: {each['sentence']}" for each in found[:MOST_WARNINGS]]
    if len(found) > MOST_WARNINGS:
        lines.append(f"{count(len(found) - MOST_WARNINGS, 'more warning')} in the report")
    for line in lines:
        sys.stderr.write("\n".join([*wrapped(line, width_of(sys.stderr)), ""]))


def _say_end(ended_by: FsgaugeError, directory: Path) -> None:
    sys.stderr.write("the report below covers what was measured before that\n")
    if isinstance(ended_by, Interrupted):
        ended_by.next = _resume(directory)
        sys.stderr.write(f"{ended_by.render()}\n")
        return
    if isinstance(ended_by, FullModelError):
        from fsgauge.report.page import repeat_command
        from fsgauge.store import read_results

        with suppress(FsgaugeError):  # a folder that cannot be read has no command
            ended_by.repeated(repeat_command(read_results(directory).study))
    after = "" if ended_by.ends_again else f"after that: {_resume(directory)}\n"
    sys.stderr.write(f"{ended_by.render()}\n{after}")


def make_report(directory: Path, *, accept_changed: bool = False) -> tuple[str, Path]:
    """Make a results folder's report; gives the answer and the page's path."""
    from fsgauge.report import write_report

    page = write_report(directory, accept_changed=accept_changed)
    return str(report_in(directory)["answer"]), page


def primary_ratios(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The primary comparisons of report.json, for a program."""
    metrics = report["primary_metrics"]
    keys = ("cell", "system", "metric", "ratio", "low", "high", "verdict", "n", "limited_by")
    return [
        {key: entry[key] for key in keys if key in entry}
        for entry in report["comparisons"]
        if entry["primary"] and entry["metric"] == metrics.get(entry["cell"])
    ]


def limits_of(report: Mapping[str, Any]) -> list[str]:
    """The sentences on control groups, affinity and ulimits that bound the study."""
    from fsgauge.stats.machine_findings import LIMITED

    return [each["sentence"] for each in report["findings"] if each["code"] == LIMITED]


def report_in(directory: Path) -> dict[str, Any]:
    from fsgauge.plain_files import read_json
    from fsgauge.plain_files.bounds import REPORT

    found: dict[str, Any] = json.loads(read_json(directory / "report.json", REPORT))
    return found
