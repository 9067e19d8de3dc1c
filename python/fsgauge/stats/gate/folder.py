"""A results folder as a gate takes it: its lines, its facts, and whether it may be used.

A folder that fails its own A/A test is used: by chance one good folder in a hundred does, and how
far equal systems come out apart is what a gate has learnt. Whatever else makes a folder not valid
(lost data, a debug engine, errors) still does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.record.conditions import plain
from fsgauge.stats.differences import first_turns
from fsgauge.stats.folders import folder, same_conditions
from fsgauge.stats.folders.free_space import space_of
from fsgauge.stats.gate.learned import Addition, Run, lines_of
from fsgauge.stats.results import Results
from fsgauge.units import moment

_LEARNT_INSTEAD = ("noise.invalid",)
"""Findings that make a folder not valid, but not for a gate."""


@dataclass(frozen=True)
class Folder(folder.Folder):
    """One folder; `invalid` says why it decides nothing, or is empty. `written` has in words what
    of its facts is a quantity."""

    addition: Addition
    facts: dict[str, Any]
    written: dict[str, str]
    invalid: str


def _of_side(side: same_conditions.Side) -> Folder:
    read = folder.read_folder(side)
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
    facts = json.loads(json.dumps(same_conditions.must_be_equal_to_repeat(side), default=str))
    return Folder(
        side=side,
        results=read.results,
        samples=read.samples,
        addition=Addition(run, lines, folder.nothing_in(read)),
        facts=facts,
        written={
            name: text
            for name, text in same_conditions.as_written(side).items()
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


def folders_of(sides: Sequence[same_conditions.Side]) -> list[Folder]:
    return sorted(map(_of_side, sides), key=lambda each: each.started_unix_ns)
