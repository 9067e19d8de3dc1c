"""A program that makes systems in turn until it is ended; tests end it, gently and not.

Usage: turns.py SCRATCH LEDGERS ENGINE [beside]. With the last word a block's systems stand at once
and are measured side by side. Exits 130 when interrupted.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import BlockSize, LoadJob, RandomAccess
from fsgauge.errors import Interrupted
from fsgauge.machine.ledger import ledger_folder
from fsgauge.plan.turns import make_plan
from fsgauge.programs.interruption import interruptible
from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import Study

TURNS_LIMIT = 200


def main(scratch: str, ledgers: str, binary: str, design: str = "") -> None:
    ledger_folder.ledger_folder = lambda: Path(ledgers)
    study = Study.model_validate(
        {
            "format": 1,
            "name": "turns",
            "question": "Does it end cleanly?",
            "storage": {"kind": "loop", "size": 320 << 20, "directory": scratch},
            "system": [{"name": name} for name in ("raw", "ext4", "xfs", "btrfs")],
            "workload": {
                "kind": "overhead",
                "files": 2,
                "fill": 25,
                "block_sizes": [4096],
                "queue_depths": [1],
                "warm_up": 0,
                "duration": 400_000_000,
            },
            "plan": {"seed": 1, "blocks": TURNS_LIMIT},
        }
    )
    engine = Engine(Path(binary))
    rig = HostRig(engine)
    if design:
        side_by_side(study, rig)
        return
    with interruptible(), rig.systems(study) as systems:
        for turn in range(TURNS_LIMIT):
            system = study.systems[turn % len(study.systems)]
            with systems.prepare(study, system) as prepared:
                systems.settle(prepared)
                job = LoadJob(
                    target=prepared.target,
                    interface="io_uring",
                    direct=True,
                    access=RandomAccess(),
                    read_percent=70,
                    block_sizes=[BlockSize(size_bytes=4096)],
                    queue_depth=4,
                    jobs=1,
                    warm_up_ns=0,
                    duration_ns=200_000_000,
                    seed=turn,
                )
                engine.run(job)


def side_by_side(study: Study, rig: HostRig) -> None:
    """Blocks of four systems and the baseline's twin, all mounted at once."""
    with interruptible(), rig.opened(study) as session:
        plan = make_plan(study, size_bytes=session.describe().size_bytes, side_by_side=True)
        for block in range(TURNS_LIMIT):
            session.block(plan, block, lambda _: None)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Interrupted:
        sys.exit(130)
