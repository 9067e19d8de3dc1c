"""Records of studies of churn that never ran, with planted damage.

The plan of `make_churn(...)` is the real one, so stages lie as they would; each run takes the
planted time, each tree lies in the planted extents and was made as the recipe says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from fsgauge.engine.wire import (
    AgeError,
    AgeJob,
    AgeResult,
    ClientErrorKind,
    ClientOperation,
    ScanResult,
)
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.kinds.churn.method import ChurnMethod
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Cell, ScanRecord, StepRecord, StudyRecord, Turn, TurnRecord
from fsgauge.study.model import LoopStorage, PlanSettings, Study, System
from fsgauge.workload.folders import ClientFolders
from tests.age_example import aged
from tests.scan_example import example, scan_record
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.setting import with_machine
from tests.synthetic_connections import ConnectionsRecipe, client_run

BASELINE = "ext4"
SYSTEMS = {"ext4": "ext4", "xfs": "xfs", "btrfs": "btrfs"}
AVAILABLE_BYTES = 1 << 30
DAMAGE: Mapping[str, Mapping[str, float]] = {
    "ext4": {"read": 0.20, "write": 0.10},
    "xfs": {"read": 0.10, "write": 0.0},
    "btrfs": {"read": 0.50, "write": 0.30},
}
"""What is lost at 100 % full; less below, by the square of the level."""
FOLDERS = ClientFolders(
    directory="/run/fsgauge/mnt",
    files_per_client=0,
    backup_files_per_client=0,
    available_bytes=AVAILABLE_BYTES,
)


def kept(system: str, cell: Cell) -> float:
    """The true rate on the aged system over that on the fresh copy."""
    factors = ChurnFactors.of(cell)
    lost = DAMAGE[system][factors.side] * ((factors.fill_percent or 0) / 100) ** 2
    return 1 - lost if factors.wear == "aged" else 1.0


def extents(system: str, cell: Cell) -> float:
    """Extents a file of the tree."""
    return 1.0 + 10 * (1 - kept(system, cell))


@dataclass
class ChurnRecipe:
    """What to make; noise is the deviation of a run's log time.

    `refused` is how many operations of ageing failed, `ended` how it ended, `live` its live bytes
    over those that were asked for; `errors` and `lost` are those of tests.synthetic_connections.
    """

    systems: Mapping[str, str] = field(default_factory=lambda: dict(SYSTEMS))
    fills: Sequence[int] = (50, 80, 95)
    tests: Sequence[str] = ("read", "write")
    blocks: int = 6
    seed: int = 20261121
    noise: float = 0.01
    kept: Callable[[str, Cell], float] = kept
    extents: Callable[[str, Cell], float] = extents
    refused: Callable[[Turn, Cell], int] = lambda turn, cell: 0
    ended: Callable[[Turn, Cell], str] = lambda turn, cell: "complete"
    live: Callable[[Turn, Cell], float] = lambda turn, cell: 1.0
    errors: Callable[[Turn, Cell], Sequence[tuple[ClientOperation, ClientErrorKind, int]]] = (
        lambda turn, cell: ()
    )
    lost: Callable[[Turn, Cell], tuple[int, int]] = lambda turn, cell: (0, 0)
    cut: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    scan_faults: Callable[[Turn], bool] = lambda turn: False
    storage_kind: str = "loop"
    rotational: str | None = None
    made_runs: int | None = None
    primary: Sequence[str] = ()


def make_churn(**changes: Any) -> SyntheticStudy:
    """The records of one study; the records of an overhead study give the rest."""
    recipe = ChurnRecipe(**changes)
    chance = random.Random(recipe.seed)
    study = _study(recipe)
    plan = make_plan(study, size_bytes=8 << 30)
    cells = {cell.id: cell for cell in plan.cells}
    of_clients = ConnectionsRecipe(
        systems=recipe.systems,
        clients=4,
        files=40,
        noise=recipe.noise,
        gain=lambda system, cell: recipe.kept(system, cells[cell.id]),
        errors=lambda turn, cell: recipe.errors(turn, cells[cell.id]),
        lost=lambda turn, cell: recipe.lost(turn, cells[cell.id]),
        cut=lambda turn, cell: recipe.cut(turn, cells[cell.id]),
        faults=lambda turn, cell: recipe.faults(turn, cells[cell.id]),
    )
    runs = [
        client_run(
            of_clients, chance, turn, position, _as_of_connections(cells[cell]), 0.0
        ).model_copy(update={"cell": cells[cell]})
        for turn in plan.turns
        for position, cell in enumerate(turn.cells)
    ][: recipe.made_runs]
    begun = {(run.block, run.turn) for run in runs}
    done = {(run.block, run.turn, run.cell.id) for run in runs}
    turns = [turn for turn in plan.turns if (turn.block, turn.turn) in begun]
    scans = [scan for turn in turns for scan in _scans(recipe, turn, cells)]
    frame = make_study(
        systems=recipe.systems,
        patterns=("write",),
        block_sizes=(4096,),
        queue_depths=(1,),
        blocks=1,
        storage_kind=recipe.storage_kind,
    )
    facts = {turn.system: turn for turn in frame.turns}
    before = frame.before
    if recipe.rotational is not None:
        chain = [{"name": "sda", "kind": "disk", "rotational": recipe.rotational}]
        storage = before.storage.model_copy(update={"device_chain": chain, "kind": "device"})
        before = with_machine(before, storage=storage)
    return SyntheticStudy(
        study=StudyRecord(
            fsgauge_version="0.1.0",
            study=study.model_dump(mode="json", by_alias=True),
            plan=plan,
            command=["fsgauge", "run", "churn"],
            started_unix_ns=1_795_000_000 * 10**9,
            rig="host",
        ),
        turns=[_turn(facts[turn.system], turn) for turn in turns],
        runs=runs,
        before=before,
        after=frame.after,
        study_toml=f'format = 1\nname = "churn"\nquestion = "{study.question}"\n',
        scans=[s for s in scans if not s.cell or (s.block, s.turn, s.cell) in done],
        steps=[_step(recipe, turn, cells[turn.cells[0]]) for turn in turns],
    )


def _as_of_connections(cell: Cell) -> Cell:
    """The same load in a study of many clients: a tree is read as a backup is."""
    factors = ChurnFactors.of(cell)
    return ConnectionsFactors(
        test="backup" if factors.side == "read" else "write",
        clients=factors.clients,
        record_size_bytes=factors.record_size_bytes,
        outstanding=1,
        read_percent=factors.share_of_reads,
        order=factors.order,
    ).cell(cell.id, cell.name)


def _study(recipe: ChurnRecipe) -> Study:
    return Study(
        format=1,
        name="churn",
        question="What do years of creating and deleting cost?",
        storage=LoopStorage(size=8 << 30),
        systems=[System(name=name, kind=kind) for name, kind in recipe.systems.items()],
        workload=ChurnWorkload(fills=list(recipe.fills), tests=list(recipe.tests)),
        plan=PlanSettings(
            seed=recipe.seed, blocks=max(recipe.blocks, 2), primary=list(recipe.primary)
        ),
    )


def _turn(facts: TurnRecord, turn: Turn) -> TurnRecord:
    return facts.model_copy(
        update={
            "block": turn.block,
            "turn": turn.turn,
            "again": turn.again,
            "layout": None,
            "target": FOLDERS.model_dump(mode="json"),
        }
    )


def _scans(recipe: ChurnRecipe, turn: Turn, cells: Mapping[str, Cell]) -> list[ScanRecord]:
    first = cells[turn.cells[0]]
    found = [_scan(recipe, turn, None, recipe.extents(turn.system, first))]
    found += [
        _scan(recipe, turn, cell, 1 + recipe.extents(turn.system, cells[cell]) / 10)
        for cell in turn.cells
        if ChurnFactors.of(cells[cell]).side == "write"
    ]
    return found


def _scan(recipe: ChurnRecipe, turn: Turn, cell: str | None, per_file: float) -> ScanRecord:
    return scan_record(turn, cell, _layout(per_file), failed=recipe.scan_faults(turn))


@lru_cache(maxsize=1024)
def _layout(per_file: float) -> ScanResult:
    return example(
        map_order=0,
        files=1000,
        files_without_extents=0,
        extents=round(1000 * per_file),
        fragmented_files=round(200 * (per_file - 1)),
        block_pairs=100_000,
        contiguous_block_pairs=100_000 - round(1000 * (per_file - 1)),
        problems=[],
    )


def _step(recipe: ChurnRecipe, turn: Turn, cell: Cell) -> StepRecord:
    workload = ChurnWorkload(fills=list(recipe.fills), tests=list(recipe.tests))
    job = ChurnMethod(workload).age_job(cell, FOLDERS, recipe.seed)
    result = _made(recipe, turn, cell, job)
    return StepRecord(
        block=turn.block,
        turn=turn.turn,
        system=turn.system,
        again=turn.again,
        number=0,
        cell=cell.id,
        step="age",
        what="churn",
        job=job,
        result=result,
        size_bytes=result.live_bytes,
        free_bytes=AVAILABLE_BYTES - result.live_bytes,
        started_unix_ns=0,
        elapsed_ns=10**9,
    )


def _made(recipe: ChurnRecipe, turn: Turn, cell: Cell, job: AgeJob) -> AgeResult:
    factors = ChurnFactors.of(cell)
    asked = AVAILABLE_BYTES * (factors.fill_percent or 0) / 100
    live = round(asked * recipe.live(turn, cell))
    times = 3.0 if factors.wear == "aged" else 1.0
    refused = recipe.refused(turn, cell)
    error = AgeError(
        operation="create",
        errno=28,
        text="No space left on device",
        count=refused,
        first_operation=9,
    )
    made = _example(job.fill_percent, job.mode).model_copy(
        update={
            "ended": recipe.ended(turn, cell),
            "errors": [error] if refused else [],
            "live_files": 4000,
            "live_bytes": live,
            "written_bytes": round(times * live),
            "storage_age": times,
            "space_bytes": AVAILABLE_BYTES,
        }
    )
    operations = [
        each.model_copy(update={"failed": refused if each.operation == "create" else 0})
        for each in made.operations
    ]
    return made.model_copy(update={"operations": operations})


@lru_cache
def _example(fill_percent: float, mode: str) -> AgeResult:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return aged(Path(folder), fill_percent=fill_percent, mode=mode)
