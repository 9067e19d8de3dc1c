"""What of a study a program does: on this machine, with the tests that it has."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from fsgauge.errors import InputError, RigError
from fsgauge.plan.turns import make_plan
from fsgauge.record import Cell, Plan
from fsgauge.rig.host.process.tool import find_tool
from fsgauge.study.model import Study
from fsgauge.study.storage import without_limits
from fsgauge.workload.peer import Peer, PeerRun


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
        note("left out, for they are a virtual disk's: the limits of the storage")
    return study.model_copy(update={"rig": None, "systems": systems, "storage": storage})


def found_program(peer: Peer) -> str:
    """The program that a variable names, or the installed one."""
    named = os.environ.get(peer.variable) if peer.variable else None
    program = find_tool(named or peer.name)
    if program is None:
        raise RigError(
            f"{named or peer.name} is not installed",
            cause="a cross-check runs the program of this machine; fsgauge does not include one",
            next=peer.install,
        )
    return program


def starts_of(peer: Peer, program: str, folder: str, study: Study, plan: Plan) -> list[PeerRun]:
    """Those that do the study's cells in a folder; InputError where none does."""
    cells = _in_order(plan)
    starts = peer.runs(program, folder, study.workload, cells)
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


def tell_left_out(peer: Peer, program: str, study: Study, note: Callable[[str], None]) -> None:
    """Before anything is made: InputError where nothing is left."""
    plan = make_plan(study, size_bytes=1 << 50)
    done = {cell.id for start in starts_of(peer, program, "/", study, plan) for cell in start.cells}
    left_out = [cell for cell in _in_order(plan) if cell.id not in done]
    if left_out:
        note(
            f"left out, for {peer.name} does not have them: {_named(left_out)}"
            f" (the nearest: {peer.own_tests(left_out)})"
        )


def _named(cells: Sequence[Cell]) -> str:
    """What the cells do, without their sizes."""
    return "; ".join(dict.fromkeys(cell.name.partition(",")[0] for cell in cells))
