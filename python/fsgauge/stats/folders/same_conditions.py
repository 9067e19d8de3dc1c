"""Whether two results folders may be compared: what must be equal, and what differs.

Takes two sides; gives differences of two sorts. Facts of `must_be_equal` make two folders answers
to different questions, and comparing them is refused until each is named. All others (kernel,
day, machine, versions of tools) may be what the comparison is about, and are listed.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.record import conditions
from fsgauge.record.conditions import without_place
from fsgauge.record.machine import Machine
from fsgauge.record.records import EnvironmentRecord, RunRecord, StepRecord, StudyRecord, TurnRecord
from fsgauge.record.stored import StoredStudy
from fsgauge.stats.differences import are_alike, first_turns
from fsgauge.stats.folders.free_space import differing_space
from fsgauge.stats.result_model import ResultModel
from fsgauge.units import format_size, moment

_SIZES = ("storage-size", "bytes-under-load")
_PLACES = ("device", "directory", "path")
"""Keys of [storage] that say where, not what."""
_SETTINGS = {
    "primary": None,
    "equivalence_percent": None,
    "mode": "all",
    "latency_limit": None,
    "quantile": "p99",
}
"""Keys of [plan] that change what a verdict means, and what a record without them has; blocks, seed
and budget do not."""
LIMITS = "limits"
"""The fact of what the runs were limited to."""
_NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class Side:
    """One results folder, as its records say; `changes` are those made after they were written.
    `study_toml` is its study as the folder's file has it, where quantities have their units."""

    label: str
    study: StudyRecord
    turns: Sequence[TurnRecord]
    runs: Sequence[RunRecord]
    before: EnvironmentRecord
    after: EnvironmentRecord | None
    steps: Sequence[StepRecord] = ()
    path_runs: Sequence[RunRecord] = ()
    changes: Sequence[str] = ()
    study_toml: str = ""

    @classmethod
    def of(cls, label: str, stored: StoredStudy) -> Side:
        _, *names = (each.name for each in fields(cls))
        return cls(label, **{name: getattr(stored, name) for name in names})


class Unlike(ResultModel):
    """A fact in which two folders differ; `despite` where it should have been equal."""

    fact: str
    a: str
    b: str
    despite: bool


def must_be_equal(side: Side) -> dict[str, Any]:
    """Name and value of all that has to be equal; the names are what --despite takes."""
    study, facts = side.study.study, _facts(side)
    plan = study.get("plan", {})
    storage = study.get("storage", {})
    return {
        "question": study.get("question", side.study.plan.study),
        "format": study.get("format", 1),
        "rig": facts["rig"],
        "baseline": side.study.plan.baseline,
        "governor": facts["governor"],
        "caches": "; ".join(sorted({run.caches for run in side.runs})),
        "engine": facts["engine version"],
        "engine-profile": facts["engine profile"],
        **{f"storage.{key}": each for key, each in storage.items() if _says_what(key, each)},
        "storage-size": side.before.storage.size_bytes,
        "bytes-under-load": _bytes_under_load(side),
        **{f"workload.{key}": each for key, each in study.get("workload", {}).items()},
        **{f"access.{key}": each for key, each in study.get("access", {}).items()},
        **{f"plan.{key}": plan.get(key, old) for key, old in _SETTINGS.items()},
        **{f"system.{each['name']}": _definition(each) for each in study.get("system", [])},
    }


def must_be_equal_to_repeat(side: Side) -> dict[str, Any]:
    """What has to be equal of runs that repeat one another: machine, device and kernel too."""
    facts = _facts(side)
    return {
        **must_be_equal(side),
        **{name: facts[name] for name in (*conditions.MACHINE, "kernel")},
        "device": facts["storage"],
        "plan.side_by_side": side.study.study.get("plan", {}).get("side_by_side"),
        "systems": side.study.plan.systems,
    }


_OF_MEASURING = ("rig", "governor", "caches", "storage.kind", "bytes-under-load")
"""What tells a measurement from a simulation of the same study: one beside the other differs in
them, and is compared for that."""


def is_simulated(side: Side) -> bool:
    return side.before.load.simulation is not None


