"""The study of a race, of the second one around a winner, and of the finalists of models."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from fsgauge.choosing.options import Option, Proposed
from fsgauge.converting import study_from_file
from fsgauge.durability import made_by, weakened
from fsgauge.quantities import WRITTEN
from fsgauge.study.model import LoopStorage, PlanSettings, SimulatedStorage, Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.policies import POLICIES
from fsgauge.study.shipped import find_study, is_shipped, study_meant
from fsgauge.study.system import MOST_SYSTEMS
from fsgauge.study.varying import SAMPLED, around, system_at, systems_in, varied
from fsgauge.system.options import known_options
from fsgauge.units import listed

_OF_OTHERS = ("mode", "blocks", "stop_interval", "latency_limit", "quantile")
"""Keys of [plan] that a race does not take, or takes otherwise."""
_JOBS = (".fio", ".job", ".f", ".vdbench")
"""How files of other tools end, which are studies of theirs."""


def load_text(load: str) -> tuple[str, str]:
    """Name and text of LOAD: a shipped study, a file, or a job file of another tool; InputError."""
    path = Path(load)
    if path.suffix in _JOBS and path.is_file():
        return path.stem, study_from_file(path).text
    name = study_meant(load)
    label, text = find_study(name)
    load_study(name, known=known_options)  # whatever is wrong with it is said of its own lines
    return path.stem if not is_shipped(label) else name, text


def varies(text: str) -> bool:
    """Whether its own systems are what is raced."""
    systems = tomllib.loads(text).get("system", [])
    return any(isinstance(each, dict) and "vary" in each for each in systems)


def race_text(name: str, text: str, found: Sequence[Proposed]) -> str:
    """The text with what is proposed as its systems, if anything is, each option with its why."""
    document = tomlkit.parse(text)
    document["name"] = f"{name}-choose"
    plan = document.setdefault("plan", tomlkit.table())
    if found:
        kinds = listed([each.kind for each in found])
        document["question"] = f"Which configuration of {kinds} is best for the load of {name}?"
        systems = tomlkit.aot()
        for each in found:
            for table in each.tables:
                systems.append(_table(table, each.crossed if table["name"] == each.kind else ()))
        document["system"] = systems
        for key in _OF_OTHERS if plan.get("mode") != "race" else ():
            plan.pop(key, None)
    plan["mode"] = "race"
    return tomlkit.dumps(document)


def systems_of(found: Sequence[Proposed]) -> list[System]:
    """The systems of a race: every combination of the proposed options, or a sample of many."""
    tables = [table for each in found for table in each.tables]
    return [System.model_validate(each.table, context=WRITTEN) for each in varied(tables)]


def _table(table: Mapping[str, Any], reasons: Sequence[Option]) -> Table:
    made = tomlkit.table()
    for option in reasons:
        made.add(tomlkit.comment(option.told))
    for key, value in table.items():
        item = tomlkit.item(value)
        if isinstance(value, dict):
            item = tomlkit.inline_table()
            item.update(value)
        made.add(key, item)
    return made


def is_sampled(text: str) -> bool:
    """Whether a study has so many combinations that only some are raced."""
    return systems_in(tomllib.loads(text)["system"]) > MOST_SYSTEMS


def around_winner(study: Study, text: str, winner: str) -> Study | None:
    """The race after that of a sample: its baseline, its winner, and what differs from that in one
    option, then in two. None where `text`, the study with its `vary`, has no more than was raced.
    A name is the same combination in each sample. What weakens durability is left out if the first
    race has none of it (--safe)."""
    tables = tomllib.loads(text)["system"] if is_sampled(text) else []
    raced = chain.from_iterable(varied(tables, seed) for seed in {study.plan.seed or 0, 0})
    won = next((each for each in raced if each.table["name"] == winner), None)
    if won is None:
        return None
    table = tables[won.place]
    near = [system_at(table, at) for at in around(table.get("vary", {}), won.point, SAMPLED)]
    if not any(weakened(made_by(each.model_dump())) for each in study.systems):
        near = [each for each in near if not weakened(made_by(each))]
    systems = (System.model_validate(each, context=WRITTEN) for each in near)
    found = {each.name: each for each in (study.systems[0], *systems)}
    if len(found) < 3:
        return None
    update = {"name": f"{study.name}-second", "systems": list(found.values())}
    return study.model_copy(update=update)


def on_host(study: Study, finalists: Sequence[str]) -> Study | None:
    """A study of the finalists on a file of this machine, of a model what it stands for, once; None
    where fewer than two are file systems, or nothing was simulated."""
    systems: dict[str, System] = {}
    for system in study.systems:
        policy = POLICIES.get(system.kind)
        is_real = policy is None or (policy.stands_for and not system.settings)
        if system.name in finalists and is_real:
            real = system.model_copy(update={"kind": policy.stands_for} if policy else {})
            systems.setdefault(real.model_copy(update={"name": ""}).model_dump_json(), real)
    if not isinstance(study.storage, SimulatedStorage) or len(systems) < 2:
        return None
    kept = study.plan.model_dump(include={"primary", "equivalence_percent", "seed"})
    update = {
        "name": f"{study.name}-finalists",
        "storage": LoopStorage(size=study.storage.size),
        "systems": list(systems.values()),
        "plan": PlanSettings(**kept),
    }
    return study.model_copy(update=update)
