"""What of a study a program does: where it is started, and the tests that it has."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.crosscheck.sitting import not_installed
from fsgauge.errors import InputError, RigError
from fsgauge.machine.process.tool import find_tool
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Cell, Plan
from fsgauge.rig.lending import LentMachine
from fsgauge.rig.rig import Rig
from fsgauge.study.model import Study
from fsgauge.study.storage import without_limits
from fsgauge.workload.peer import Peer, PeerRun


@dataclass(frozen=True)
class Program:
    """A program where it is started, and by whom."""

    peer: Peer
    path: str
    is_root: bool
    version: str = ""


def on_this_machine(study: Study, note: Callable[[str], None]) -> Study:
    """Without nodes and the limits of virtual disks, and without systems that need nodes: a program
    works on a folder here."""
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
    """The file that a variable names; None for the installed program. RigError where it is missing,
    or, for one that runs on this machine (`here`), not installed."""
    named = os.environ.get(peer.variable) if peer.variable else None
    if not named and not here and peer.variable is None:
        return None
    program = find_tool(named or peer.name)
    if program is None:
        raise not_installed(named or peer.name, peer.install)
    return Path(program) if named or not here else None


def program_on(lent: LentMachine, peer: Peer, named: Path | None) -> Program:
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
    """Those that do the study's cells in a folder; InputError where none does."""
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
