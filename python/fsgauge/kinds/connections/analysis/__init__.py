"""What statistics say of many clients: beside the metrics, what only a study `connections` has."""

from __future__ import annotations

from collections.abc import Iterable

from fsgauge.kinds.connections.analysis.answer import connections_answer
from fsgauge.kinds.connections.analysis.findings import connections_findings
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.analysis.read import read_connections
from fsgauge.kinds.connections.analysis.serving import read_serving
from fsgauge.record import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import Question, comparisons_in, noise_alone
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.results import Finding

COUNTED_IN_FILES = ("mix", "stat", "delete")
"""Tests that are judged by files per second; in the others all systems move the same bytes."""


class ConnectionsAnalysis(Analysis):
    """Operations, shares, extents and servers of many clients."""

    own = Connections

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002
        """Bytes per second where all move the same bytes, else files per second."""
        return "files" if cell.test in COUNTED_IN_FILES else "bandwidth"

    def read(self, material: Material) -> Connections:
        """All that only many clients have."""
        serving = read_serving(
            material.whole_plan, material.turns, material.runs, material.path_runs
        )
        return read_connections(
            material.study.plan,
            material.runs,
            material.scans,
            material.equivalence_percent,
            serving,
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Work that was not done, times that do not add up."""
        return connections_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """What another system changes, test by test; what failed with it."""
        connections = Connections.of(question)
        if connections is None:
            return None
        if not question.others:
            return noise_alone(question) + _failed(connections)
        if question.blocks_complete == 0:
            return None
        found = [entry for cell in question.primary for entry in comparisons_in(question, cell)]
        said = connections_answer(connections, question.baseline, question.primary, found)
        return said + _failed(connections)


def _failed(connections: Connections) -> str:
    """A sentence about operations that failed, with a space before it; "" without any."""
    count = sum(row.count for row in connections.errors)
    if not count:
        return ""
    return f" {count:,} operation{'s' if count > 1 else ''} failed: look at the errors first."


ANALYSIS = ConnectionsAnalysis()
