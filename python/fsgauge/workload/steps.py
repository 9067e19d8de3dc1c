"""What is done to a system between its cells, untimed: a step is data, the rig carries it out.

A method says which steps come before a cell (`Method.steps_before`); rig/host/turn_steps.py records
each. Paths lie below the folder of the system that was made for the study.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine.wire import AgeJob
from fsgauge.units import exact_size


@dataclass(frozen=True)
class ClearFolder:
    """Everything in a folder is removed; the folder stays."""

    directory: str

    step = "clear"

    @property
    def what(self) -> str:
        return "the files of the earlier cells removed"


@dataclass(frozen=True)
class AgeFolder:
    """An op log is replayed in an empty folder, and what it leaves is scanned. With `needed_bytes`,
    live files of fewer bytes end the study: what follows needs them."""

    job: AgeJob
    needed_bytes: int | None = None

    step = "age"

    @property
    def what(self) -> str:
        profile, mode = self.job.profile.kind.replace("_", "-"), self.job.mode
        return f"{profile}, mode {mode}{', written once' if self.job.fresh_copy else ''}"


@dataclass(frozen=True)
class DeleteFile:
    """One file is removed."""

    path: str

    step = "delete"

    @property
    def what(self) -> str:
        return f"{self.path.rpartition('/')[2]} removed"


@dataclass(frozen=True)
class TakeBallast:
    """A file takes what is free, but for `leave_bytes`, so that it is not used by what follows."""

    path: str
    leave_bytes: int

    step = "ballast"

    @property
    def what(self) -> str:
        """How much it leaves; what a file system keeps besides is in the step's free bytes."""
        kept = exact_size(self.leave_bytes)
        return f"free space filled except for {kept}, or what the file system keeps if that is more"


FileStep = ClearFolder | DeleteFile | TakeBallast
"""Steps that need no engine."""
Step = FileStep | AgeFolder
