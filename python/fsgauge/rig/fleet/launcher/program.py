"""A program of the cluster (sbatch, scontrol, kubectl), given a text, bounded in time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from fsgauge.errors import InputError, RigError
from fsgauge.programs import child_environment

_LONGEST_WORDS = 300


def answer_of(
    command: Sequence[str],
    text: str = "",
    *,
    seconds: float,
    look: str,
    missing: tuple[str, str] = ("", ""),
) -> str:
    """What it prints. InputError where it is not installed, with cause and next of `missing`;
    RigError where it fails or gives no answer in time. `look` shows the cluster's own state."""
    program = command[0]
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env=child_environment(),
        )
    except FileNotFoundError:
        raise InputError(
            f"the program {program} is not installed here", cause=missing[0], next=missing[1]
        ) from None
    except subprocess.TimeoutExpired:
        raise RigError(f"{program} gave no answer within {seconds:.0f} s", next=look) from None
    if done.returncode != 0:
        words = done.stderr.strip()[:_LONGEST_WORDS] or f"exit code {done.returncode}"
        raise RigError(f"{program} failed: {words}", next=look)
    return done.stdout
