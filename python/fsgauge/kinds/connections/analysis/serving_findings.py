"""Findings about servers: connections refused or lost, deaths, the cost of sampling memory."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.kinds.connections.analysis.model import Connections, Serving
from fsgauge.kinds.connections.analysis.serving import refused_of
from fsgauge.stats.evidence import Evidence, count, finding, name_of
from fsgauge.stats.results import Finding

SLOW_SAMPLING = 0.05


def serving_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about servers and connections."""
    connections = Connections.of(evidence)
    if connections is None or connections.serving is None:
        return
    serving = connections.serving
    yield from _restarts(evidence, serving)
    yield from _overflows(evidence, serving)
    yield from _reconnections(evidence, serving)
    yield from _caches(serving)
    if serving.sampling_share is not None and serving.sampling_share > SLOW_SAMPLING:
        yield finding(
            "server.sampling",
            "note",
            f"Reading the server's memory took up to {100 * serving.sampling_share:.0f} % of a"
            " run's time on one processor: short runs with many processes are a little slower.",
            "A longer test, with more files.",
        )


def _restarts(evidence: Evidence, serving: Serving) -> Iterator[Finding]:
    died = [use for use in serving.use if use.restarts]
    if died:
        total = sum(use.restarts for use in died)
        yield finding(
            "server.died",
            "warning",
            f"The server exited or was killed {count(total, 'time')} during the runs and was"
            f" started again; first {died[0].system}. Clients reconnected.",
            "The times of these runs include the outage. The server's CPU time is unknown there.",
            [
                f"{name_of(run)}: {count(run.server.restarts, 'restart')}"
                for run in evidence.runs
                if run.server is not None and run.server.restarts
            ],
        )


def _overflows(evidence: Evidence, serving: Serving) -> Iterator[Finding]:
    full = [use for use in serving.use if use.listen_overflows]
    if full:
        total = sum(use.listen_overflows or 0 for use in full)
        yield finding(
            "server.listen_overflows",
            "warning",
            f"The kernel refused {count(total, 'connection')} because a listen queue was full;"
            f" first {full[0].system}.",
            "Clients tried again after a second or more. That wait counts as connecting time, not"
            " as operation time. Raise net.core.somaxconn if it is below the server's backlog.",
            [
                f"{name_of(run)}: {refused_of(run.server)}"
                for run in evidence.runs
                if run.server is not None and refused_of(run.server)
            ],
        )


def _reconnections(evidence: Evidence, serving: Serving) -> Iterator[Finding]:
    lost = [use for use in serving.connections if use.reconnections]
    if lost:
        total = sum(use.reconnections for use in lost)
        yield finding(
            "clients.reconnected",
            "warning",
            f"Clients lost their connection and made a new one {count(total, 'time')}; first"
            f" {lost[0].system}.",
            "Files that were open at the time were given up. The server's log says why it dropped"
            " the connections.",
            [
                f"{name_of(run)}: {run.result.clients.network.reconnections}"
                for run in evidence.runs
                if run.result
                and run.result.clients
                and run.result.clients.network
                and run.result.clients.network.reconnections
            ],
        )


def _caches(serving: Serving) -> Iterator[Finding]:
    words = " Extents cannot be counted there." if serving.without_extents else ""
    yield finding(
        "server.records",
        "note",
        "Clients cache nothing: every record is a request. Desktop clients that hold an oplock or"
        f" a delegation would send fewer.{words}",
        "",
    )
