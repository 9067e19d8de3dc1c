"""Before a study that takes long or writes much: what it is, and whether it is meant."""

from __future__ import annotations

import sys

import click

from fsgauge.errors import Interrupted
from fsgauge.plan.around import Around
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.programs.interruption import interruptible
from fsgauge.record.records import Plan
from fsgauge.rig.rig import Rig, around_on
from fsgauge.study.model import DeviceStorage, Study
from fsgauge.units import format_duration

LONG_SECONDS = 15 * 60
MUCH_BYTES = 100 << 30
_FEWER_BLOCKS = (5, 3)
"""What is proposed; with fewer, nothing can be decided."""


def ask_where_long(study: Study, rig: Rig) -> None:
    """On a terminal, above `LONG_SECONDS` or `MUCH_BYTES` written: the plan in three lines.

    Raises Interrupted when the answer is no; what the rig would refuse is raised before the
    question. Without a terminal on standard input and standard error there is no question.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from fsgauge.cli.plan_lines import time_and_bytes
    from fsgauge.rig.design import design_of

    size_bytes = rig.size_bytes(study)
    beside = design_of(rig, study).side_by_side
    around = around_on(rig, study)
    plan = make_plan(study, size_bytes=size_bytes, side_by_side=beside, around=around)
    if plan.expected_seconds <= LONG_SECONDS and plan.expected_written_bytes <= MUCH_BYTES:
        return
    _refuse_at_once(study, rig)
    description = describe(plan, study, size_bytes=size_bytes, around=around)
    systems = ", ".join(system.name for system in description.systems)
    lines = [
        f"order     {description.runs} runs in {description.blocks} blocks: {systems}",
        *time_and_bytes(description),
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    if not _is_meant():
        shorter = _shorter(study, plan, size_bytes, around)
        raise Interrupted("nothing was started", next=shorter)


def _refuse_at_once(study: Study, rig: Rig) -> None:
    """What would be refused after a yes. A device is not looked at: its consent comes later."""
    if isinstance(study.storage, DeviceStorage):
        return
    with interruptible():
        for refusal in rig.refusals(study):
            raise refusal


def _is_meant() -> bool:
    """The answer; no for Ctrl-C and Ctrl-D as well."""
    try:
        return click.confirm("begin?", default=False, err=True)
    except click.Abort:
        sys.stderr.write("\n")
        return False


def _shorter(study: Study, plan: Plan, size_bytes: int, around: Around) -> str:
    """What makes this very study shorter, and how long it takes then; "" where nothing does."""
    for blocks in _FEWER_BLOCKS:
        fewer = study.model_copy(update={"plan": study.plan.model_copy(update={"blocks": blocks})})
        planned = make_plan(fewer, size_bytes=size_bytes, around=around)
        seconds = planned.expected_seconds
        if seconds < plan.expected_seconds:
            took = format_duration(int(seconds * 1e9))
            return f"--set plan.blocks={blocks} takes about {took}"
    return ""
