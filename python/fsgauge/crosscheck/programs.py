"""The cross-check with a program of its own tests: one start of it against the engine's jobs.

Each system is made once. A start of the program does several cells; the engine does the same cells
in the same order on the same file system, one job each. Pairs of both go ABBA (first by lot), and
every pair gives a ratio for each cell: engine / program.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fsgauge import kinds
from fsgauge.crosscheck.agreement import program_agreement
from fsgauge.crosscheck.sitting import (
    Asked,
    CellNumbers,
    ProgramCheck,
    ProgramRun,
    Sitting,
    not_installed,
    sit,
    tools_in_order,
)
from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import InputError, RigError
from fsgauge.machine.process.tool import find_tool
from fsgauge.plan.turns import load_for, make_plan
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import LentSystem, Session
from fsgauge.study.model import Study
from fsgauge.study.reached import is_served
from fsgauge.study.storage import without_limits
from fsgauge.workload.peer import Peer, PeerNumbers, PeerRun


@dataclass(frozen=True)
class Program:
    """A program where it is started, and by whom."""

    peer: Peer
    path: str
    is_root: bool
    version: str = ""


def on_this_machine(study: Study, note: Callable[[str], None]) -> Study:
    """Without nodes, systems that need them, and limits of virtual disks."""
    systems = [system for system in study.systems if system.rig is None]
    if not systems:
        raise InputError(
            "every system of the study needs nodes",
            cause="a program is compared on a file system of this machine",
            next="--system ext4 --storage ram:1GiB",
        )
    left_out = ", ".join(each.name for each in study.systems if each not in systems)
    if left_out:
        note(f"left out, for they need nodes: {left_out}")
    storage = without_limits(study.storage)
    if storage != study.storage:
        note("left out: the limits of the storage, which are for virtual disks")
    return study.model_copy(update={"rig": None, "systems": systems, "storage": storage})


def on_one_node(study: Study, rig: Rig) -> Study:
    """The study; InputError where more than one node drives its load."""
    loads = rig.load_nodes(study)
    if loads > 1:
        raise InputError(
            f"{loads} nodes drive the load of the study, and a program runs on one",
            next="--set rig.nodes=1 for a local file system; two nodes for one that is served",
        )
    return study


def named_file(peer: Peer, *, here: bool) -> Path | None:
    """The file that a variable names, None for the installed program; RigError without one."""
    named = os.environ.get(peer.variable) if peer.variable else None
    if not named and not here and peer.variable is None:
        return None
    program = find_tool(named or peer.name)
    if program is None:
        raise not_installed(named or peer.name, peer.install)
    return Path(program) if named or not here else None


def program_on(lent: LentSystem, peer: Peer, named: Path | None) -> Program:
    """The program where the system is. RigError where it is not."""
    path = lent.program(peer.name, named)
    if path is None:
        raise RigError(
            f"{peer.name} is not in the machine that has the file system",
            cause="the guest was built without it",
            next="fsgauge rig build",
        )
    version = peer.version(lent.words(peer.version_command(path)))
    return Program(peer, path, is_root=lent.is_root, version=version)


def starts_of(program: Program, folder: str, study: Study, plan: Plan) -> list[PeerRun]:
    """The starts that do the study's cells in a folder; InputError where none does."""
    cells, peer = _in_order(plan), program.peer
    starts = peer.runs(program.path, folder, study.workload, cells, as_root=program.is_root)
    if not starts:
        raise InputError(
            f"{peer.name} does none of the study's tests: {_named(cells)}",
            cause="each program is compared in the tests that it has",
            next=f"what is nearest to them in it: {peer.own_tests(cells)}",
        )
    return starts


def _in_order(plan: Plan) -> list[Cell]:
    order = plan.turns[0].cells
    return sorted(plan.cells, key=lambda cell: order.index(cell.id))


def tell_left_out(peer: Peer, study: Study, note: Callable[[str], None]) -> None:
    """Before anything is made: InputError where nothing is left."""
    plan = make_plan(study, size_bytes=1 << 50)
    starts = starts_of(Program(peer, peer.name, is_root=False), "/", study, plan)
    done = {cell.id for start in starts for cell in start.cells}
    left_out = [cell for cell in _in_order(plan) if cell.id not in done]
    if left_out:
        note(
            f"left out, for {peer.name} does not have them: {_named(left_out)}"
            f" (the nearest: {peer.own_tests(left_out)})"
        )


