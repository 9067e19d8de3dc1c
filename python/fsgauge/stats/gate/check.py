"""The verdict of a gate on the new runs of one build.

    fail       a line is worse, a limit is crossed or broken, or data was lost
    undecided  the bases disagree, a limit cannot be decided, a line or a valid folder is missing
    too noisy  the loss that matters would not have been seen: noise, or too few accepted runs
    pass       none of these

With conditions of --fail-if these decide in place of the lines; limits always do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from fsgauge.errors import InputError
from fsgauge.stats.folders.condition import Condition
from fsgauge.stats.folders.free_space import beyond
from fsgauge.stats.folders.limits import Ratios, Required, Test, require
from fsgauge.stats.folders.limits import check as check_conditions
from fsgauge.stats.folders.same_conditions import Side, Unlike
from fsgauge.stats.gate.accept import (
    Folder,
    Readiness,
    belongs,
    folders_of,
    missing_lines,
    readiness,
)
from fsgauge.stats.gate.judge import GateVerdict, New, judge_lines, ratios_of
from fsgauge.stats.gate.learned import Learned
from fsgauge.stats.gate.noise import FEWEST_RUNS, noises_of
from fsgauge.stats.result_model import ResultModel

Verdict = Literal["pass", "fail", "undecided", "too noisy"]


class Checked(ResultModel):
    """Everything that a check says. `lines` decide; `others` moved and are not judged.

    `idle` says who did nothing or little in which folder. `elsewhere`: the accepted runs are of few
    sittings, and none of them is that of the new runs. `space` says which file system had less or
    more free than in any accepted run: it decides where files go.
    """

    format: Literal[1] = 1
    verdict: Verdict
    reasons: list[str]
    baseline: str
    folders: list[str]
    invalid: list[str]
    idle: list[str]
    data_lost: bool
    elsewhere: bool
    readiness: Readiness
    lines: list[GateVerdict]
    others: list[GateVerdict]
    cell_names: dict[str, str]
    limits: list[Required]
    conditions: list[Test]
    missing: list[str]
    space: list[str]
    despite: list[Unlike]


def check(
    learned: Learned,
    sides: Sequence[Side],
    *,
    label: str,
    limits: Sequence[Condition] = (),
    conditions: Sequence[Condition] = (),
    despite: Sequence[str] = (),
) -> Checked:
    """New runs of one build against what was learnt; `limits` are all, kept ones too. Raises
    InputError for folders that do not belong here, or that the gate has learnt from."""
    folders = folders_of(sides)
    accepted = _require_belonging(folders, learned, label, despite)
    ready = readiness(learned)
    new = New.of([folder.addition for folder in folders], learned)
    enough = len(learned.runs) >= FEWEST_RUNS
    lines = judge_lines(new, learned) if enough else []
    invalid = [f"{folder.label}: {folder.invalid}" for folder in folders if folder.invalid]
    noises = noises_of(learned) if enough else {}
    ratios = ratios_of(new, learned, noises, "; ".join(invalid))
    required = require(limits, ratios)
    tests = check_conditions(conditions, _for_conditions(ratios, folders)) if enough else []
    lost = any(folder.results.sureness.data_lost for folder in folders)
    verdict, reasons = verdict_of(
        lost, invalid, enough, lines if not conditions else [], required, tests
    )
    return Checked(
        verdict=verdict,
        reasons=reasons,
        baseline=learned.baseline,
        folders=[folder.label for folder in folders],
        invalid=invalid,
        idle=[folder.idle for folder in folders if folder.idle],
        data_lost=lost,
        elsewhere=not new.known_sitting and not ready.by_sitting,
        readiness=ready,
        lines=lines,
        others=judge_lines(new, learned, judged=False) if enough else [],
        cell_names={cell.id: cell.name for cell in learned.cells},
        limits=required,
        conditions=tests,
        missing=missing_lines(learned),
        space=list(
            dict.fromkeys(
                said
                for folder in folders
                for said in beyond(folder.addition.run.space, [run.space for run in learned.runs])
            )
        ),
        despite=accepted,
    )


def _require_belonging(
    folders: Sequence[Folder], learned: Learned, label: str, despite: Sequence[str]
) -> list[Unlike]:
    have = {run.started_unix_ns: run for run in learned.runs}
    accepted = []
    for folder in folders:
        if (known := have.get(folder.started_unix_ns)) is not None:
            raise InputError(
                f"{folder.label} is one of the accepted runs",
                details=(f"{label} has learnt from it as {known.label}, of {known.started}",),
                cause="a run that is judged against itself passes",
                next="check a folder that was not accepted",
            )
        accepted += belongs(folder, learned, label, despite)
    return accepted


def _for_conditions(ratios: Ratios, folders: Sequence[Folder]) -> Ratios:
    """Why conditions cannot be decided, in the words of a comparison."""
    invalid = "; ".join(folder.invalid for folder in folders if folder.invalid)
    label = ", ".join(folder.label for folder in folders)
    return replace(ratios, invalid=f"{label} is not valid: {invalid}" if invalid else "")


def verdict_of(
    lost: bool,
    invalid: Sequence[str],
    enough: bool,
    lines: Sequence[GateVerdict],
    limits: Sequence[Required],
    tests: Sequence[Test],
) -> tuple[Verdict, list[str]]:
    """The verdict, and in a few words each kind of reason for it."""
    found: list[str] = [
        *(line.outcome for line in lines),
        *(limit.outcome for limit in limits),
        *(test.outcome for test in tests),
    ]
    outcomes = {outcome: found.count(outcome) for outcome in found}
    failing = [
        "what was written did not come back as it was" if lost else "",
        _count(outcomes.get("broken", 0), "limit is", "limits are", "broken"),
        _count(outcomes.get("crossed", 0), "condition is", "conditions are", "met"),
        _count(0 if invalid else outcomes.get("worse", 0), "line is", "lines are", "worse"),
    ]
    if any(failing):
        return "fail", [each for each in failing if each]
    one_only = "worse in one of its two values, not in the other"
    unclear = [
        *(f"not valid: {each}" for each in invalid),
        _count(outcomes.get("undecided", 0), "limit is", "limits are", "undecided"),
        _count(outcomes.get("disagrees", 0), "line is", "lines are", one_only),
        _count(outcomes.get("missing", 0), "line was", "lines were", "not measured"),
    ]
    if any(unclear):
        return "undecided", [each for each in unclear if each]
    if not enough:
        return "too noisy", ["too few accepted runs to know the noise"]
    noisy = _count(outcomes.get("too noisy", 0), "line is", "lines are", "too noisy")
    return ("too noisy", [noisy]) if noisy else ("pass", [])


def _count(number: int, one: str, many: str, what: str) -> str:
    return f"{number} {one if number == 1 else many} {what}" if number else ""
