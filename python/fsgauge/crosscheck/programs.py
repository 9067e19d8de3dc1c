"""The cross-check with a program of its own tests: one start of it against the engine's jobs.

Each system is made once. A start of the program does several cells; the engine does the same cells
in the same order on the same file system, one job each. Pairs of both go ABBA (first by lot), and
every pair gives a ratio for each cell: engine / program.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fsgauge import kinds
from fsgauge.crosscheck.agreement import program_agreement
from fsgauge.crosscheck.folder import CellNumbers, ProgramCheck, ProgramRun
from fsgauge.crosscheck.program_choice import (
    Program,
    named_file,
    on_one_node,
    on_this_machine,
    program_on,
    starts_of,
    tell_left_out,
)
from fsgauge.crosscheck.sitting import Asked, Sitting, sitting, tools_in_order
from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import InputError
from fsgauge.plan.turns import load_for
from fsgauge.record.records import Turn
from fsgauge.rig.session import LentSystem, Session
from fsgauge.study.reached import is_served
from fsgauge.workload.peer import Peer, PeerNumbers, PeerRun

LONGEST_RUN_SECONDS = 3600.0


def _peers(kind: str) -> Mapping[str, Peer]:
    return kinds.part(kind, "peers").PEERS if kinds.has_part(kind, "peers") else {}


def crosscheck_program(asked: Asked, name: str) -> Path:
    """Run the cells with both and give the folder; raises InputError, RigError, Interrupted."""
    rig, note = asked.rig, asked.listener.note
    study = asked.study
    study = on_one_node(study, rig) if rig.has_nodes else on_this_machine(study, note)
    asked = replace(asked, study=study)
    peer = _peers(study.workload.kind).get(name)
    if peer is None:
        raise InputError(
            f"{name} has no tests of a study of kind {study.workload.kind}",
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

    with sitting(asked, ProgramCheck, require, program=name) as begun:
        for system in study.systems:
            with begun.session.lent(system) as lent:
                _system(begun, program_on(lent, peer, named), system.name, lent)
    return begun.directory


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
