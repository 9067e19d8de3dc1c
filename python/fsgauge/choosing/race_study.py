"""The study of a race: the load of another one, systems that vary, and the plan; the second race,
around the winner of a sample; and a study that measures what a race of models found."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from fsgauge.choosing.options import Option, Proposed
from fsgauge.converting import study_from_file
from fsgauge.study.dump import dump_study
from fsgauge.study.model import LoopStorage, PlanSettings, SimulatedStorage, Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.policies import POLICIES
from fsgauge.study.shipped import find_study, is_shipped, study_meant
from fsgauge.study.system import MOST_SYSTEMS
from fsgauge.study.varying import SAMPLED, around, combinations, points_of, system_at
from fsgauge.system.options import known_options
from fsgauge.units import listed

_OF_OTHERS = ("mode", "blocks", "stop_interval", "latency_limit", "quantile")
"""Keys of [plan] that a race does not take, or takes otherwise."""
_JOBS = (".fio", ".job", ".f", ".vdbench")
"""How files of other tools end, which are studies of theirs."""


def load_text(load: str) -> tuple[str, str]:
    """The name and the text of the study whose load is LOAD: a shipped one's name, a study's file,
    or a job file of another tool. InputError where it is none of them."""
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


def race_text(
    name: str,
    text: str,
    tables: Sequence[Mapping[str, Any]] | None,
    reasons: Mapping[str, Sequence[Option]],
) -> str:
    """The study's text; `tables` are its [[system]], None for its own.

    `reasons` are the options that vary, by the name of the table, with which their lines begin.
    """
    document = tomlkit.parse(text)
    document["name"] = f"{name}-choose"
    if tables is not None:
        kinds = dict.fromkeys(str(table["kind"]) for table in tables)
        document["question"] = (
            f"Which configuration of {listed(list(kinds))} is best for the load of {name}?"
        )
        systems = tomlkit.aot()
        for table in tables:
            systems.append(_table(table, reasons.get(str(table["name"]), ())))
        document["system"] = systems
    plan = document.setdefault("plan", tomlkit.table())
    for key in _OF_OTHERS if tables is not None and plan.get("mode") != "race" else ():
        plan.pop(key, None)
    plan["mode"] = "race"
    return tomlkit.dumps(document)


def why(options: Sequence[Option]) -> list[str]:
    """A line each: what is tried, why, and where that is written."""
    return [f"{option.words}: {option.why} ({option.source})" for option in options]


def reasons_of(found: Sequence[Proposed]) -> dict[str, Sequence[Option]]:
    """By the name of a table, the options that vary in it."""
    return {each.kind: each.crossed for each in found}


def _table(table: Mapping[str, Any], reasons: Sequence[Option]) -> Table:
    made = tomlkit.table()
    for line in why(reasons):
        made.add(tomlkit.comment(line))
    for key, value in table.items():
        item = tomlkit.item(value)
        if isinstance(value, dict):
            item = tomlkit.inline_table()
            item.update(value)
        made.add(key, item)
    return made


def is_sampled(text: str) -> bool:
    """Whether a study has so many combinations that only some are raced."""
    tables = tomllib.loads(text)["system"]
    return sum(combinations(each.get("vary", {})) for each in tables) > MOST_SYSTEMS


def second_tables(text: str, winner: str, seeds: Iterable[int] = (0,)) -> list[dict[str, Any]]:
    """The [[system]] tables around a winner of the race of this text: the first race's baseline,
    the winner, then its neighbours. The sample is that of one of the seeds: which one does not
    matter, as a name is the same combination in all."""
    tables = tomllib.loads(text)["system"]
    raced = [
        (table, point)
        for seed in seeds
        for table, points in zip(tables, points_of(tables, random.Random(seed)), strict=True)  # noqa: S311 - no secret
        for point in points
    ]
    baseline = next(system_at(table, point) for table, point in raced)
    for table, point in raced:
        if system_at(table, point)["name"] == winner:
            near = [
                system_at(table, each) for each in around(table.get("vary", {}), point, SAMPLED)
            ]
            found = {each["name"]: each for each in [baseline, *near]}
            return list(found.values())
    return [baseline]


_FEWEST = 2


def on_host(study: Study, finalists: Sequence[str]) -> str:
    """The text of a study of the finalists on a file of this machine; "" where fewer than two of
    them are file systems, or nothing was simulated. Of a model that stands for one, as it is by
    itself, that one; what that makes twice is there once."""
    if not isinstance(study.storage, SimulatedStorage):
        return ""
    systems = list(_real([each for each in study.systems if each.name in finalists]))
    if len(systems) < _FEWEST:
        return ""
    plan = PlanSettings(
        primary=study.plan.primary, equivalence_percent=study.plan.equivalence_percent
    )
    update = {
        "name": f"{study.name}-finalists",
        "storage": LoopStorage(size=study.storage.size),
        "systems": systems,
        "plan": plan,
    }
    return dump_study(study.model_copy(update=update))


def _real(systems: Sequence[System]) -> Iterator[System]:
    given: list[System] = []
    for system in systems:
        policy = POLICIES.get(system.kind)
        if policy is not None and (not policy.stands_for or system.settings):
            continue
        real = system.model_copy(update={"kind": policy.stands_for} if policy else {})
        if (nameless := real.model_copy(update={"name": ""})) not in given:
            given.append(nameless)
            yield real
