"""Nothing is carried out: the tool has measured."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.kinds.imported.keys import ImportedWorkload
from fsgauge.workload.method import Method


@dataclass(frozen=True)
class ImportedMethod(Method):
    """Refuses as soon as it is asked for."""

    workload: ImportedWorkload

    def __post_init__(self) -> None:
        """Raise InputError: whoever makes a method means to run it."""
        raise InputError(
            f"this study holds what {self.workload.tool} measured, and cannot be run",
            cause="its load is not in it, only the tests' names",
            next="fsgauge study from-fio JOB.fio   (a study of fio's job, to be run here)",
        )


METHOD = ImportedMethod
