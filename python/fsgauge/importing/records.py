"""The records of what other tools measured: a plan, a turn a run, a record a test.

What the tool does not say is left out, and where a record needs a value it says "unknown": nothing
is taken from the machine that imports. Numbers of the engine's own (its null operation, what was in
flight) are zero.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from fsgauge import __version__, kinds
from fsgauge.engine import wire
from fsgauge.errors import InputError, quoted
from fsgauge.importing.measured import Run, Side, Test
from fsgauge.record.command import FOREIGN, ForeignJob
from fsgauge.record.factors import declared
from fsgauge.record.machine import Machine, StorageFacts
from fsgauge.record.parts import in_one
from fsgauge.record.records import (
    Cell,
    EnvironmentRecord,
    Plan,
    RunRecord,
    StudyRecord,
    SystemFacts,
    Turn,
    TurnRecord,
)
from fsgauge.store import ResultsFolder

UNKNOWN = "unknown"
_NOT_SAID: dict[str, Any] = {
    "architecture": UNKNOWN, "distribution": UNKNOWN, "processor": UNKNOWN, "processor_count": 1,
    "governor": None, "memory_bytes": 0, "virtual_machine": None, "load_average": 0.0,
    "clock_source": None,
}  # fmt: skip
_NO_FACTS: dict[str, Any] = {
    "mkfs_command": [], "mkfs_output": "", "mount_source": "", "mount_options": "", "tunables": {},
    "size_bytes": 0, "free_bytes": None, "block_size_bytes": None,
}  # fmt: skip
_ENGINES_OWN: dict[str, Any] = {
    "interface": "psync", "features": None, "notes": [], "ended": "duration", "warm_up_ns": 0,
    "in_flight_mean": 0.0, "intervals": [],
    "machine_cpu": wire.MachineProcessorTime(busy_ns=0, total_ns=0),
    "self_measure": wire.SelfMeasure(
        null_ns_per_operation=0.0, clock_ns_per_read=0.0, clock="clock_gettime", stamps="operation"
    ),
}  # fmt: skip
_MOST_ANSWERED = 4
"""Of so many tests the answer is about each; of more about the first, and the tables have all."""
_HEAD = "# Stored by fsgauge import: to be reported and compared, not to be run.\n"


@dataclass(frozen=True)
class Imported:
    """As many runs of each system as there are blocks; `cells` by what a test is: name, sizes;
    `left_out` is a sentence each."""

    tool: str
    question: str
    machine: str
    runs: Mapping[str, Sequence[Run]]
    cells: Mapping[tuple[str, int, int], Cell]
    left_out: list[str]

    @classmethod
    def of(cls, runs: Mapping[str, Sequence[Run]], *, question: str, machine: str) -> Imported:
        """Raises InputError where runs do not repeat one another."""
        everything = [run for each in runs.values() for run in each]
        tools = sorted({run.tool for run in everything})
        if len({tool.split(" ")[0] for tool in tools}) > 1:
            raise InputError(
                f"these files are of several tools: {', '.join(tools)}",
                cause="two tools measure in two ways: their numbers are no repetitions",
                next="fsgauge import for the files of each tool, into a folder each",
            )
        blocks = min(len(each) for each in runs.values())
        left_out = [
            f"{len(each) - blocks} of {len(each)} runs of {system}: {fewest} has {blocks}"
            for system, each in runs.items()
            if len(each) > blocks
            for fewest in [min(runs, key=lambda name: len(runs[name]))]
        ]
        keys = [_keyed(run) for run in everything]
        shared = [key for key in keys[0] if all(key in each for each in keys)]
        if not shared:
            raise InputError(
                "these files have no test in common",
                details=tuple(f"{run.path}: {_cell(run.tests[0]).name}" for run in everything[:6]),
                cause="they are results of different jobs, so none repeats another",
                next=f"fsgauge import {quoted(everything[0].path)}",
            )
        for run, each in zip(everything, keys, strict=True):
            for key in shared:
                _require_repeated((everything[0], keys[0][key]), (run, each[key]))
        left_out += dict.fromkeys(each for run in everything for each in run.left_out)
        others = {
            _cell(test).name: None
            for each in keys
            for key, test in each.items()
            if key not in shared
        }
        if others:
            left_out.append(f"{', '.join(list(others)[:6])}: not in every file")
        return cls(
            tool=", ".join(tools),
            question=question or f"What did {tools[0].split(' ')[0]} measure?",
            machine=machine or next((run.machine for run in everything if run.machine), ""),
            runs={system: each[:blocks] for system, each in runs.items()},
            cells={
                key: _cell(keys[0][key], sized=sum(each[0] == key[0] for each in shared) > 1)
                for key in shared
            },
            left_out=left_out,
        )

    @property
    def blocks(self) -> int:
        return min(len(each) for each in self.runs.values())

    @property
    def tests(self) -> list[str]:
        return [cell.name for cell in self.cells.values()]


def _keyed(run: Run) -> dict[tuple[str, int, int], Test]:
    found: dict[tuple[str, int, int], Test] = {}
    for test in run.tests:
        sizes = [int(test.factors.get(f"{name}_size_bytes", 0)) for name in ("file", "block")]
        key = (test.name, sizes[0], sizes[1])
        if key in found:
            is_fio = run.tool.startswith("fio")
            raise InputError(
                f"{run.path} has two tests called {test.name}",
                cause="each job of fio has a line of its own without group_reporting"
                if is_fio
                else "they differ in what their names do not say, such as threads or depth",
                next="fio with --group_reporting, or a name for each job"
                if is_fio
                else "fsgauge import for a file of each, into a folder each",
            )
        found[key] = test
    return found


def _require_repeated(first: tuple[Run, Test], other: tuple[Run, Test]) -> None:
    """InputError where two tests of one name are not the same load; what is unsaid is alike."""
    (run, test), (its, again) = first, other
    told, again_told = _told(test), _told(again)
    unlike = [
        f"{name}{value} in {run.path}, {again_told[name]} in {its.path}"
        for name, value in told.items()
        if again_told.get(name, value) != value
    ]
    if unlike:
        raise InputError(
            f"{test.name} is not the same load in every file",
            details=tuple(unlike),
            cause="they are results of different jobs, so none repeats the other",
            next=f"fsgauge import {quoted(run.path)}",
        )


def _told(test: Test) -> dict[str, object]:
    """What it is, each with its name in front, and last the sides that it has."""
    told: dict[str, object] = {f"{name}: ": value for name, value in test.said.items()}
    told |= {f"{name.replace('_', ' ')}: ": value for name, value in test.factors.items()}
    sides = " and ".join(name for name in ("read", "write") if getattr(test, name))
    return {**told, "": sides} if sides else told


def _cell(test: Test, *, sized: bool = True) -> Cell:
    model = declared(kinds.IMPORTED)
    factors = model.model_validate({"test": test.name, "rated_in": test.by, **test.factors})
    return factors.cell_named_by("test", *(["block_size_bytes", "file_size_bytes"] * sized))


def stored(imported: Imported, parent: Path, command: list[str]) -> Path:
    """Write it all; RigError where it cannot be written."""
    starts = [run.started_unix_ns for each in imported.runs.values() for run in each]
    began = min((each for each in starts if each), default=time.time_ns())
    plan = _plan(imported)
    study = _study(imported)
    environment = EnvironmentRecord(machines=[_machine(imported, began)])
    record = StudyRecord(
        fsgauge_version=__version__,
        study=study,
        plan=plan,
        command=command,
        started_unix_ns=began,
        rig=FOREIGN,
    )
    with ResultsFolder.created(parent, kinds.IMPORTED) as folder:
        folder.write_environment("before", environment)
        folder.write_study(record, _HEAD + tomlkit.dumps(study))
        for turn in plan.turns:
            run = imported.runs[turn.system][turn.block]
            folder.write_of_turn(_turn(turn, run, began))
            tests = _keyed(run)
            for position, (key, cell) in enumerate(imported.cells.items()):
                folder.write_of_turn(_run(imported, turn, position, cell, run, tests[key], began))
        folder.write_environment("after", environment)
        return folder.directory


def _plan(imported: Imported) -> Plan:
    systems = list(imported.runs)
    cells = [cell.id for cell in imported.cells.values()]
    turns = [
        Turn(block=block, turn=turn, system=system, again=False, cells=cells)
        for block in range(imported.blocks)
        for turn, system in enumerate(systems)
    ]
    return Plan(
        study=kinds.IMPORTED,
        seed=0,
        baseline=systems[0],
        systems=systems,
        primary=cells if len(cells) <= _MOST_ANSWERED else cells[:1],
        cells=list(imported.cells.values()),
        turns=turns,
        expected_seconds=0.0,
        expected_written_bytes=0,
    )


def _study(imported: Imported) -> dict[str, Any]:
    return {
        "format": 1,
        "name": kinds.IMPORTED,
        "question": imported.question,
        "storage": {"kind": FOREIGN},
        "system": [{"name": name, "kind": FOREIGN} for name in imported.runs],
        "workload": {"kind": kinds.IMPORTED, "tool": imported.tool, "tests": imported.tests},
        "plan": {"blocks": imported.blocks, "seed": 0, "equivalence_percent": 3},
    }


def _machine(imported: Imported, began: int) -> Machine:
    return Machine(
        name=imported.machine or UNKNOWN,
        role="load",
        captured_unix_ns=began,
        kernel=UNKNOWN,
        **_NOT_SAID,
        storage=StorageFacts(
            kind=FOREIGN,
            sentence=f"not recorded: measured by {imported.tool}, imported by fsgauge",
            size_bytes=0,
            device_chain=[],
            cautions=[],
        ),
        tool_versions={},
        missing=dict.fromkeys(_NOT_SAID, f"{imported.tool} does not say it"),
    )


def _turn(turn: Turn, run: Run, began: int) -> TurnRecord:
    return TurnRecord(
        **_which(turn),
        facts=SystemFacts(kind=FOREIGN, **_NO_FACTS),
        target={},
        start_state=[],
        started_unix_ns=run.started_unix_ns or began,
        prepare_ns=0,
        notes=[],
    )


def _which(turn: Turn) -> dict[str, Any]:
    return turn.model_dump(include={"block", "turn", "system", "again"})


def _run(
    imported: Imported, turn: Turn, position: int, cell: Cell, run: Run, test: Test, began: int
) -> RunRecord:
    job = ForeignJob(
        tool=run.tool, test=test.name, file=run.path.name, sha256=run.sha256, command=run.command
    )
    started = run.started_unix_ns or began
    return RunRecord(
        **_which(turn),
        position=position,
        cell=cell,
        job=job,
        caches=f"as {run.tool.split(' ')[0]} left them",
        parts=in_one(imported.machine or UNKNOWN, _result(run, test, started)),
        fault=None,
        started_unix_ns=started,
    )


def _result(run: Run, test: Test, started_unix_ns: int) -> wire.LoadResult:
    sides = [side for side in (test.read, test.write) if side is not None]
    share = wire.JobShare(
        operations=sum(side.operations for side in sides),
        size_bytes=sum(side.size_bytes for side in sides),
    )
    return wire.LoadResult(
        format=1,
        kind="load",
        engine=wire.Engine(version=run.tool, profile="release", target=UNKNOWN, commit=UNKNOWN),
        started_unix_ns=started_unix_ns,
        elapsed_ns=test.elapsed_ns,
        read=_operations(test.read),
        write=_operations(test.write),
        sync=test.sync,
        jobs=[share],
        cpu=wire.ProcessorTime(user_ns=test.cpu_user_ns, system_ns=test.cpu_system_ns, threads=1),
        **_ENGINES_OWN,
    )


def _operations(side: Side | None) -> wire.OperationResult | None:
    if side is None:
        return None
    return wire.OperationResult(
        operations=side.operations,
        size_bytes=side.size_bytes,
        errors=0,
        service_latency=side.latency,
        response_latency=None,
        backlog_dropped=0,
    )