def _to_be_equal(a: Side, b: Side) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts of both; of a simulation beside a measurement without how each was made."""
    first, second = must_be_equal(a), must_be_equal(b)
    if is_simulated(a) == is_simulated(b):
        return first, second
    left_out = {*_OF_MEASURING, *(name for name in [*first, *second] if _is_of_storage(name))}
    first, second = (
        {name: value for name, value in facts.items() if name not in left_out}
        for facts in (first, second)
    )
    return first, second


def _is_of_storage(name: str) -> bool:
    """How storage is made; its size is that of both."""
    return name.startswith("storage.") and name != "storage.size"


def _says_what(key: str, value: object) -> bool:
    """Whether it is more than a place, or than a default that older folders do not name."""
    return key not in _PLACES and (key, value) != ("precondition", "none")


def unlike(a: Side, b: Side) -> list[tuple[str, str, str]]:
    """Facts that differ and should not: name, value in A, value in B. A system that only one folder
    has is not compared, so it is no difference of this sort."""
    return _unequal(*_to_be_equal(a, b), (as_written(a), as_written(b)))


def as_written(side: Side) -> dict[str, str]:
    """The facts of the study's sections as a person writes them: workload.duration is "30 s"."""
    try:
        document = tomllib.loads(side.study_toml)
    except tomllib.TOMLDecodeError:
        return {}
    return {
        f"{section}.{key}": conditions.plain(value)
        for section, keys in document.items()
        if isinstance(keys, dict)
        for key, value in keys.items()
    }


def _unequal(
    first: dict[str, Any],
    second: dict[str, Any],
    written: tuple[dict[str, str], dict[str, str]] = ({}, {}),
) -> list[tuple[str, str, str]]:
    found = []
    for name in [*first, *(name for name in second if name not in first)]:
        if name.startswith("system.") and (name not in first or name not in second):
            continue
        if not _same(name, first.get(name), second.get(name)):
            was, now = (
                words.get(name) or _words(name, facts.get(name))
                for words, facts in zip(written, (first, second), strict=True)
            )
            if was == now:  # written alike, and yet another value
                was, now = (_words(name, facts.get(name)) for facts in (first, second))
            found.append((name, was, now))
    return found


def require_alike(a: Side, b: Side, despite: Sequence[str]) -> list[Unlike]:
    """The differences that are accepted by name; InputError names those that are not."""
    first, second = _to_be_equal(a, b)
    written = as_written(a), as_written(b)
    return require_equal((a.label, first), (b.label, second), despite, written)


def require_equal(
    a: tuple[str, dict[str, Any]],
    b: tuple[str, dict[str, Any]],
    despite: Sequence[str],
    written: tuple[dict[str, str], dict[str, str]] = ({}, {}),
) -> list[Unlike]:
    """The accepted differences of two labels with their facts, which `written` has in words where
    it has them; InputError names the others."""
    known = [*a[1], *b[1]]
    for name in despite:
        if name not in known:
            hint = did_you_mean(nearest(name, known))
            raise InputError(
                f'"{name}" is not one of the facts that must be equal',
                details=(hint,) if hint else (),
                next=f"--despite NAME, with one of: {', '.join(dict.fromkeys(known))}",
            )
    found = _unequal(a[1], b[1], written)
    refused = [each for each in found if each[0] not in despite]
    kinds = [each for each in refused if each[0] == "workload.kind"]
    if kinds:
        raise InputError(
            f"{a[0]} and {b[0]} are of two kinds of study: {kinds[0][1]} and {kinds[0][2]}",
            cause="what they measured cannot be compared",
            next="name two folders of one study",
        )
    if refused:
        options = " ".join(f"--despite {shlex.quote(name)}" for name, _, _ in refused)
        raise InputError(
            f"{a[0]} and {b[0]} are not comparable",
            details=tuple(f"{name}: {first} / {second}" for name, first, second in refused),
            cause="these must be equal, or a difference between the folders may come from them",
            next=f"to compare anyway, add {options}   (the page will say so)",
        )
    return [Unlike(fact=name, a=first, b=second, despite=True) for name, first, second in found]


