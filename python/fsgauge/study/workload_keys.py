"""What every kind's model of [workload] answers about itself, so that nothing asks which it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import ValidationInfo, model_validator

from fsgauge import kinds
from fsgauge.record.factors import declared, factors_of
from fsgauge.record.records import Cell
from fsgauge.study.base import StudyModel, conflict
from fsgauge.study.sweep import Inapplicable, refuse_ignored
from fsgauge.study.system import ALLOCATING, System

if TYPE_CHECKING:
    from fsgauge.study.access import AccessKeys


class WorkloadKeys(StudyModel):
    """The keys of one kind; `kind` and `scan` are keys of each."""

    question_of_folders: ClassVar[str] = "How do these file systems compare under the same load?"
    """What a shipped study asks where its systems are folders, used as they are; "" for its own
    question, which is about no device."""

    question_of_program: ClassVar[str] = ""
    """What is asked of a program whose words stand behind the study's name on the command line; ""
    where no program can."""

    why_files: ClassVar[str] = ""
    """Why no study of the kind can have a bare device; "" where one can."""

    allocates: ClassVar[bool] = False
    """Whether a system's keys say how its files are given space (`study.system.ALLOCATING`)."""

    works_over: ClassVar[Literal["paths", "private servers", "any server"]] = "paths"
    """Over what its operations make sense; with private servers, the system below is ours."""

    why_on_paths: ClassVar[str] = "what it does has no equal there"
    """Why it works over paths alone, where it does."""

    is_told_beside_path: ClassVar[bool] = False
    """Whether its page tells a server's own share, from turns over the path in the same block."""

    pace: ClassVar[str] = ""
    """The key that is the rate of a cell's load, in [workload] or its tables; "" where cells have
    no pace of their own."""

    rewrites: ClassVar[str] = ""
    """The key that says how often live bytes are written anew, where files come and go."""

    def with_program(self, _program: Sequence[str]) -> dict[str, object]:
        """What keys that say something of the study's own program have with these words in its
        place."""
        return {}

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

    def cells(self) -> list[Cell]:
        """All cells, in the order of the lists that factors are swept over or, where it is fixed,
        of a turn."""
        model = declared(self.kind)
        swept = [name for name, factor in model.DECLARED.items() if factor.key]
        return [point.cell_named_by(*swept) for point in model.points(self)]

    @cached_property
    def cells_once(self) -> tuple[Cell, ...]:
        """All cells, made once: a plan asks for them eight times."""
        return tuple(self.cells())

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The keys with other values, whose cells are made anew."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("cells_once", None)
        return copied

    def paced_loads(self) -> list[Cell]:
        """The cells whose rate a load curve raises."""
        return self.cells()

    def against_curve(self) -> tuple[str | tuple[str | int, ...], str] | None:
        """The key that a load curve contradicts, and why, in words behind its name."""
        if self.pace and getattr(self, self.pace) is not None:
            return self.pace, "would be ignored: a curve sets the pace itself"
        return None

    def default_primary(self) -> list[str]:
        """Ids of the cells that the answer is about unless the study says: the smallest size."""
        sizes = {cell.id: factors_of(cell).operation_bytes for cell in self.cells()}
        return [cell for cell, size_bytes in sizes.items() if size_bytes == min(sizes.values())]

    @property
    def is_judged_by_own_number(self) -> bool:
        """Whether the answer is about a number that a program prints: then the noise of its time
        says nothing of this storage."""
        return False

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
        return ("kind", self.why_files, "overhead compares with raw") if self.why_files else None

    def check_systems(self, systems: Sequence[System]) -> None:
        """Raise a conflict where keys of the systems contradict the workload, or have no effect."""
        refuse_allocating(systems)


def refuse_allocating(systems: Sequence[System]) -> None:
    """Raise a conflict for a key that would be ignored."""
    able = [kind for kind in kinds.names() if kinds.part(kind, "keys").KEYS.allocates]
    for index, system in enumerate(systems):
        for key in ALLOCATING:
            if getattr(system, key) is not None:
                raise conflict(
                    f"{key} would be ignored: only a study of kind {' or '.join(able)} allocates"
                    " files this way",
                    [("system", index, key), ("workload", "kind")],
                    next=f"fsgauge run {able[0]}, or leave it out" if able else "leave it out",
                )
