"""What every kind's model of [workload] answers about itself, so that nothing asks which it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from fsgauge.study.allocation_keys import refuse_allocating
from fsgauge.study.base import StudyModel
from fsgauge.study.sweep import Inapplicable

if TYPE_CHECKING:
    from fsgauge.access.keys import AccessKeys
    from fsgauge.study.system import System


class WorkloadKeys(StudyModel):
    """The keys of one kind; `kind` and `scan` are keys of each."""

    makes_systems_afresh: ClassVar[bool] = False
    """Whether it fills its systems up, so that none of them can be one that is mounted already."""

    allocates: ClassVar[bool] = False
    """Whether a system's keys say how its files are given space (`study.system.ALLOCATING`)."""

    if TYPE_CHECKING:
        kind: str

        @property
        def scan(self) -> bool:
            """Whether layouts are scanned."""
            ...

    @property
    def network(self) -> AccessKeys | None:
        """How its files are reached, where that can be over a network; None where it cannot."""
        return None

    def inapplicable(self) -> Inapplicable:
        """Keys that have no effect in this workload: why, and the key that makes it so."""
        return {}

    def needs_files(self) -> tuple[str, str, str] | None:
        """The key that a bare device cannot serve, why not, and a way out; None where it can."""
        return None

    def check_systems(self, systems: Sequence[System]) -> None:
        """Raise a conflict where keys of the systems contradict the workload, or have no effect."""
        refuse_allocating(systems)