def listed_differences(a: Side, b: Side) -> list[Unlike]:
    """What else differs: it may be the point of the comparison."""
    first, second = _listed(a), _listed(b)
    names = [*first, *(name for name in second if name not in first)]
    pairs = [(name, first.get(name, "none"), second.get(name, "none")) for name in names]
    pairs += differing_space(first_turns(a.turns), first_turns(b.turns))
    return [
        Unlike(fact=name, a=was, b=now, despite=False)
        for name, was, now in pairs
        if was != now and {was, now} != {"none", _NOT_RECORDED}
    ]


def unlike_machines(a: Side, b: Side) -> list[str]:
    """The facts by which two folders were not measured by the same machine on the same storage."""
    return conditions.unlike_machines(_conditions(a), _conditions(b))


def _conditions(side: Side) -> conditions.Conditions:
    result = next((run.result for run in side.runs if run.result is not None), None)
    engine = None if result is None else result.engine
    return conditions.Conditions(side.study.fsgauge_version, side.study.rig, engine, side.before)


def _facts(side: Side) -> dict[str, object]:
    of_side = _conditions(side)
    return {name: value(of_side) for name, value in conditions.FACTS.items()}


def _listed(side: Side) -> dict[str, str]:
    before, known = side.before, _facts(side)
    facts: dict[str, object] = {
        "day": moment(side.study.started_unix_ns),
        "kernel": known["kernel"],
        "distribution": conditions.of_machines(before, lambda machine: machine.distribution),
        "host": known["host"],
        "architecture": known["architecture"],
        "processor": known["processor"],
        "processors": known["processor count"],
        "memory": conditions.of_machines(before, lambda machine: format_size(machine.memory_bytes)),
        LIMITS: _limits(side),
        "virtual machine": known["virtual machine"],
        "clock source": known["clock source"],
        "made by": "a model" if is_simulated(side) else "measuring",
        "storage": before.storage.sentence,
        "version of the models": known["version of the models"],
        "fsgauge": known["fsgauge version"],
        "engine commit": known["engine commit"],
        "systems": ", ".join(side.study.plan.systems),
        "blocks": len({turn.block for turn in side.study.plan.turns}),
        **_tools(before),
    }
    for system, turn in first_turns(side.turns).items():
        facts[f"{system}: mount options in force"] = turn.facts.mount_options or "not mounted"
        facts |= {
            f"{system}: {key}": without_place(value, turn.facts.mount_source)
            for key, value in turn.facts.details.items()
        }
    return {name: _told(value) for name, value in facts.items()}


def _told(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{role}: {_told(each)}" for role, each in value.items())
    return "none" if value is None else str(value)


def _limits(side: Side) -> object:
    recorded = all(machine.limits is not None for machine in side.before.machines)
    return _facts(side)[LIMITS] if recorded else _NOT_RECORDED


def _version_of(tool: str, machine: Machine) -> str | None:
    return machine.tool_versions.get(tool)


def _tools(before: EnvironmentRecord) -> dict[str, object]:
    names = {name: None for machine in before.machines for name in machine.tool_versions}
    return {name: conditions.of_machines(before, partial(_version_of, name)) for name in names}


def _bytes_under_load(side: Side) -> int | None:
    turn = first_turns(side.turns).get(side.study.plan.baseline)
    return None if turn is None or turn.layout is None else turn.layout.size_bytes


def _definition(system: dict[str, Any]) -> dict[str, Any]:
    """What was asked for; a path is a place, and what is null was not asked for."""
    asked = {key: value for key, value in system.items() if value is not None}
    return {key: value for key, value in asked.items() if key not in ("name", "path")}


def _same(name: str, first: object, second: object) -> bool:
    if name in _SIZES and isinstance(first, int) and isinstance(second, int):
        return are_alike([first, second])
    return first == second or (_is_unsaid(first) and _is_unsaid(second))


def _is_unsaid(value: object) -> bool:
    """Whether it is a default that older folders do not name, or name by another of these; false
    is an answer."""
    return value is None or (value in ("", 0, []) and value is not False)


def _words(name: str, value: object) -> str:
    if name in _SIZES and isinstance(value, int):
        return format_size(value)
    return conditions.plain(value)
