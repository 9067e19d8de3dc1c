"""What statistics say of a program: its time, what it waits for, then its own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from fsgauge.kinds.command.analysis.findings import of_runs
from fsgauge.kinds.command.analysis.model import TIME, Command
from fsgauge.kinds.command.analysis.numbers import noise_of, numbers_of, waits_of
from fsgauge.kinds.command.analysis.sentences import answer
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Finding


class CommandAnalysis(Analysis):
    """Judged by the time to its end, or by one of the numbers that it prints."""

    own: ClassVar = Command

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """A program is compared by the time it takes."""
        return "complete"

    def read(self, material: Material) -> Command | None:
        """Times, waits and the program's own numbers; None if no run completed."""
        waits = waits_of(material)
        if not waits:
            return None
        workload = material.study.study["workload"]
        numbers = numbers_of(material, workload.get("number", []))
        primary = workload.get("primary", TIME)
        noise = noise_of(material, primary) if primary != TIME else None
        return Command(primary=primary, noise=noise, waits=waits, numbers=numbers)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """What it left behind, what could not be read, and steps that did not do the same."""
        return of_runs(evidence)

    def answer(self, question: Question) -> str | None:
        """The time on each system, what share of it is storage, its own numbers."""
        return answer(question)


ANALYSIS = CommandAnalysis()
