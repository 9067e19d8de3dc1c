"""`fsgauge run` and `resume`: a study measured, or handed to Slurm, and continued."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsgauge.cli import choices
from fsgauge.cli.asked_study import AskedStudy, study_choices
from fsgauge.errors import Interrupted
from fsgauge.exit_codes import ExitCode, ends

if TYPE_CHECKING:
    from fsgauge.cli.plan_lines import PlannedStudy
    from fsgauge.machine.device.consent import Consent
    from fsgauge.rig.rig import FleetChoice, Rig
    from fsgauge.study.model import Study


@click.command("run")
@ends("run")
@study_choices
@choices.rig_option
@choices.fleet_choices
@choices.consent_choices
@choices.results_option
@click.option(
    "--yes",
    "-y",
    is_flag=True,
    help="Do not ask. (Asks only on a terminal, for runs over 15 min or 100 GiB written.)",
)
@choices.progress_choices
def command(
    asked: AskedStudy,
    rig: str | None,
    hosts: FleetChoice,
    consent: Consent | None,
    results: Path,
    yes: bool,
    style: str | None,
) -> int:
    """Run STUDY (a shipped name or a file) and write its report.

    A shipped study takes minutes. --full is its whole sweep, --as-published the method of the
    publication it began from.

    Prints the answer and the report's path as its last two lines.
    """
    from fsgauge.cli.race_stages import How, measure, rigs
    from fsgauge.rig.fleet.choice import is_submitted

    study, chosen = asked.placed(rig, hosts)
    if study.sweep is not None:
        from fsgauge.cli.sweeping import run_sweep

        return run_sweep(study, chosen, results)
    if is_submitted(hosts):
        return submit(study, hosts)
    if study.plan.mode == "race" and study.storage.kind == "device":
        _require_endurance(study, chosen)
    ask = not_asked if yes else ask_where_long
    return measure(study, chosen, results, How(rigs(chosen), consent, style, ask))


@click.command("resume")
@ends("run")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--rig", metavar="RIG", help="Must be the rig that the study began on, which is the default."
)
@choices.fleet_choices
@choices.consent_choices
@choices.despite_choice()
@choices.progress_choices
def resume(
    directory: Path,
    rig: str | None,
    hosts: FleetChoice,
    consent: Consent | None,
    accept_changed: bool,
    style: str | None,
) -> int:
    """Continue the study in DIRECTORY after an interruption or a kill.

    Plan, seed and study are those that the folder recorded. The interrupted block is repeated; its
    partial records are kept in records-abandoned/. A study on a fleet needs its hosts again. After
    a race of choose comes what follows it: a second one around the winner of a sample.
    """
    from fsgauge.cli.race_stages import How, resumed
    from fsgauge.cli.sweeping import resume_sweep
    from fsgauge.progress.terminal import say
    from fsgauge.rig.registry import rig_named
    from fsgauge.sweep.folder import is_sweep

    if is_sweep(directory):
        return resume_sweep(directory, accept_changed=accept_changed)
    how = How(lambda name: rig_named(rig or name, say, hosts), consent, style, ask_where_long)
    return resumed(directory, how, accept_changed=accept_changed)


LONG_SECONDS = 15 * 60
MUCH_BYTES = 100 << 30
_FEWER_BLOCKS = (5, 3)
"""Block counts that a shorter study is proposed with; fewer than 3 decide nothing."""


def ask_where_long(study: Study, rig: Rig) -> None:
    """On a terminal, above `LONG_SECONDS` or `MUCH_BYTES` written: the plan in three lines. Raises
    Interrupted when the answer is no; what the rig would refuse is raised before the question."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from fsgauge.cli.plan_lines import plan_on, time_and_bytes

    planned = plan_on(study, rig)
    plan = planned.plan
    if plan.expected_seconds <= LONG_SECONDS and plan.expected_written_bytes <= MUCH_BYTES:
        return
    _refuse_at_once(study, rig)
    description = planned.described(study)
    systems = ", ".join(system.name for system in description.systems)
    lines = [
        f"order     {description.runs:,} runs in {description.blocks} blocks: {systems}",
        *time_and_bytes(description),
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    if not is_meant():
        shorter = _shorter(study, rig, planned)
        raise Interrupted("nothing was started", next=shorter)


def not_asked(_study: Study, _rig: Rig) -> None:
    """Of --yes."""


def _require_endurance(study: Study, rig: Rig) -> None:
    """InputError for a race that may write its device more often than that endures."""
    from fsgauge.cli.plan_lines import plan_on
    from fsgauge.plan.race import wear

    planned = plan_on(study, rig)
    plan = planned.plan
    wear(study, planned.size_bytes, plan.expected_written_bytes, plan.expected_seconds)


def _refuse_at_once(study: Study, rig: Rig) -> None:
    """What would be refused after a yes. A device is not looked at: its consent comes later."""
    from fsgauge.programs.interruption import interruptible
    from fsgauge.study.model import DeviceStorage

    if isinstance(study.storage, DeviceStorage):
        return
    with interruptible():
        for refusal in rig.refusals(study):
            raise refusal


def is_meant() -> bool:
    """The answer; no for Ctrl-C and Ctrl-D as well."""
    try:
        return click.confirm("begin?", default=False, err=True)
    except click.Abort:
        sys.stderr.write("\n")
        return False


def _shorter(study: Study, rig: Rig, planned: PlannedStudy) -> str:
    """What makes this very study shorter, and how long it takes then; "" where nothing does."""
    from fsgauge.plan.turns import make_plan
    from fsgauge.units import format_duration

    for blocks in _FEWER_BLOCKS:
        fewer = study.model_copy(update={"plan": study.plan.model_copy(update={"blocks": blocks})})
        plan = make_plan(
            fewer,
            size_bytes=planned.size_bytes,
            side_by_side=planned.design.side_by_side,
            strikes=rig.strikes(fewer),
            around=planned.around,
        )
        if plan.expected_seconds < planned.plan.expected_seconds:
            took = format_duration(int(plan.expected_seconds * 1e9))
            return f"--set plan.blocks={blocks} takes about {took}"
    return ""


def submit(study: Study, hosts: FleetChoice) -> int:
    """Submit what was typed; its page is where the job's log says. Raises RigError."""
    from fsgauge.plan.turns import make_plan
    from fsgauge.rig.fleet.choice import require_extra
    from fsgauge.rig.fleet.launcher.command import batch_script, submitted
    from fsgauge.rig.fleet.rig import FleetRig
    from fsgauge.workload import method_of

    require_extra()
    assert hosts.slurm is not None  # noqa: S101 - else nothing is submitted
    method_of(study.workload).require_dealable(hosts.slurm)
    plan = make_plan(study, size_bytes=FleetRig(hosts).size_bytes(study))
    words = [word for word in sys.argv[1:] if word not in ("--yes", "-y")]
    command = ["fsgauge", *words, "--yes"]
    here = Path.cwd()
    job = submitted(batch_script(hosts.slurm, command, here, plan.expected_seconds), here)
    sys.stdout.write(f"submitted as job {job}\nlog: {here / f'fsgauge-{job}.log'}\n")
    return ExitCode.ANSWERED
