"""What every kind's model of [workload] answers about itself, so that nothing asks which it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import ValidationInfo, model_validator

from fsgauge.study.allocation_keys import refuse_allocating
from fsgauge.study.base import StudyModel
from fsgauge.study.sweep import Inapplicable, refuse_ignored

if TYPE_CHECKING:
    from fsgauge.study.access import AccessKeys
    from fsgauge.study.system import System


class WorkloadKeys(StudyModel):
    """The keys of one kind; `kind` and `scan` are keys of each."""

    question_of_folders: ClassVar[str] = "How do these file systems compare under the same load?"
    """What a shipped study asks where its systems are folders, used as they are."""

    allocates: ClassVar[bool] = False
    """Whether a system's keys say how its files are given space (`study.system.ALLOCATING`)."""

    works_over: ClassVar[Literal["paths", "private servers", "any server"]] = "paths"
    """Over what its operations make sense; with private servers, the system below is ours."""

    why_on_paths: ClassVar[str] = "what it does has no equal there"
    """Why it works over paths alone, where it does."""

    is_told_beside_path: ClassVar[bool] = False
    """Whether its page tells a server's own share, from turns over the path in the same block."""

    rewrites: ClassVar[str] = ""
    """The key that says how often live bytes are written anew, where files come and go."""

    if TYPE_CHECKING:
        kind: str

        @property
        def scan(self) -> bool:
            """Whether layouts are scanned."""
            ...

    @model_validator(mode="after")
    def _makes_sense(self, info: ValidationInfo) -> Self:
        self.keys_agree()
        refuse_ignored(self, info, self.inapplicable())
        return self

    def keys_agree(self) -> None:
        """Raise a conflict where keys of the workload contradict one another."""

    @property
    def connections(self) -> int:
        """How many clients are connected to a server at once, at most."""
        return 1

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        """Raise a conflict, its keys below the study, where that cannot be reached like this."""

    def unused_over(self, accesses: Sequence[AccessKeys]) -> dict[str, str]:  # noqa: ARG002
        """Keys that have no effect where the systems are reached like this, and why."""
        return {}

    def inapplicable(self) -> Inapplicable:
        """Keys that have no effect in this workload: why, and the key that makes it so."""
        return {}

    def needs_files(self) -> tuple[str, str, str] | None:
        """The key that a bare device cannot serve, why not, and a way out; None where it can."""
        return None

    def check_systems(self, systems: Sequence[System]) -> None:
        """Raise a conflict where keys of the systems contradict the workload, or have no effect."""
        refuse_allocating(systems)
