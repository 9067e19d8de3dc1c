"""A program carried out: its words and steps filled in for each cell, in a folder of its own."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from fsgauge.kinds.command.keys import CommandWorkload
from fsgauge.record.command import CommandJob
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, format_duration
from fsgauge.workload.assumed import EXPECTED, Room, Speed
from fsgauge.workload.folders import ClientFolders, FileSets, Place, folders_of
from fsgauge.workload.method import MakesOwnFiles

_ABOVE = "command"
_RUN = "run"


@dataclass(frozen=True)
class CommandMethod(MakesOwnFiles):
    """The program is started anew in each run; its folder is made for it and removed."""

    workload: CommandWorkload
    not_in_fio = ("fio does not start programs", "")
    keeps_order = False

    @property
    def programs(self) -> dict[str, str]:
        return {**self.workload.packages, **self._own()}

    @property
    def file_sets(self) -> FileSets:
        return FileSets(folders=(_ABOVE,), of_clients=())

    @property
    def threads(self) -> int:
        return 1

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        """0, unknown: a program makes what it likes."""
        return 0

    def load_job(self, cell: Cell, target: Place, seed: int) -> CommandJob:  # noqa: ARG002
        folder = f"{folders_of(target, ClientFolders).folder(_ABOVE)}/{_RUN}"
        workload = self.workload

        def filled_in(texts: list[str]) -> list[str]:
            return [workload.filled_in(text, cell, folder) for text in texts]

        return CommandJob.model_validate_json(
            json.dumps(
                {
                    "program": filled_in(workload.program),
                    "folder": folder,
                    "prepare": filled_in(workload.prepare),
                    "finish": filled_in(workload.finish),
                    "kept_caches": workload.caches == "kept",
                    "written_back": workload.written_back,
                    "time_limit_ns": workload.time_limit,
                    "numbers": [each.model_dump() for each in workload.number],
                    "exit_codes": workload.exit_codes,
                }
            )
        )

    def require_dealable(self, hosts: int) -> None:
        """Each host starts the program, in a folder of its own, at one moment."""

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        return self.workload.takes / 1e9

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        return float(self.workload.writes)

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - raw is refused
        workload = self.workload
        steps = ", after its untimed steps" if workload.prepare else ""
        caches = "emptied before it" if workload.caches == "dropped" else "as its steps left them"
        ends = "all that it wrote is on the storage" if workload.written_back else "it ends"
        limit = exact_duration(workload.time_limit)
        return [
            f"program: {workload.called}, in an empty folder of the system{steps}",
            f"caches: {caches}",
            f"time: until {ends}, {limit} at most; the plan takes"
            f" {format_duration(workload.takes)} for it (workload.takes)",
        ]

    def starts(self) -> list[str]:
        workload = self.workload
        return [
            f"program: {shlex.join(workload.program)}",
            *(f"prepare: {line}" for line in workload.prepare),
            *(f"finish: {line}" for line in workload.finish),
        ]

    def cannot_tell(self) -> str:
        return "what a program takes and writes: that is what workload.takes and writes say of it"

    def _own(self) -> dict[str, str]:
        """The program by its name; one that has a parameter in its name is found as it starts."""
        name = self.workload.program[0]
        return {} if "{" in name else {name: self.workload.packages.get(name, "")}


METHOD = CommandMethod
