"""Before a study that takes long or writes much: what it is, and whether it is meant."""

from __future__ import annotations

import sys

import click

from fsgauge.errors import Interrupted
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study

LONG_SECONDS = 15 * 60
MUCH_BYTES = 100 << 30


def ask_where_long(study: Study, rig: Rig) -> None:
    """On a terminal, above `LONG_SECONDS` or `MUCH_BYTES` written: the plan in three lines.

    Raises Interrupted when the answer is no. A program is never asked: not where standard input
    or standard error is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from fsgauge.cli.plan import time_and_bytes
    from fsgauge.plan.preview import describe
    from fsgauge.plan.turns import make_plan
    from fsgauge.rig.design import design_of

    size_bytes = rig.size_bytes(study)
    beside = design_of(rig, study).side_by_side
    plan = make_plan(study, size_bytes=size_bytes, side_by_side=beside)
    if plan.expected_seconds <= LONG_SECONDS and plan.expected_written_bytes <= MUCH_BYTES:
        return
    description = describe(plan, study, size_bytes=size_bytes)
    systems = ", ".join(system.name for system in description.systems)
    lines = [
        f"order     {description.runs} runs in {description.blocks} blocks: {systems}",
        *time_and_bytes(description),
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    if not click.confirm("begin?", default=False, err=True):
        raise Interrupted(
            "not begun: you said no",
            next="fsgauge study list has shorter ones; --set plan.blocks=5 shortens this",
        )