def _named(cells: Sequence[Cell]) -> str:
    """What the cells do, without their sizes."""
    return "; ".join(dict.fromkeys(cell.name.partition(",")[0] for cell in cells))


LONGEST_RUN_SECONDS = 3600.0


def crosscheck_program(asked: Asked, name: str) -> Path:
    """Run the cells with both and give the folder; raises InputError, RigError, Interrupted."""
    rig, note = asked.rig, asked.listener.note
    study = asked.study
    study = on_one_node(study, rig) if rig.has_nodes else on_this_machine(study, note)
    asked = replace(asked, study=study)
    kind = study.workload.kind
    peers = kinds.part(kind, "peers").PEERS if kinds.has_part(kind, "peers") else {}
    peer: Peer | None = peers.get(name)
    if peer is None:
        raise InputError(
            f"{name} has no tests of a study of kind {kind}",
            cause="a program is compared with the kind that has its tests",
            next="fsgauge crosscheck overhead --with fio",
        )
    if is_served(study):
        raise InputError(f"{name} works on paths alone", next="without --serve")
    named = named_file(peer, here=not rig.has_nodes)
    tell_left_out(peer, study, note)

    def require(session: Session) -> None:
        if not session.lends:
            raise InputError(
                f"the rig {rig.name} runs no programs of others",
                cause="a program runs on the machine that has the file system",
                next="--rig host, or --rig vm",
            )

    def on_system(begun: Sitting, system: str, lent: LentSystem) -> None:
        _system(begun, program_on(lent, peer, named), system, lent)

    return sit(asked, ProgramCheck, require, on_system, program=name)


def _system(begun: Sitting, program: Program, system: str, lent: LentSystem) -> None:
    name = program.peer.name
    if not isinstance(lent.pinned, FilesTarget):
        raise InputError(f"{name} needs a folder", next="leave the bare device out")
    folder = lent.pinned.directory
    turns = begun.pairs_of(system)
    for number, start in enumerate(starts_of(program, folder, begun.asked.study, begun.plan)):
        orders = tools_in_order(len(turns), begun.plan.seed + number, ("engine", name))
        runs: list[tuple[ProgramRun, ProgramRun]] = []
        for turn, order in zip(turns, orders, strict=True):
            pair = {}
            for position, tool in enumerate(order):
                begun.told_run(turn, f"{len(start.cells)} tests", tool)
                run = _run(begun, program, lent, turn, start, (position, tool))
                begun.folder.write(run, system, f"{number:02d}-{turn.block:02d}-{position}-{tool}")
                pair[tool] = run
            runs.append((pair["engine"], pair[name]))
            if not any(numbers.rate for numbers in pair[name].cells):
                break  # nor will the next pairs have one
        for cell in start.cells:
            begun.keep_agreement(program_agreement(name, system, cell, runs))


def _run(
    begun: Sitting,
    program: Program,
    lent: LentSystem,
    turn: Turn,
    start: PeerRun,
    which: tuple[int, str],
) -> ProgramRun:
    position, tool = which
    caches = lent.settle()
    started_unix_ns = time.time_ns()
    jobs, results, output = [], [], None
    try:
        if tool == "engine":
            for cell in start.cells:
                jobs.append(load_for(begun.asked.study, begun.plan, turn, cell, lent.target))
                results.append(lent.load(jobs[-1]))
            numbers: Mapping[str, PeerNumbers | None] = {
                cell.id: program.peer.of_engine(cell, result)
                for cell, result in zip(start.cells, results, strict=True)
            }
        else:
            what = f"{program.peer.name} failed"
            output = lent.said(start.command, what, LONGEST_RUN_SECONDS)
            numbers = start.read(output)
    finally:
        lent.remove(start.leaves)
    return ProgramRun(
        system=turn.system,
        pair=turn.block,
        position=position,
        tool=tool,
        program_version=program.version,
        command=_as_known(start.command, lent),
        caches=caches,
        started_unix_ns=started_unix_ns,
        jobs=jobs,
        results=results,
        output=output,
        cells=[CellNumbers.of(cell, numbers.get(cell.id)) for cell in start.cells],
    )


def _as_known(command: Sequence[str], lent: LentSystem) -> list[str]:
    """A command with the folder's own path, where it was told another one that leads there."""
    if not isinstance(lent.target, FilesTarget) or not isinstance(lent.pinned, FilesTarget):
        return list(command)
    known, told = lent.target.directory, lent.pinned.directory
    return [known.join(re.split(rf"{re.escape(told)}(?![0-9])", word)) for word in command]
