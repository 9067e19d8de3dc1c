"""What many clients bring to light: work that was not done, times that do not add up.

Nothing here changes or drops a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsgauge.kinds.connections.analysis.little import TOLERANCE_PERCENT, times_of
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.analysis.samples import client_paces
from fsgauge.kinds.connections.analysis.serving_findings import serving_findings
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record import RunRecord
from fsgauge.stats.client_errors import ERROR_WORDS, ErrorRow, GivenUp, clients_of
from fsgauge.stats.evidence import Evidence, count, finding, name_of, part_of
from fsgauge.stats.lost_data import lost_files
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete
from fsgauge.wire import ClientErrorKind, timed_operations

FAIR_SHARE = 0.5
FEWEST_OPERATIONS = 100
"""Operations of a client from which on its pace says more than the luck of single ones."""
LARGEST_LOSS = 0.01
"""Share of a test's files that may be missing before its comparisons mean nothing."""
WITHOUT_SEEKS = ("ram",)

_ADVICE: dict[ClientErrorKind, str] = {
    "no_space": "Write less (--set workload.fill=20%), or give larger storage.",
    "quota": "Raise the quota of the user and directory, or write less (workload.fill).",
    "too_many_open_files": "Raise the limit (ulimit -n), or use fewer clients.",
    "permission_denied": "Run with the rights to write there; see the path's owner and mode.",
    "read_only": "A file system turns read-only after an error: see dmesg.",
    "exists": "Something else writes into the same place, or names collide in this file system.",
    "missing": "Something else removed it while the clients worked: leave the place to the study.",
    "io": "See dmesg and the storage's own log; test the storage alone.",
    "connection_refused": "See that the server runs, its limits of connections and processes, and"
    " net.core.somaxconn.",
    "connection_lost": "The server's log says why it dropped sessions; see whether it died.",
    "timed_out": "See the server's load, its storage, and the network.",
    "login_refused": "See the user, the password and the server's limit of sessions.",
    "protocol": "Try another version (access.smb_dialect), and see the server's log.",
    "other": "The first error's words are beside it; see dmesg.",
}
# Of files that were written whole, lost_data.py says it.
_KNOWN_SHORT = "files that clients had given up while they wrote them end early"
_KNOWN_SHORT_ADVICE = (
    "That follows from the errors of writing in the same turns: remove their cause. Nothing was"
    " lost that had been written whole."
)


def connections_findings(evidence: Evidence) -> Iterator[Finding]:
    """All findings about many clients."""
    connections = Connections.of(evidence)
    if connections is None:
        return
    yield from _given_up(evidence, connections)
    yield from _errors(evidence, connections)
    yield from _cut(evidence)
    yield from _times_do_not_add_up(evidence)
    yield from _unfair(evidence)
    yield from _scans(evidence, connections)
    yield from _without_seeks(evidence)
    yield from _dispatch(connections)
    yield from serving_findings(evidence)


def _given_up(evidence: Evidence, connections: Connections) -> Iterator[Finding]:
    """Systems that did not do the same work are not comparable."""
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    primary = set(evidence.samples.plan.primary) or set(names)
    primary |= {cell for cell, name in names.items() if name in primary}
    lost = [entry for entry in connections.given_up if entry.files or entry.clients]
    if not lost:
        return
    grave = [entry for entry in lost if entry.cell in primary and _loss(entry) > LARGEST_LOSS]
    worst = max(grave or lost, key=_loss)
    gave_up = [entry for entry in lost if entry.clients]
    clients = sum(entry.clients for entry in gave_up)
    told = f" {count(clients, 'client')} gave up altogether." if clients else ""
    many = len(evidence.study.plan.systems) > 1
    yield finding(
        "clients.gave_up",
        "invalid" if grave else "warning",
        f"{worst.system} did not do all of its work: in {names[worst.cell]}"
        f" {worst.files} of {worst.of_files} files were given up."
        + told
        + (" Systems that did different work cannot be compared." if many and grave else ""),
        "The errors below say why. Remove the cause and repeat; until then read the numbers of"
        " this test as those of less work.",
        [
            f"{entry.system}, {names[entry.cell]}: {entry.files} of {entry.of_files} files,"
            f" {entry.clients} of {entry.of_clients} clients"
            for entry in lost
        ],
    )


def _loss(entry: GivenUp) -> float:
    return entry.files / entry.of_files if entry.of_files else 1.0


def _errors(evidence: Evidence, connections: Connections) -> Iterator[Finding]:
    """One finding a kind: what, how many, where first, what to do; lost data is said elsewhere."""
    names = {cell.id: cell.name for cell in evidence.study.plan.cells}
    by_kind: dict[ClientErrorKind, list[ErrorRow]] = {}
    for row in _not_lost(connections.errors, evidence):
        by_kind.setdefault(row.kind, []).append(row)
    for kind, rows in by_kind.items():
        first = rows[0]
        known = kind == "short"
        why = _KNOWN_SHORT if known else ERROR_WORDS[kind]
        total = sum(row.count for row in rows)
        operations = ", ".join(dict.fromkeys(row.operation for row in rows))
        yield finding(
            f"clients.{kind}",
            "warning",
            f"{count(total, 'operation')} failed because {why} ({operations}); first"
            f" {first.system}, {names[first.cell]}: {first.first_path}, {first.message}.",
            _KNOWN_SHORT_ADVICE if known else _ADVICE[kind],
            [
                f"{row.system}, {names[row.cell]}: {row.operation} {row.count} times in"
                f" {count(row.runs, 'run')}; first {row.first_path}"
                for row in rows
            ],
        )


