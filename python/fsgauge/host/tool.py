"""Runs a program of the system (mkfs, mount, losetup), bounded in time and dying with this process.

Takes an argument list, gives what the program said. Programs are also looked for in the folders
of the administrator, which an ordinary user's PATH often lacks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

from fsgauge.errors import RigError
from fsgauge.host.parent_death import killed_with_parent

_ADMINISTRATOR_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"


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


def search_path() -> str:
    """The PATH in which programs are found, for those that start others by their names."""
    return f"{os.environ.get('PATH', os.defpath)}:{_ADMINISTRATOR_FOLDERS}"


def run_tool(command: list[str], *, seconds: float = 60.0) -> Said:
    """Run a program to its end; RigError when it is missing or does not end in time."""
    program = find_tool(command[0])
    if program is None:
        raise RigError(
            f"the program {command[0]} is not installed",
            next="fsgauge doctor says which package brings it",
        )
    try:
        done = subprocess.run(
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            cwd="/",
            env={**os.environ, "LC_ALL": "C"},
            process_group=0,
            preexec_fn=killed_with_parent(),
        )
    except subprocess.TimeoutExpired as error:
        raise RigError(
            f"{' '.join(command)} did not end within {seconds:.0f} s",
            cause="the storage stopped answering, or is far slower than expected",
            next="dmesg | tail",
        ) from error
    return Said(tuple(command), done.returncode, done.stdout, done.stderr)


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
