"""Slurm: hosts are the nodes of one job, each started by a step of its own.

Outside of a job, the same command is handed to sbatch: coordinator and scheduler then run on the
job's first node, not on the login node, where they would be killed. A step for each host, not one
for all of them: its standard input is the host's lease, and a host that was lost is started again.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fsgauge.errors import InputError
from fsgauge.programs import interpreter
from fsgauge.rig.fleet.launcher.command import HOST_COMMAND, CommandLauncher
from fsgauge.rig.fleet.launcher.launcher import answer_of
from fsgauge.rig.fleet.model import Fleet, Host

_JOB, _NODES = "SLURM_JOB_ID", "SLURM_JOB_NODELIST"
_SECONDS = 60.0
_LEAST_MINUTES = 30
_MARGIN = 2.0
"""A job that ends before its study does is lost from its last whole block on."""


def is_in_job(environment: Mapping[str, str] = os.environ) -> bool:
    return bool(environment.get(_JOB))


def fleet_of_job(nodes: int, environment: Mapping[str, str] = os.environ) -> Fleet:
    """The nodes of the job as hosts; InputError where there are fewer than asked for."""
    listed = environment.get(_NODES, "")
    names = _said(["scontrol", "show", "hostnames", listed]).split()
    if len(names) < nodes:
        raise InputError(
            f"--slurm asks for {nodes} nodes, and this job has {len(names)}: {listed}",
            next=f"--slurm {len(names)}" if names else f"salloc --nodes={nodes}",
        )
    return Fleet(launcher="slurm", host=[Host(name=name) for name in names[:nodes]])


def slurm_launcher() -> CommandLauncher:
    return CommandLauncher(slurm_command, lambda host: f"srun --overlap --nodelist={host.name} ")


def slurm_command(host: Host) -> list[str]:
    """One step on one node; it may share it with the coordinator."""
    return [
        *("srun", "--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--overlap"),
        *("--kill-on-bad-exit=1", "--unbuffered", f"--nodelist={host.name}"),
        *interpreter("fsgauge", HOST_COMMAND),
    ]


def batch_script(nodes: int, command: Sequence[str], folder: Path, seconds: float) -> str:
    """The script that sbatch gets: the command as it was typed, on `nodes` whole nodes."""
    minutes = max(_LEAST_MINUTES, round(_MARGIN * seconds / 60))
    lines = [
        "#!/bin/bash",
        "#SBATCH --job-name=fsgauge",
        f"#SBATCH --nodes={nodes}",
        "#SBATCH --ntasks-per-node=1",
        "#SBATCH --exclusive",
        f"#SBATCH --time={minutes}",
        "#SBATCH --output=fsgauge-%j.log",
        f"cd {shlex.quote(str(folder))} || exit 3",
        f"exec {shlex.join(interpreter(*command))}",
    ]
    return "\n".join(lines) + "\n"


def submitted(script: str, folder: Path = Path("/")) -> str:
    """Hand a script to sbatch, which puts the job's log into `folder`; gives the job's number.
    Raises RigError in Slurm's own words."""
    return _said(["sbatch", "--parsable"], script, folder).strip().partition(";")[0]


def _said(command: list[str], text: str = "", folder: Path = Path("/")) -> str:
    missing = (
        "--slurm is for the login node of a cluster, or a job in it",
        "--ssh a,b,c reaches hosts without Slurm",
    )
    return answer_of(command, text, seconds=_SECONDS, look="sinfo", missing=missing, folder=folder)
