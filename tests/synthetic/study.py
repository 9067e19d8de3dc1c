"""The records of a whole study, and their folder."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fsgauge.record import records
from fsgauge.stats import read_study
from fsgauge.stats.planned import analysis_of
from fsgauge.stats.results import Results
from fsgauge.store.files import turn_folder
from tests.sealing import seal
from tests.synthetic.load import run_record
from tests.synthetic.plan import plan_of
from tests.synthetic.recipe import Recipe
from tests.synthetic.setting import environment, turn_record

OfTurn = records.TurnRecord | records.RunRecord | records.ScanRecord | records.StepRecord


@dataclass(frozen=True)
class SyntheticStudy:
    study: records.StudyRecord
    turns: list[records.TurnRecord]
    runs: list[records.RunRecord]
    before: records.EnvironmentRecord
    after: records.EnvironmentRecord | None
    study_toml: str
    scans: list[records.ScanRecord] = field(default_factory=list)
    steps: list[records.StepRecord] = field(default_factory=list)
    path_runs: list[records.RunRecord] = field(default_factory=list)

    def results(self, disk: Sequence[str] = (), **more: Any) -> Results:
        """What statistics make of it; `disk` as of --disk."""
        study = analysis_of(self.study).with_disk(self.study, disk) if disk else self.study
        places = {"scans": self.scans, "steps": self.steps, "path_runs": self.path_runs}
        return read_study(self.turns, self.runs, study, self.before, self.after, **places, **more)

    def of_kind(
        self, kind: str, cells: Sequence[records.Cell], workload: Mapping[str, Any], **plan: Any
    ) -> SyntheticStudy:
        """The setting of this study for another workload, whose cells each turn has; no runs."""
        ids = [cell.id for cell in cells]
        turns = [turn.model_copy(update={"cells": ids}) for turn in self.study.plan.turns]
        changed = {"study": kind, "cells": [*cells], "turns": turns, "primary": ids, **plan}
        update = {
            "plan": self.study.plan.model_copy(update=changed),
            "study": {**self.study.study, "name": kind, "workload": {**workload, "kind": kind}},
            "command": ["fsgauge", "run", kind],
        }
        toml = self.study_toml.replace("overhead", kind)
        return replace(self, study=self.study.model_copy(update=update), runs=[], study_toml=toml)

    def write(self, directory: Path) -> Path:
        """Store the records in the layout of fsgauge.record.records."""
        (directory / "records").mkdir(parents=True, exist_ok=True)
        (directory / "study.toml").write_text(self.study_toml, encoding="utf-8")
        (directory / "study.json").write_text(self.study.model_dump_json(), encoding="utf-8")
        environments = {"before": self.before, "after": self.after}
        for when, record in environments.items():
            if record is not None:
                path = directory / f"environment-{when}.json"
                path.write_text(record.model_dump_json(), encoding="utf-8")
        own = {turn.system: turn for turn in self.turns}
        over_paths = {_folder(run): _over_path(own[run.system], run) for run in self.path_runs}
        turns = (*self.turns, *over_paths.values())
        for record in (*turns, *self.runs, *self.path_runs, *self.scans, *self.steps):
            folder = directory / "records" / _folder(record)
            folder.mkdir(exist_ok=True)
            (folder / _name(record)).write_text(record.model_dump_json(), encoding="utf-8")
        return seal(directory)


def make_study(recipe: Recipe | None = None, **changes: Any) -> SyntheticStudy:
    recipe = recipe or Recipe()
    for key, value in changes.items():
        if not hasattr(recipe, key):
            raise TypeError(f"no such ingredient: {key}")
        setattr(recipe, key, value)
    chance = random.Random(recipe.seed)
    plan = plan_of(recipe, chance)
    cells = {cell.id: cell for cell in plan.cells}
    turns, runs = [], []
    planned = sum(len(turn.cells) for turn in plan.turns)
    limit = recipe.paused_after_runs or planned
    for index, turn in enumerate(plan.turns):
        if len(runs) >= limit:
            break
        turns.append(turn_record(recipe, turn))
        shift = recipe.drift * (index / max(len(plan.turns) - 1, 1) - 0.5)
        baseline_turns = [
            t for t in plan.turns if (t.block, t.system) == (turn.block, plan.baseline)
        ]
        if turn == baseline_turns[-1]:
            shift += math.log(recipe.later_effect)
        for position, cell_id in enumerate(turn.cells):
            if len(runs) < limit:
                run = run_record(recipe, chance, turn, position, cells[cell_id], shift)
                runs.append(run)
    before = environment(recipe, 0)
    after = environment(recipe, 1) if len(runs) == planned else None
    study = records.StudyRecord(
        fsgauge_version="0.1.0",
        study=_study_document(recipe),
        plan=plan,
        command=["fsgauge", "run", "overhead", "--seed", str(recipe.seed)],
        started_unix_ns=1_795_000_000 * 10**9,
        rig="host",
    )
    return SyntheticStudy(study, turns, runs, before, after, _toml(recipe))


def _folder(record: OfTurn) -> str:
    return turn_folder(record.block, record.turn, record.system)


def _name(record: OfTurn) -> str:
    match record:
        case records.TurnRecord():
            return "turn.json"
        case records.RunRecord():
            return f"{record.position:02d}-{record.cell.id}.json"
        case records.StepRecord():
            return f"step-{record.number:02d}-{record.cell}.json"
        case _:
            return f"scan-after-{record.cell}.json" if record.cell else "scan-aged.json"


def _over_path(turn: records.TurnRecord, run: records.RunRecord) -> records.TurnRecord:
    """The turn of a run over a path, next to the server through which another turn went."""
    place = {"block": run.block, "turn": run.turn, "again": False}
    return turn.model_copy(update={**place, "server": None, "over_path": True})


def _study_document(recipe: Recipe) -> dict[str, Any]:
    return {
        "format": 1,
        "name": "overhead",
        "question": recipe.question,
        "storage": {"kind": recipe.storage_kind, "size": 8 << 30},
        "system": [{"name": name, "kind": kind} for name, kind in recipe.systems.items()],
        "workload": {
            "kind": "overhead",
            "direct": True,
            "warm_up": recipe.warm_up_s * 10**9,
            "duration": recipe.duration_s * 10**9,
        },
        "plan": {"blocks": recipe.blocks, "seed": recipe.seed, "equivalence_percent": 3},
    }


def _toml(recipe: Recipe) -> str:
    systems = "".join(
        f'\n[[system]]\nname = {json.dumps(name)}\nkind = "{kind}"\n'
        for name, kind in recipe.systems.items()
    )
    return (
        f'format = 1\nname = "overhead"\nquestion = {json.dumps(recipe.question)}\n\n[storage]\n'
        f'kind = "{recipe.storage_kind}"\nsize = "8 GiB"\n{systems}\n[workload]\n'
        f'kind = "overhead"\n\n[plan]\nblocks = {recipe.blocks}\nseed = {recipe.seed}\n'
    )
