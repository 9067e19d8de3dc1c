"""What statistics say of a program: its time, what it waits for, then its own numbers; and what the
reader has to know of its runs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from fsgauge.kinds.command.analysis.numbers import (
    SMALL_SHARE,
    TIME,
    Command,
    OwnNumberResult,
    Waits,
    noise_of,
    numbers_of,
    waits_of,
)
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.between_systems import comparing_sentences
from fsgauge.stats.evidence import Evidence, Question, finding, name_of, part_of
from fsgauge.stats.noise import ASKED_PERCENT
from fsgauge.stats.results import Finding, JudgedRatio
from fsgauge.stats.sentence import comparisons_in
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import factor_words, listed, ratio_range, too_few
from fsgauge.units import figure, format_duration, format_size

_SAME_SHARE = 0.01
"""What steps made may differ by so much: a clone packs a little differently each time."""


class CommandAnalysis(Analysis):
    own: ClassVar = Command

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        return "complete"

    def read(self, material: Material) -> Command | None:
        waits = waits_of(material)
        if not waits:
            return None
        workload = material.study.study["workload"]
        numbers = numbers_of(material, workload.get("number", []))
        primary = workload.get("primary", TIME)
        noise = noise_of(material, primary) if primary != TIME else None
        return Command(primary=primary, noise=noise, waits=waits, numbers=numbers)

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        started = [run for run in evidence.runs if run.command is not None]
        yield from _left(started)
        yield from _unread(started)
        yield from _prepared_otherwise(evidence, started)
        yield from _noise_of_number(evidence)

    def answer(self, question: Question) -> str | None:
        """ "git clone waits for storage 12 % of its time and takes 41 s on ext4, 58 s on btrfs
        (1.41 times, 1.36 to 1.47)." So the reader knows what another system can change at most.
        Then its own numbers. Of the first primary cell; None where nothing was measured to its end.

        A program that is judged by a number of its own may run for a time that it is told: nothing
        is said of that.
        """
        own, cell = Command.of(question), question.primary[0]
        times = own.of_cell(cell.id) if own is not None else []
        if own is None or not times:
            return None
        factors = factors_of(cell)
        name = factors.place if len(question.cells) > 1 else factors.work
        shares = {each.system: each.waiting for each in times if each.waiting is not None}
        share = shares.get(question.baseline)
        also = _waits_otherwise(shares, share)
        on = f" on {question.baseline}" if also else ""
        if share is None:
            short = f"{name} is too short{on} to see what share of its time it waits for storage."
            waits, also = name, f"{short} {also}".strip()
        else:
            waits = f"{name} waits for storage {_percent(share)} of its time{on}"
        if own.primary == TIME:
            begin = waits if share is None else f"{waits} and"
            said = _takes(question, cell, times, f"{begin} takes")
        else:
            said = [f"{waits}."] if share is not None else []
        return " ".join(filter(None, [*said, also, _numbers(own, cell.id)]))


ANALYSIS = CommandAnalysis()


def _noise_of_number(evidence: Evidence) -> Iterator[Finding]:
    """The noise floor of a study is that of its time."""
    own = Command.of(evidence)
    if own is None or own.noise is None:
        return
    is_wide = own.noise > math.log1p(ASKED_PERCENT / 100)
    yield finding(
        "command.own_noise",
        "warning" if is_wide else "note",
        f"In {own.primary}, two equal systems may come out {100 * math.expm1(own.noise):.2g} %"
        " apart. The study's noise floor is that of the program's time, and says nothing of it.",
        "More blocks, or longer runs of the program."
        if is_wide
        else "Judge differences by this one.",
    )


def _left(runs: list[RunRecord]) -> Iterator[Finding]:
    found = [(run, run.command.left) for run in runs if run.command and run.command.left]
    if found:
        names = sorted({name for _, left in found for name in left})
        yield finding(
            "command.left",
            "warning",
            f"The program ended and left processes behind ({listed(names[:3])}) in"
            f" {part_of(len(found), len(runs), 'run')}; they were killed. Its time is that until"
            " its first process ended, not until their work was done.",
            "Have it wait for them, or start a server in workload.prepare: it lasts for the run.",
            [f"{name_of(run)}: {', '.join(left)}" for run, left in found],
        )


def _unread(runs: list[RunRecord]) -> Iterator[Finding]:
    by_name: dict[str, list[tuple[RunRecord, str]]] = defaultdict(list)
    for run in runs:
        for name, why in (run.command.unread if run.command and run.parts else {}).items():
            by_name[name].append((run, why))
    for name, found in by_name.items():
        yield finding(
            "command.unread",
            "warning",
            f'"{name}" could not be read in {part_of(len(found), len(runs), "run")}:'
            f" {found[0][1]}.",
            f"The last lines of its output are in the records. Change the pattern of {name} so that"
            " it matches in one place.",
            [f"{name_of(run)}: {why}" for run, why in found],
        )


class _Made(NamedTuple):
    system: str
    files: int
    size_bytes: int

    def __str__(self) -> str:
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        return f"{files} of {format_size(self.size_bytes)} on {self.system}"


def _prepared_otherwise(evidence: Evidence, runs: list[RunRecord]) -> Iterator[Finding]:
    """Steps that left other files on one system than on another, in the same block."""
    if not evidence.study.study["workload"].get("prepare"):
        return
    places: dict[tuple[int, str], list[_Made]] = defaultdict(list)
    for run in runs:
        if run.command and run.command.found:
            made = _Made(run.system, run.command.found.files, run.command.found.size_bytes)
            places[run.block, run.cell.id].append(made)
    unequal = []
    for (block, cell), of_block in places.items():
        ordered = sorted(of_block, key=lambda each: (each.files, each.size_bytes))
        least, most = ordered[0], ordered[-1]
        if _differ(of_block, 1) or _differ(of_block, 2):
            unequal.append((f"block {block + 1}, {cell}", least, most))
    if unequal:
        _, least, most = unequal[0]
        yield finding(
            "command.prepared_otherwise",
            "warning",
            f"The steps before the program did not make the same in"
            f" {part_of(len(unequal), len(places), 'comparison')}: {least}, {most}. So the program"
            " did not have the same work.",
            "Make steps that give the same files each time: fixed seeds, a fixed revision, no"
            " downloads.",
            [f"{where}: {least}, {most}" for where, least, most in unequal],
        )


def _differ(made: list[_Made], field: int) -> bool:
    numbers = [int(each[field]) for each in made]
    return max(numbers) - min(numbers) > _SAME_SHARE * max(numbers)


_MOST_NUMBERS = 3


def _takes(question: Question, cell: Cell, times: Sequence[Waits], start: str) -> list[str]:
    """How long it takes on each system, and what of it is told from noise."""
    found = comparisons_in(question, cell)
    if found and found[0].n >= BLOCKS_FOR_A_VERDICT:
        return comparing_sentences(question, [cell], start)
    words = [f"{format_duration(round(each.time.value))} on {each.system}" for each in times]
    return [f"{start} {listed(words)}.", *([too_few(found[0].n)] if found else [])]


def _ratio(entry: JudgedRatio) -> str:
    """ "0.95 times, 0.93 to 0.98"; of one that decides nothing, which word the tables have."""
    edges = entry.edges
    if entry.low is None or entry.high is None:
        return "one block decides nothing"
    ratio = f"{factor_words(entry.ratio, edges)} times, {ratio_range(*edges)}"
    return f"{ratio}, {entry.verdict}" if entry.verdict in OPEN else ratio


def _waits_otherwise(shares: Mapping[str, float], first: float | None) -> str:
    """On whom another share of the time is waited than `first`, the baseline's: "On xfs it waits
    60 % of its time and 30 % on btrfs." """
    others = [
        (system, _percent(share))
        for system, share in shares.items()
        if first is None or abs(share - first) > max(0.05, 0.25 * first)
    ]
    said = [f"On {system} it waits {share} of its time" for system, share in others[:1]]
    said += [f"{share} on {system}" for system, share in others[1:]]
    return f"{listed(said)}." if said else ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= SMALL_SHARE else "less than 1 %"


def _numbers(own: Command, cell: str) -> str:
    names = list(dict.fromkeys(each.name for each in own.numbers))
    names.sort(key=lambda name: name != own.primary)
    asked = own.primary not in (TIME, *names)
    lines = [f"Its {own.primary} could not be read in any run."] * asked
    for name in names[:_MOST_NUMBERS]:
        found = [each for each in own.numbers if (each.name, each.cell) == (name, cell)]
        words = [_number(each) for each in found]
        if words:
            lines.append(f"Its {name}: {listed(words)}.")
    return " ".join(lines)


def _number(each: OwnNumberResult) -> str:
    said = f"{figure(each.value.value)} {each.unit}".strip() + f" on {each.system}"
    return said if each.ratio is None else f"{said} ({_ratio(each.ratio)})"
