"""A study handed to Slurm: the same command, run in a job of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsgauge.rig.rig import FleetChoice
    from fsgauge.study.model import Study


def submit(study: Study, hosts: FleetChoice) -> int:
    """Submit what was typed; its page is where the job's log says. Raises RigError."""
    from fsgauge.plan.turns import make_plan
    from fsgauge.rig.fleet.choice import require_extra
    from fsgauge.rig.fleet.launcher.slurm import batch_script, submitted
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
    return 0
