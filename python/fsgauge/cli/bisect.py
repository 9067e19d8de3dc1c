"""`fsgauge rig bisect`: which kernel of the distribution brought a loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli.asked_study import AskedStudy, complete_study, complete_system
from fsgauge.cli.choices import folder_option, results_option
from fsgauge.exit_codes import ExitCode, ends
from fsgauge.progress.terminal import say

if TYPE_CHECKING:
    from fsgauge.bisect.log import Asked, Step
    from fsgauge.stats.folders.condition import Condition
    from fsgauge.study.model import Study

_GOOD, _TRIED = "good", "tried"


@click.command("bisect")
@ends("rig bisect")
@click.argument("study", shell_complete=complete_study)
@click.option("--good", required=True, metavar="PACKAGE", help="A kernel without the loss.")
@click.option("--bad", required=True, metavar="PACKAGE", help="A later kernel that has it.")
@click.option(
    "--fail-if",
    "limits",
    multiple=True,
    required=True,
    metavar="CONDITION",
    help="What the loss is, against the good kernel: 'ratio(iops, randread) < 0.95'. May be"
    " repeated: one of them is enough.",
)
@click.option(
    "--system",
    default="ext4",
    show_default=True,
    metavar="SYSTEM",
    shell_complete=complete_system,
    help='The file system, as in run: "xfs:mount=noatime".',
)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="As in run.")
@click.option("--storage", metavar="STORAGE", help="As in run: loop:512MiB.")
@click.option("--seed", type=int, help="Repeat a study's random order.")
@folder_option(
    "--output", "The folder of the log and the page. Default: bisect-STUDY, below --results."
)
@results_option
def command(
    study: str,
    good: str,
    bad: str,
    limits: tuple[str, ...],
    system: str,
    overrides: tuple[str, ...],
    storage: str | None,
    seed: int | None,
    output: Path | None,
    results: Path,
) -> int:
    """Find the kernel with which STUDY began to lose, between two of the archive's packages.

    Each step measures a kernel against the good one, in every block, on the virtual rig; only an
    interval beyond a limit decides. An undecided kernel is measured again with more blocks, then
    passed over. The same command continues an interrupted bisection.
    """
    from fsgauge.bisect.judging import answer, is_found
    from fsgauge.bisect.log import Asked, Log, read_log, steps, write_bisect
    from fsgauge.rig.refusing import require_none
    from fsgauge.rig.vm.build.making import kernels_between
    from fsgauge.rig.vm.refusing import refused
    from fsgauge.stats.folders.condition import parse_condition
    from fsgauge.stats.folders.limits import meant
    from fsgauge.study.workload import cells_of

    conditions = [parse_condition(text) for text in limits]
    asked = Asked(
        study=study,
        overrides=list(overrides),
        system=system,
        storage=storage,
        seed=seed,
        good=good,
        bad=bad,
        limits=list(limits),
    )
    planned = studied(asked, good, None)
    for condition in conditions:
        meant(condition, cells_of(planned.workload), [_TRIED])
    require_none(refused(planned, None, is_built=False))
    blocks = planned.plan.blocks
    folder = output or results / f"bisect-{Path(study).stem}"
    log = read_log(folder, asked) or Log(asked=asked, kernels=kernels_between(say, good, bad))
    say(f"{len(log.kernels)} kernels from {good} to {bad}")
    page = write_bisect(log, folder)

    def measure(kernel: str, times: int) -> Step:
        step = _step(asked, conditions, kernel, times * blocks, results)
        click.echo(f"{kernel}  {step.outcome}, {step.blocks} blocks: {_ratios(step)}")
        return step

    for reached in steps(log, measure):
        log = reached
        page = write_bisect(log, folder)
    click.echo(f"answer: {answer(log.kernels, log.tried)}")
    click.echo(f"page: {page}")
    if log.tried.get(bad) == "good":
        return ExitCode.FINDING
    found = is_found(log.kernels, log.tried)
    return ExitCode.ANSWERED if found else ExitCode.UNDECIDED


def studied(asked: Asked, kernel: str, blocks: int | None) -> Study:
    changes = [f"system.{_GOOD}.rig.kernel={asked.good}", f"system.{_TRIED}.rig.kernel={kernel}"]
    if blocks is not None:
        changes.append(f"plan.blocks={blocks}")
    wanted = AskedStudy(
        asked.study,
        (*asked.overrides, *changes),
        (f"{_GOOD}={asked.system}", f"{_TRIED}={asked.system}"),
        asked.storage,
        asked.seed,
        baseline=_GOOD,
    )
    return wanted.on("vm")


def _step(
    asked: Asked, conditions: list[Condition], kernel: str, blocks: int, results: Path
) -> Step:
    from fsgauge.bisect.judging import judged, outcome_of
    from fsgauge.bisect.log import Step
    from fsgauge.cli.execution import measured
    from fsgauge.report.write import read_report
    from fsgauge.rig.registry import rig_named
    from fsgauge.rig.vm.build.making import require_built

    for each in (asked.good, kernel):
        require_built(say, each)
    directory = measured(studied(asked, kernel, blocks), rig_named("vm", say), results, None)
    report = read_report(directory)
    report.write()
    limits = judged(conditions, report.results, _TRIED)
    return Step(
        kernel=kernel,
        directory=str(directory.absolute()),
        blocks=blocks,
        outcome=outcome_of(limits),
        limits=limits,
    )


def _ratios(step: Step) -> str:
    from fsgauge.report import words

    return "; ".join(
        f"{each.cell} {words.ratio(each.ratio)}"
        f" ({words.interval(each.low, each.high, each.blocks)})"
        if each.ratio is not None
        else f"{each.cell} did nothing"
        for each in step.limits
    )
