"""Findings about many clients and their servers: work not done, times that do not add up. Nothing
here changes or drops a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsgauge.kinds.connections.analysis.little import TOLERANCE_PERCENT, times_of
from fsgauge.kinds.connections.analysis.model import Connections, Serving
from fsgauge.kinds.connections.analysis.serving import refused_of
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import RunRecord
from fsgauge.stats.client_errors import unfinished_work
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.storage_findings import failed_scans, no_seeks

WITHOUT_SEEKS = ("ram",)


def connections_findings(evidence: Evidence) -> Iterator[Finding]:
    connections = Connections.within(evidence)
    yield from unfinished_work(
        evidence,
        "A longer workload.time_limit, or fewer files (workload.fill).",
        lambda run: ConnectionsFactors.of(run.cell).test != "mix",
    )
    yield from _times_do_not_add_up(evidence)
    yield from failed_scans(evidence, "the tables of extents leave out those turns")
    after_cells = [scan for scan in evidence.scans if scan.when == "after cell"]
    whole = bool(after_cells) and all(scan.result is not None for scan in after_cells)
    if whole and connections.without_extents:
        yield from _without_extents(connections)
    tests = {ConnectionsFactors.of(cell).test for cell in evidence.study.plan.cells}
    if evidence.before.storage.kind in WITHOUT_SEEKS and tests & {"backup", "read"}:
        yield no_seeks(
            "The storage is memory, where a file in many pieces reads about as fast as one in a"
            " single piece. Ratios of read and backup say little about disks.",
            "Use --storage with a device to see what fragments cost. Extents per file hold"
            " anywhere.",
        )
    if evidence.before.load.simulation is None:
        yield from _dispatch(connections)
    if connections.serving is not None:
        yield from _serving_findings(evidence, connections.serving)


def _times_do_not_add_up(evidence: Evidence) -> Iterator[Finding]:
    """N = X (R + Z) has to hold in each run without errors."""
    judged = [
        (run, times)
        for run in evidence.runs
        if (times := times_of(run)) is not None and not times.with_errors
    ]
    wrong = [
        (run, times) for run, times in judged if abs(times.difference_percent) > TOLERANCE_PERCENT
    ]
    if wrong:
        run, times = max(wrong, key=lambda pair: abs(pair[1].difference_percent))
        where = "two latencies" if times.difference_percent > 0 else "no latency"
        yield finding(
            "clients.little",
            "warning",
            f"In {part_of(len(wrong), len(judged), 'run')} clients, throughput and response time do"
            f" not add up (N = X (R + Z)): up to {abs(times.difference_percent):.1f} % of the"
            f" clients' time is in {where}, {name_of(run)}.",
            "Means of these runs are off by about as much. This is a bug of fsgauge: report it with"
            " the records.",
            [f"{name_of(run)}: {times.difference_percent:+.1f} %" for run, times in wrong],
        )


def _without_extents(connections: Connections) -> Iterator[Finding]:
    yield finding(
        "clients.without_extents",
        "note",
        f"{', '.join(connections.without_extents)}: the extents of files cannot be read, so the"
        " tables have none.",
        "tmpfs and file systems on other machines do not report extents.",
    )


def _dispatch(connections: Connections) -> Iterator[Finding]:
    """How clients were carried, and which calls were plain for what reason."""
    if len(connections.dispatch) > 1:
        yield finding(
            "clients.dispatches_differ",
            "invalid",
            f"Runs had different dispatch models ({' and '.join(connections.dispatch)}). Their"
            " times cannot be compared.",
            "Repeat the study with one workload.dispatch.",
        )
    if not connections.dispatch:
        return
    how = carried(connections)
    reasons: dict[str, list[str]] = {}
    for row in connections.calls:
        if row.reason:
            reasons.setdefault(row.reason, []).append(f"{row.operation} by {row.call}")
    why = [f"{', '.join(calls)}: {reason}" for reason, calls in reasons.items()]
    yield finding(
        "clients.dispatch",
        "note",
        f"{how}. That changes create and write times several times over: compare only studies"
        " with the same dispatch." + (f" Plain calls: {'; '.join(why)}." if why else ""),
        "",
    )


def carried(connections: Connections) -> str:
    """ "590 clients on 2 event loops", "590 clients, a thread each"."""
    clients = count(connections.clients, "client")
    if connections.dispatch == ["threads"]:
        return f"{clients}, a thread each"
    loops = connections.threads or [1]
    number = str(loops[0]) if len(loops) == 1 else f"{min(loops)} to {max(loops)}"
    return f"{clients} on {number} event loop{'' if loops == [1] else 's'}"


SLOW_SAMPLING = 0.05


def _serving_findings(evidence: Evidence, serving: Serving) -> Iterator[Finding]:
    servers = [(run, run.server) for run in evidence.runs if run.server is not None]
    networks = [
        (run, run.result.clients.network)
        for run in evidence.runs
        if run.result and run.result.clients and run.result.clients.network
    ]
    yield from _counted(
        "server.died",
        [(run, server.restarts) for run, server in servers],
        "The server exited or was killed {} during the runs and was started again; first {}."
        " Clients reconnected.",
        "time",
        "The times of these runs include the outage. The server's CPU time is unknown there.",
    )
    yield from _counted(
        "server.listen_overflows",
        [(run, refused_of(server)) for run, server in servers],
        "The kernel refused {} because a listen queue was full; first {}.",
        "connection",
        "Clients tried again after a second or more. That wait counts as connecting time, not as"
        " operation time. Raise net.core.somaxconn if it is below the server's backlog.",
    )
    yield from _counted(
        "clients.reconnected",
        [(run, network.reconnections) for run, network in networks],
        "Clients lost their connection and made a new one {}; first {}.",
        "time",
        "Files that were open at the time were given up. The server's log says why it dropped the"
        " connections.",
    )
    words = " Extents cannot be counted there." if serving.without_extents else ""
    yield finding(
        "server.records",
        "note",
        "Clients cache nothing: every record is a request. Desktop clients that hold an oplock or"
        f" a delegation would send fewer.{words}",
        "",
    )
    if serving.sampling_share is not None and serving.sampling_share > SLOW_SAMPLING:
        yield finding(
            "server.sampling",
            "note",
            f"Reading the server's memory took up to {100 * serving.sampling_share:.0f} % of a"
            " run's time on one processor: short runs with many processes are a little slower.",
            "A longer test, with more files.",
        )


def _counted(
    code: str,
    found: Iterable[tuple[RunRecord, int | None]],
    sentence: str,
    noun: str,
    advice: str,
) -> Iterator[Finding]:
    """What happened in some runs: `sentence` has room for how often, and for the first system."""
    some = [(run, number) for run, number in found if number]
    if some:
        total = count(sum(number for _, number in some), noun)
        where = [f"{name_of(run)}: {number}" for run, number in some]
        yield finding(code, "warning", sentence.format(total, some[0][0].system), advice, where)
