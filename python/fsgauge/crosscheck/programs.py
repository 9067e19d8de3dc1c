"""The cross-check with a program of its own tests: one start of it against the engine's jobs.

Each system is made once. A start of the program does several cells; the engine does the same cells
in the same order on the same file system, one job each. Pairs of both go ABBA (first by lot), and
every pair gives a ratio for each cell: engine / program.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge import __version__, kinds
from fsgauge.crosscheck.agreement import word_for
from fsgauge.crosscheck.folder import CrosscheckFolder
from fsgauge.crosscheck.lending import machines_of
from fsgauge.crosscheck.order import first_device_alone, tools_in_order
from fsgauge.crosscheck.program_choice import (
    Program,
    named_file,
    on_one_node,
    on_this_machine,
    program_on,
    starts_of,
    tell_left_out,
)
from fsgauge.crosscheck.program_records import (
    CellNumbers,
    ProgramAgreement,
    ProgramCheck,
    ProgramRun,
)
from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.machine.device.consent import Consent
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.rig.rig import Rig
from fsgauge.rig.session import LentSystem
from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.reached import is_served
from fsgauge.workload.peer import Peer, PeerNumbers, PeerRun

__all__ = ["ToldOfProgram", "crosscheck_program", "peer_names"]

LONGEST_RUN_SECONDS = 3600.0


@dataclass(frozen=True)
class ToldOfProgram:
    """Called when a run begins and when a cell is done."""

    run: Callable[[str, str, int, str], None]
    cell: Callable[[ProgramAgreement], None]
    note: Callable[[str], None]


@dataclass(frozen=True)
class _Check:
    study: Study
    plan: Plan
    program: Program
    folder: CrosscheckFolder
    told: ToldOfProgram

    @property
    def name(self) -> str:
        """The program's."""
        return self.program.peer.name


def peer_names() -> list[str]:
    """Every program that a kind declares."""
    return sorted({name for kind in kinds.names() for name in _peers(kind)})


def _peers(kind: str) -> Mapping[str, Peer]:
    return kinds.part(kind, "peers").PEERS if kinds.has_part(kind, "peers") else {}


def crosscheck_program(
    study: Study,
    name: str,
    *,
    pairs: int,
    rig: Rig,
    results: Path,
    destroy: Consent | None,
    command: list[str],
    told: ToldOfProgram,
) -> Path:
    """Run the cells with both and give the folder; raises InputError, RigError, Interrupted."""
    study = first_device_alone(study, pairs)
    study = on_one_node(study, rig) if rig.has_nodes else on_this_machine(study, told.note)
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
    tell_left_out(peer, study, told.note)
    rig.check(study, destroy)
    with rig.opened(study) as session:
        lender = machines_of(session, rig.name)
        found = session.describe()
        plan = make_plan(study, size_bytes=found.size_bytes)
        folder = CrosscheckFolder(results, study.name)
        record = ProgramCheck(
            fsgauge_version=__version__,
            program=name,
            command=command,
            study=study.model_dump(mode="json", by_alias=True),
            seed=plan.seed,
            pairs=pairs,
            started_unix_ns=time.time_ns(),
        )
        folder.write_start(record, found.environment, dump_study(study))
        try:
            for system in study.systems:
                with lender.lent(system) as lent:
                    program = program_on(lent, peer, named)
                    _system(_Check(study, plan, program, folder, told), system.name, lent)
        except FsgaugeError as error:
            error.details += (folder.kept(),)
            raise
    return folder.directory


def _system(check: _Check, system: str, lent: LentSystem) -> None:
    if not isinstance(lent.pinned, FilesTarget):
        raise InputError(f"{check.name} needs a folder", next="leave the bare device out")
    folder = lent.pinned.directory
    tools = ("engine", check.name)
    turns = [turn for turn in check.plan.turns if turn.system == system and not turn.again]
    for number, start in enumerate(starts_of(check.program, folder, check.study, check.plan)):
        orders = tools_in_order(len(turns), check.plan.seed + number, tools)
        runs: list[tuple[ProgramRun, ProgramRun]] = []
        for turn, order in zip(turns, orders, strict=True):
            pair = {}
            for position, tool in enumerate(order):
                check.told.run(turn.system, f"{len(start.cells)} tests", turn.block, tool)
                run = _run(check, lent, turn, start, (position, tool))
                check.folder.write(
                    run, turn.system, f"{number:02d}-{turn.block:02d}-{position}-{tool}"
                )
                pair[tool] = run
            runs.append((pair["engine"], pair[check.name]))
            if not any(numbers.rate for numbers in pair[check.name].cells):
                break  # nor will the next pairs have one
        for cell in start.cells:
            found = agreement(check.name, system, cell, runs)
            check.folder.write_agreement(found)
            check.told.cell(found)


def _run(
    check: _Check,
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
                jobs.append(job_for(check.study, check.plan, turn, cell, lent.target))
                results.append(lent.load(jobs[-1]))
            numbers: Mapping[str, PeerNumbers | None] = {
                cell.id: check.program.peer.of_engine(cell, result)
                for cell, result in zip(start.cells, results, strict=True)
            }
        else:
            what = f"{check.name} failed"
            output = lent.said(start.command, what, LONGEST_RUN_SECONDS)
            numbers = start.read(output)
    finally:
        lent.remove(start.leaves)
    return ProgramRun(
        system=turn.system,
        pair=turn.block,
        position=position,
        tool=tool,
        program_version=check.program.version,
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


def agreement(
    program: str, system: str, cell: Cell, runs: Sequence[tuple[ProgramRun, ProgramRun]]
) -> ProgramAgreement:
    """The ratio over the pairs in which both gave a rate."""
    sides = [(ours.of(cell.id), theirs.of(cell.id)) for ours, theirs in runs]
    rated = [(ours, theirs) for ours, theirs in sides if ours.rate and theirs.rate]
    logs = [math.log((ours.rate or 1) / (theirs.rate or 1)) for ours, theirs in rated]
    ratio = ratio_of_blocks(logs) if len(logs) == len(sides) else None
    return ProgramAgreement(
        program=program,
        system=system,
        cell=cell.id,
        cell_name=cell.name,
        unit=sides[0][0].unit,
        engine=_middle([ours.rate for ours, _ in rated]),
        theirs=_middle([theirs.rate for _, theirs in rated]),
        ratio=ratio.ratio if ratio else None,
        low=ratio.low if ratio else None,
        high=ratio.high if ratio else None,
        pairs=len(sides),
        too_fast=len(sides) - len(rated),
        word=word_for(ratio.low, ratio.high) if ratio else "undecided",
        engine_processor_share=_mean([ours.processor_share for ours, _ in sides]),
        their_processor_share=_mean([theirs.processor_share for _, theirs in sides]),
    )


def _middle(rates: Sequence[float | None]) -> float | None:
    known = [math.log(rate) for rate in rates if rate]
    return math.exp(math.fsum(known) / len(known)) if known else None


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return math.fsum(known) / len(known) if known else None