def _not_lost(rows: Sequence[ErrorRow], evidence: Evidence) -> Iterator[ErrorRow]:
    """The errors that no finding about lost files counts already."""
    lost: dict[tuple[str, str, str, str], int] = {}
    for run, error in lost_files(evidence.runs):
        key = (run.cell.id, run.system, error.operation, error.kind)
        lost[key] = lost.get(key, 0) + error.count
    for row in rows:
        rest = row.count - lost.get((row.cell, row.system, row.operation, row.kind), 0)
        if rest:
            yield row.model_copy(update={"count": rest})


def _cut(evidence: Evidence) -> Iterator[Finding]:
    """Runs that their time ended before the clients were through."""
    made = [
        (run, found)
        for run, found in clients_of(evidence.runs)
        if ConnectionsFactors.of(run.cell).test != "mix"
    ]
    cut = [run for run, _ in made if run.result is not None and run.result.ended == "duration"]
    if cut:
        yield finding(
            "clients.cut",
            "warning",
            f"In {part_of(len(cut), len(made), 'run')} the time limit came before all clients had"
            " finished, so there is no completion time, and rates cover only the part that was"
            " done.",
            "A longer workload.time_limit, or fewer files (workload.fill).",
            [name_of(run) for run in cut],
        )


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
        yield finding(
            "clients.little",
            "warning",
            f"In {part_of(len(wrong), len(judged), 'run')} clients, throughput and response do not"
            f" fit together (N = X (R + Z)): up to {abs(times.difference_percent):.1f} % of the"
            f" clients' time is in {_where(times.difference_percent)}, {name_of(run)}.",
            "Means of these runs are off by about as much. Report this with the records: an honest"
            " run cannot do it.",
            [f"{name_of(run)}: {times.difference_percent:+.1f} %" for run, times in wrong],
        )


def _where(difference_percent: float) -> str:
    return "two latencies" if difference_percent > 0 else "no latency"


def _unfair(evidence: Evidence) -> Iterator[Finding]:
    """Runs in which one client was held back: under half of the clients' mean pace."""
    shares = [
        (run, found[0])
        for run, _ in clients_of(evidence.runs)
        if is_complete(run) and _are_many(run) and (found := client_paces(run))
    ]
    unfair = [(run, share) for run, share in shares if share < FAIR_SHARE]
    if unfair:
        run, share = min(unfair, key=lambda pair: pair[1])
        yield finding(
            "clients.unfair",
            "warning",
            f"In {part_of(len(unfair), len(shares), 'run')} the slowest client ran at less"
            f" than half of the clients' mean pace, at worst {100 * share:.0f} %: {run.system},"
            f" {run.cell.name}.",
            "Averages hide that one client waits: read p99 and the spread of clients.",
            [
                f"{name_of(run)}: slowest client {100 * share:.0f} % of the mean"
                for run, share in unfair
            ],
        )


def _are_many(run: RunRecord) -> bool:
    if run.result is None:
        return False
    return timed_operations(run.result) >= FEWEST_OPERATIONS * len(run.result.jobs)


def _scans(evidence: Evidence, connections: Connections) -> Iterator[Finding]:
    """Extents that are missing in the tables, with the reason."""
    after_cells = [scan for scan in evidence.scans if scan.when == "after cell"]
    failed = [scan for scan in after_cells if scan.result is None]
    if failed:
        fault = next(scan.fault for scan in failed if scan.fault is not None)
        yield finding(
            "clients.scans",
            "warning",
            f"{count(len(failed), 'scan')} of what a test wrote failed, so those turns are not in"
            f" the extents: {fault.what}.",
            "; ".join(part for part in (fault.cause, fault.next) if part),
            [f"block {scan.block + 1}, {scan.system}, {scan.cell}" for scan in failed],
        )
    elif after_cells and connections.without_extents:
        systems = ", ".join(connections.without_extents)
        yield finding(
            "clients.without_extents",
            "note",
            f"{systems}: the extents of files cannot be read, so the tables have none.",
            "tmpfs and file systems on other machines have no extents that can be asked for.",
        )


def _without_seeks(evidence: Evidence) -> Iterator[Finding]:
    """On memory, fragments cost nothing to reach."""
    backups = any(
        ConnectionsFactors.of(cell).test in ("backup", "read") for cell in evidence.study.plan.cells
    )
    if evidence.before.storage.kind in WITHOUT_SEEKS and backups:
        yield finding(
            "clients.no_seeks",
            "note",
            "The storage is memory, where a file in many pieces is read about as fast as one in a"
            " single piece: ratios of read and backup say little about disks.",
            "Use --storage with a device to see what fragments cost; extents a file hold anywhere.",
        )


def _dispatch(connections: Connections) -> Iterator[Finding]:
    """How clients were carried, and which calls were plain for what reason."""
    if len(connections.dispatch) > 1:
        yield finding(
            "clients.dispatches_differ",
            "invalid",
            f"Runs had different dispatch models ({' and '.join(connections.dispatch)}), whose"
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
        f"{how}. It changes create and write times several times over, so compare only studies of"
        " one dispatch." + (f" Plain calls: {'; '.join(why)}." if why else ""),
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
