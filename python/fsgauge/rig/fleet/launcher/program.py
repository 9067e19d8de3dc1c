"""A program of the cluster (sbatch, scontrol, kubectl), given a text, bounded in time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.programs import run_to_end

_LONGEST_WORDS = 300


def answer_of(
    command: Sequence[str],
    text: str = "",
    *,
    seconds: float,
    look: str,
    missing: tuple[str, str] = ("", ""),
    folder: Path = Path("/"),
) -> str:
    """What it prints. InputError where it is not installed, with cause and next of `missing`;
    RigError where it fails or gives no answer in time. `look` shows the cluster's own state.
    It is started in `folder`."""
    program = command[0]
    try:
        done = run_to_end(command, text.encode(), seconds=seconds, folder=folder)
    except FileNotFoundError:
        raise InputError(
            f"the program {program} is not installed here", cause=missing[0], next=missing[1]
        ) from None
    except subprocess.TimeoutExpired:
        raise RigError(f"{program} gave no answer within {seconds:.0f} s", next=look) from None
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip()[:_LONGEST_WORDS]
        raise RigError(f"{program} failed: {words or f'exit code {done.returncode}'}", next=look)
    return done.stdout.decode(errors="replace")
