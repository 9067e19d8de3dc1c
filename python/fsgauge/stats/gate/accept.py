"""Accepted folders join what a gate has learnt; and what the gate can see with that.

Takes what was learnt so far, if anything, and sides; gives it with the sides' runs in it. A folder
that does not belong to the others is refused with the reason, and one that was learnt from already
changes nothing: learnt from twice, it would make the noise look small.

A folder that fails its own A/A test is taken: by chance one good folder in a hundred does, and how
far equal systems come out apart is what a gate has learnt. Whatever else makes a folder not valid
(lost data, a debug engine, errors) still does.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fsgauge.errors import InputError
from fsgauge.record.conditions import plain
from fsgauge.stats.differences import first_turns
from fsgauge.stats.folders.folder import Basis, Key, nothing_in, read_folder
from fsgauge.stats.folders.folder import Folder as ReadFolder
from fsgauge.stats.folders.free_space import space_of
from fsgauge.stats.folders.same_conditions import (
    Side,
    Unlike,
    as_written,
    must_be_equal_to_repeat,
    require_equal,
)
from fsgauge.stats.gate import noise
from fsgauge.stats.gate.learned import (
    DEFAULT_LOSS_PERCENT,
    Addition,
    Learned,
    Run,
    lines_of,
    with_runs,
)
from fsgauge.stats.gate.visible import new_runs_needed, percent, runs_needed, visible
from fsgauge.stats.planned import margin_percent
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import Results
from fsgauge.stats.welch import Scatter
from fsgauge.units import moment

State = Literal["ready", "too few", "too noisy"]
_LEARNT_INSTEAD = ("noise.invalid",)
"""Findings that make a folder not valid, but not for a gate."""


@dataclass(frozen=True)
class Folder(ReadFolder):
    """One folder; `invalid` says why it decides nothing, or is empty. `written` has in words what
    of its facts is a quantity."""

    addition: Addition
    facts: dict[str, Any]
    written: dict[str, str]
    invalid: str


def _of_side(side: Side) -> Folder:
    read = read_folder(side)
    started_ns, ended_ns = read.span_ns
    run = Run(
        label=side.label,
        started=moment(started_ns),
        started_unix_ns=started_ns,
        ended_unix_ns=ended_ns,
        blocks=read.results.sureness.blocks_complete,
        space=space_of(first_turns(side.turns)),
    )
    lines = lines_of(read.samples, [cell.id for cell in read.results.cells])
    facts = json.loads(json.dumps(must_be_equal_to_repeat(side), default=str))
    return Folder(
        side=side,
        results=read.results,
        samples=read.samples,
        addition=Addition(run, lines, nothing_in(read)),
        facts=facts,
        written={
            name: text
            for name, text in as_written(side).items()
            if name in facts and text != plain(facts[name])
        },
        invalid=_invalid(read.results),
    )


def _invalid(results: Results) -> str:
    """Why the folder is not valid, apart from its A/A; empty if it is."""
    found = [
        finding
        for finding in results.findings
        if finding.level == "invalid" and finding.code not in _LEARNT_INSTEAD
    ]
    if found:
        return found[0].sentence.rstrip(".")
    if not results.sureness.blocks_complete:
        return "no block is complete"
    return ""


def folders_of(sides: Sequence[Side]) -> list[Folder]:
    return sorted(map(_of_side, sides), key=lambda each: each.started_unix_ns)


class Seen(ResultModel):
    """The smallest loss that a gate sees in one line, and what the accepted runs' spread is.

    `elsewhere_percent` is that loss for a run of another sitting, where accepted ones are of few.
    """

    cell: str
    system: str
    metric: str
    visible_percent: float
    elsewhere_percent: float | None
    spread_percent: float
    relative_spread_percent: float | None


class Readiness(ResultModel):
    """What a gate is good for. `needed` are the runs (or sittings) from which it sees the loss in
    every line that it judges; `new_needed` those of each new build; None: no number up to 200, or
    up to 10, would do.
    """

    state: State
    loss_percent: float
    runs: int
    sittings: int
    by_sitting: bool
    needed: int | None
    new_needed: int | None
    lines: list[Seen]
    missing: list[str]

    @property
    def samples(self) -> tuple[int, str]:
        """How many samples the noise is known from, and what one is: a run, or a sitting."""
        return (self.sittings, "sitting") if self.by_sitting else (self.runs, "run")


@dataclass(frozen=True)
class Accepted:
    """The result: what is learnt now, labels that were known already, accepted differences, and who
    did little in which folder."""

    learned: Learned
    known: list[str]
    despite: list[Unlike]
    idle: list[str]


def accept(
    learned: Learned | None,
    sides: Sequence[Side],
    *,
    version: str,
    label: str,
    loss_percent: float | None = None,
    limits: Sequence[str] | None = None,
    metrics: Sequence[str] = (),
    despite: Sequence[str] = (),
) -> Accepted:
    """What is learnt with these sides; `limits` replace those that were kept, None keeps them.
    Raises InputError for a folder that is not valid or does not belong to the others."""
    folders = folders_of(sides)
    for folder in folders:
        _require_valid(folder)
    if learned is None:
        learned = _beginning(folders, version, label)
    accepted = []
    known, new = [], []
    have = {run.started_unix_ns for run in learned.runs}
    for folder in folders:
        accepted += belongs(folder, learned, label, despite)
        known.append(folder) if folder.started_unix_ns in have else new.append(folder)
        have.add(folder.started_unix_ns)
    additions = [folder.addition for folder in new]
    changes = {
        "fsgauge": version,
        "runs": [*learned.runs, *(each.run for each in additions)],
        "lines": with_runs(learned.lines, len(learned.runs), additions),
        "metrics": list(dict.fromkeys([*learned.metrics, *metrics])),
        "limits": learned.limits if limits is None else list(limits),
        "loss_percent": learned.loss_percent if loss_percent is None else loss_percent,
    }
    result = learned.model_copy(update=changes)
    _require_visible(result)
    _require_measured(result)
    idle = [folder.idle for folder in folders if folder.idle]
    return Accepted(result, [folder.label for folder in known], accepted, idle)


def belongs(folder: Folder, learned: Learned, label: str, despite: Sequence[str]) -> list[Unlike]:
    """The differences that are accepted by name; InputError names those that are not."""
    return require_equal(
        (label, learned.facts),
        (folder.label, folder.facts),
        despite,
        (learned.written, folder.written),
    )


def sittings_for(
    learned: Learned, sides: Sequence[Side], label: str, despite: Sequence[str]
) -> dict[Basis, dict[Key, Scatter]]:
    """How sittings of these sides' study differ, for a comparison of few of them. Raises InputError
    for sides that do not belong here, or for too few accepted sittings."""
    for folder in folders_of(sides):
        belongs(folder, learned, label, despite)
    if not noise.is_by_sitting(learned):
        raise InputError(
            f"{label} has learnt from {len(learned.sittings())} of the {noise.FEWEST_SITTINGS}"
            " sittings that show how sittings differ",
            cause="runs of one sitting are alike in what lasts for hours",
            next=f"fsgauge gate accept DIR --file {shlex.quote(label)}, with folders of other"
            " sittings",
        )
    return noise.known_sittings(learned)


def _require_valid(folder: Folder) -> None:
    if folder.invalid or _is_idle(folder):
        why = folder.invalid or folder.idle.removeprefix(f"{folder.label}: ").rstrip(".")
        raise InputError(
            f"{folder.label} cannot be accepted: "
            + ("it is not valid" if folder.invalid else "a system did nothing"),
            details=(why,),
            cause="what such a run measured says nothing of the noise of good ones",
            next="accept the other folders, and measure this one again",
        )


def _is_idle(folder: Folder) -> bool:
    """Whether a system did nothing of what its cell is judged by; rare operations are no such."""
    results = folder.results
    return any(
        cell in results.primary_cells and metric == results.primary_metrics[cell]
        for cell, _, metric in folder.addition.nothing
    )


def _beginning(folders: Sequence[Folder], version: str, label: str) -> Learned:
    if not folders:
        raise InputError(
            "there is nothing to learn from: no folder is named",
            next=f"fsgauge gate accept DIR DIR ... --file {shlex.quote(label)}",
        )
    first = folders[0].results
    return Learned(
        fsgauge=version,
        question=first.question,
        baseline=first.baseline,
        loss_percent=DEFAULT_LOSS_PERCENT,
        margin_percent=margin_percent(folders[0].side.study),
        limits=[],
        metrics=[],
        systems=first.systems,
        cells=first.cells,
        primary_cells=first.primary_cells,
        primary_metrics=first.primary_metrics,
        facts=folders[0].facts,
        written=folders[0].written,
        runs=[],
        lines=[],
    )


def _require_visible(learned: Learned) -> None:
    if learned.loss_percent < learned.margin_percent:
        raise InputError(
            f"a loss of {learned.loss_percent:g} % is within the study's margin of equivalence,"
            f" {learned.margin_percent:g} %",
            cause="differences within it count as none, so no gate fails them",
            next=f"--loss '{learned.margin_percent:g} %', or a study with a smaller"
            " plan.equivalence_percent",
        )


def _require_measured(learned: Learned) -> None:
    has = list(dict.fromkeys(line.metric for line in learned.lines))
    for metric in learned.metrics:
        if metric not in has:
            raise InputError(
                f'no accepted run has the metric "{metric}"',
                next=f"--metric NAME, with one of: {', '.join(has)}",
            )


def readiness(learned: Learned) -> Readiness:
    judged = judged_lines(learned)
    tests = noise.number_of_tests(judged.values())
    lines = sorted(seen_in(learned, judged), key=lambda line: -line.visible_percent)
    state: State = "ready"
    if len(learned.runs) < noise.FEWEST_RUNS:
        state = "too few"
    elif not lines or lines[0].visible_percent > learned.loss_percent:
        state = "too noisy"
    needed: int | None = noise.FEWEST_RUNS
    new_needed: int | None = None
    if judged:
        found = judged.values()
        needed = runs_needed(found, learned.loss, tests)
        new_needed = new_runs_needed(found, learned.loss, tests)
    return Readiness(
        state=state,
        loss_percent=learned.loss_percent,
        runs=len(learned.runs),
        sittings=len(learned.sittings()),
        by_sitting=noise.is_by_sitting(learned),
        needed=needed,
        new_needed=new_needed,
        lines=lines,
        missing=missing_lines(learned),
    )


def judged_lines(learned: Learned) -> dict[Key, noise.Watched]:
    """The lines that are judged; none while there are too few runs."""
    enough = len(learned.runs) >= noise.FEWEST_RUNS
    return noise.watched_lines(learned, noise.noises_of(learned)) if enough else {}


def seen_in(learned: Learned, judged: Mapping[Key, noise.Watched]) -> list[Seen]:
    """What one new run shows in each line."""
    tests = noise.number_of_tests(judged.values())
    here, there = noise.Newcomers(), noise.Newcomers(known_sitting=False)
    names = {cell.id: cell.name for cell in learned.cells}
    found = []
    for (cell, system, metric), line in judged.items():
        near, far = (
            percent(visible(line, dict.fromkeys(line.noises, new), tests, learned.margin))
            for new in (here, there)
        )
        relative = line.noises.get("to baseline")
        found.append(
            Seen(
                cell=names[cell],
                system=system,
                metric=metric,
                visible_percent=near,
                elsewhere_percent=None if noise.is_by_sitting(learned) else far,
                spread_percent=100 * line.noises["direct"].deviation,
                relative_spread_percent=100 * relative.deviation if relative else None,
            )
        )
    return found


def missing_lines(learned: Learned) -> list[str]:
    """Judged lines that some accepted run has not, in words."""
    names = {cell.id: cell.name for cell in learned.cells}
    return [
        f"{line.metric} of {names[line.cell]}, {line.system}"
        for line in learned.lines
        if learned.is_judged(line) and not noise.is_whole(line)
    ]
