"""The installed fio: found, asked for its version, run to its end."""

from __future__ import annotations

import shlex
from typing import Any

from fsgauge.crosscheck.fio_output import parse_fio
from fsgauge.errors import RigError
from fsgauge.rig.host.process.tool import find_tool, run_tool
from fsgauge.wire import LoadJob

_SLACK_SECONDS = 120.0


def fio_version() -> str:
    """What the installed fio calls itself; RigError when there is none."""
    if find_tool("fio") is None:
        raise RigError(
            "fio is not installed",
            cause="a cross-check runs the fio of this machine; fsgauge does not bring one",
            next="apt-get install fio",
        )
    said = run_tool(["fio", "--version"])
    if said.exit_code != 0 or not said.output.strip():
        raise RigError("fio does not say its version", details=(said.words[:200],))
    return said.output.strip().splitlines()[-1]


def run_fio(command: list[str], job: LoadJob) -> dict[str, Any]:
    """fio's document; RigError with its own words when it fails."""
    seconds = (job.warm_up_ns + job.duration_ns) / 1e9 + _SLACK_SECONDS
    said = run_tool(command, seconds=seconds)
    if said.exit_code != 0:
        raise RigError(
            f"fio failed (exit code {said.exit_code})",
            details=(shlex.join(command), *said.words.splitlines()[:6]),
            cause="its words are above; an old fio, or one built without io_uring, lacks options",
            next="fio --version; fio --enghelp",
        )
    return parse_fio(said.output)
