"""Records of a sharing study that never ran: two tests on three systems, one of which fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsgauge.engine.wire import EngineFault
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.record.records import Cell, RunRecord
from fsgauge.rig.vm.faults.failed_runs import CRASHED
from fsgauge.study.workload import cells_of
from tests.synthetic import SyntheticStudy, make_study

SYSTEMS = {"ext3": "ext4", "nfs": "ext4", "ocfs2": "ext4"}
TESTS = ["write", "read"]
LIMIT_IOPS = 500
"""Of a disk of the virtual rig, where the study sets none."""
PANIC = EngineFault(what="node2 has ended", cause="a panic", next="fsgauge rig test", code=CRASHED)


def make_sharing(
    blocks: int = 5, tests: Sequence[str] = TESTS, noise: float = 0.02
) -> SyntheticStudy:
    """OCFS2 takes its machine with it in the read of the second block."""
    frame = make_study(
        systems=SYSTEMS,
        patterns=("randread", "randwrite"),
        block_sizes=(4096,),
        queue_depths=(1,),
        blocks=blocks,
        noise=noise,
    )
    workload = SharingWorkload.model_validate({"kind": "sharing", "tests": tests})
    cells = cells_of(workload)
    plan = frame.study.plan
    own = dict(zip([cell.id for cell in plan.cells], cells, strict=True))
    turns = [
        turn.model_copy(update={"cells": [own[each].id for each in turn.cells]})
        for turn in plan.turns
    ]
    made = frame.of_kind("sharing", cells, {"tests": tests}, turns=turns)
    return replace(made, runs=[_run(run, own[run.cell.id]) for run in frame.runs])


def _run(run: RunRecord, cell: Cell) -> RunRecord:
    seconds = 1.0
    if run.result is not None:
        seconds = (run.result.warm_up_ns + run.result.elapsed_ns) / 1e9
    share = 0.98 if run.system != "nfs" else 0.4
    asked = Traffic(
        name="disk_requests",
        title="all disks",
        unit="requests",
        parts={"write": round(share * LIMIT_IOPS * seconds), "flush": 4 * (run.system != "ocfs2")},
        of_disks={
            "node1 disk0": DiskDone(
                count=round(share * LIMIT_IOPS * seconds), limit_per_second=LIMIT_IOPS
            )
        },
    )
    changed = run.model_copy(update={"cell": cell, "traffic": [asked]})
    if run.system == "ocfs2" and run.block == 1 and cell.id.startswith("read"):
        return changed.model_copy(update={"fault": PANIC, "parts": []})
    return changed
