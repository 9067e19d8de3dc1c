"""Runs a program of the system (mkfs, mount, losetup), bounded in time and dying with this process.

Takes an argument list, gives what the program said. Where programs are found, and what they are
started with, is in child_environment.py; how they are waited for, in waiting.py.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from fsgauge.child_environment import child_environment, search_path
from fsgauge.errors import RigError
from fsgauge.rig.host.process.parent_death import killed_with_parent
from fsgauge.rig.host.process.undisturbed import handled_afterwards
from fsgauge.rig.host.process.waiting import Answer, NoEnd, end_or_give_up, wait_for

__all__ = ["Said", "find_tool", "must_run", "run_tool", "search_path"]


@dataclass(frozen=True)
class Said:
    """What a program printed and how it ended."""

    command: tuple[str, ...]
    exit_code: int
    output: str
    error: str

    @property
    def words(self) -> str:
        """Its complaint, or its output when it did not complain."""
        return (self.error or self.output).strip()


def find_tool(name: str) -> str | None:
    """Full path of a program, or None."""
    return shutil.which(name, path=search_path())


def run_tool(command: list[str], *, seconds: float = 60.0) -> Said:
    """Run a program to its end; RigError when it is missing or does not end in time."""
    program = find_tool(command[0])
    if program is None:
        raise RigError(
            f"the program {command[0]} is not installed",
            next="fsgauge doctor says which package brings it",
        )
    process = _begun([program, *command[1:]])
    try:
        answer = wait_for(process, seconds)
    except NoEnd as late:
        raise RigError(
            f"{' '.join(command)} did not end within {seconds:.0f} s",
            details=(late.words,) if late.words else (),
            cause="the storage stopped answering, or is far slower than expected",
            next="dmesg | tail",
        ) from None
    return _said(command, answer)


def must_run(command: list[str], *, what: str, seconds: float = 60.0) -> Said:
    """Run a program that has to succeed; RigError with its own words otherwise."""
    said = run_tool(command, seconds=seconds)
    if said.exit_code != 0:
        raise RigError(
            what,
            details=(" ".join(command), *said.words.splitlines()[-5:]),
            next="fsgauge doctor",
        )
    return said


def _begun(command: list[str]) -> subprocess.Popen[bytes]:
    """Start it. A Ctrl-C that comes meanwhile is raised when it can be ended."""
    process = None
    try:
        with handled_afterwards():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd="/",
                env=child_environment(LC_ALL="C"),
                process_group=0,
                preexec_fn=killed_with_parent(),
            )
    except BaseException:
        if process is not None:
            end_or_give_up(process)
        raise
    return process


def _said(command: list[str], answer: Answer) -> Said:
    output, error = (
        text.decode(errors="replace").replace("\r\n", "\n")
        for text in (answer.output, answer.error)
    )
    return Said(tuple(command), answer.exit_code, output, error)
