"""From records of runs through servers to `Serving`; None where clients worked on paths alone.
Times over paths come from turns of their own in the same blocks. They are in no other number."""

from __future__ import annotations

import statistics
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import get_args

from fsgauge.engine.wire import ClientOperation, ClientsJob, NetworkResult
from fsgauge.kinds.connections.analysis.model import (
    ConnectionUse,
    OperationShare,
    ServerUse,
    Serving,
)
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.parts import ServerRun
from fsgauge.record.records import Plan, RunRecord, TurnRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.estimate import Estimate, over
from fsgauge.stats.histogram import mean_ns
from fsgauge.stats.samples import Samples

_OPERATIONS: tuple[str, ...] = get_args(ClientOperation)
_PROCESSOR, _BUSY, _SESSION = "processor", "busy", "session"
_CONNECT, _CONNECT_ALL = "connect", "connect_all"


def read_serving(material: Material) -> Serving | None:
    """Counters of servers and their clients; None where no system is reached through one."""
    # A backup may be read over the path.
    study, runs = material.samples, [run for run in material.runs if _is_remote(run)]
    if not runs:
        return None
    plan, turns = material.whole_plan, material.turns
    samples = study.beside(plan).put_runs(runs, _values)
    beside = plan.model_copy(update={"turns": [turn for turn in plan.turns if turn.over_path]})
    paths = study.beside(beside).put_runs(material.path_runs, _values)
    samples.plan = plan.model_copy(
        update={"turns": [turn for turn in plan.turns if not turn.over_path]}
    )
    names = {turn.system: turn.server.name for turn in turns if turn.server}
    use = (_use(samples, runs, *place) for place in plan.places)
    connections = (_connections(samples, runs, *place) for place in plan.places)
    return Serving(
        servers=list(dict.fromkeys(_server_words(turn) for turn in turns if turn.server)),
        settings=_settings(runs),
        use=[each for each in use if each is not None],
        shares=list(_shares(plan, samples, paths, _durable_when_closed(runs), names)),
        connections=[each for each in connections if each is not None],
        without_extents=all(turn.target.get("kind") == "share_folders" for turn in turns),
        sampling_share=_sampling_share(runs),
    )


def _is_remote(run: RunRecord) -> bool:
    return isinstance(run.job, ClientsJob) and run.job.target.kind in ("smb", "nfs")


def _values(run: RunRecord) -> Iterator[tuple[str, float]]:
    """Mean responses, and what the server used for each operation."""
    clients = run.result.clients if run.result else None
    if clients is None:
        return
    for part in clients.operations:
        mean = mean_ns(part.response_latency)
        if mean:
            yield part.operation, mean
    if clients.connect_ns:
        yield _CONNECT_ALL, clients.connect_ns
    if run.server and run.server.connecting_ns:
        yield _SESSION, run.server.connecting_ns / ConnectionsFactors.of(run.cell).clients
    used = _processor_ns(run.server) if run.server else None
    operations = sum(part.operations for part in clients.operations if part.operation != _CONNECT)
    if used and operations:
        yield _PROCESSOR, used / operations
        if run.result and run.result.elapsed_ns:
            yield _BUSY, used / run.result.elapsed_ns


def _processor_ns(used: ServerRun) -> int | None:
    if used.user_ns is None or used.system_ns is None:
        return None
    return used.user_ns + used.system_ns


def refused_of(used: ServerRun) -> int | None:
    """By the server's own socket, or else by any of the machine."""
    return used.listen_overflows if used.listen_drops is None else used.listen_drops


def _of(runs: Sequence[RunRecord], cell: str, system: str) -> list[RunRecord]:
    return [run for run in runs if (run.cell.id, run.system) == (cell, system)]


def _use(samples: Samples, runs: Sequence[RunRecord], cell: str, system: str) -> ServerUse | None:
    found = [run.server for run in _of(runs, cell, system) if run.server is not None]
    if not found:
        return None
    largest = max(found, key=lambda used: used.memory_bytes or 0)
    overflows = [refused for used in found if (refused := refused_of(used)) is not None]
    return ServerUse(
        cell=cell,
        system=system,
        runs=len(found),
        processor_ns=samples.number(_PROCESSOR, cell, system),
        busy=samples.number(_BUSY, cell, system),
        session_ns=samples.number(_SESSION, cell, system),
        memory_bytes=largest.memory_bytes,
        memory_processes=largest.memory_processes,
        processes=max(used.processes for used in found),
        listen_overflows=sum(overflows) if overflows else None,
        restarts=sum(used.restarts for used in found),
    )


def _durable_when_closed(runs: Sequence[RunRecord]) -> set[tuple[str, str]]:
    """Cells and systems whose clients write files that closing syncs, without being asked to. An
    NFS client sends COMMIT before close returns (RFC 1813, 4.11); close on a path syncs nothing."""
    return {
        (run.cell.id, run.system)
        for run in runs
        if isinstance(run.job, ClientsJob)
        and run.job.target.kind == "nfs"
        and run.job.phase.kind in ("write", "mix")
        and not run.job.fsync
    }


def _shares(
    plan: Plan,
    samples: Samples,
    paths: Samples,
    durable: Container[tuple[str, str]],
    names: Mapping[str, str],
) -> Iterator[OperationShare]:
    for cell, system in plan.places:
        for operation in _OPERATIONS:
            served = samples.block_logs(operation, cell, system)
            path = paths.block_logs(operation, cell, system)
            part = samples.over_blocks(over(path, served))
            of_served, of_path = samples.over_blocks(served), samples.over_blocks(path)
            if operation == "connect" or not (part and of_served and of_path):
                continue
            yield OperationShare(
                cell=cell,
                system=system,
                server=names.get(system, "the server"),
                operation=operation,
                served_ns=of_served,
                path_ns=of_path,
                share=None if operation == "close" and (cell, system) in durable else _rest(part),
            )


def _rest(part: Estimate) -> Estimate:
    """What is left of 1; the ends of the interval change places."""
    return Estimate(
        value=1 - part.value,
        low=None if part.high is None else 1 - part.high,
        high=None if part.low is None else 1 - part.low,
        n=part.n,
    )


def _connections(
    samples: Samples, runs: Sequence[RunRecord], cell: str, system: str
) -> ConnectionUse | None:
    found: list[NetworkResult] = [
        run.result.clients.network
        for run in _of(runs, cell, system)
        if run.result and run.result.clients and run.result.clients.network
    ]
    if not found:
        return None
    return ConnectionUse(
        cell=cell,
        system=system,
        runs=len(found),
        protocol=" and ".join(sorted({each.protocol for each in found})),
        connections=max(each.connections for each in found),
        reconnections=sum(each.reconnections for each in found),
        null_operation_ns=int(statistics.median(each.null_operation_ns for each in found)),
        sent_bytes=sum(each.sent_bytes for each in found),
        received_bytes=sum(each.received_bytes for each in found),
        connect_ns=samples.number("connect", cell, system),
        connect_all_ns=samples.number(_CONNECT_ALL, cell, system),
    )


def _server_words(turn: TurnRecord) -> str:
    """ "Samba 4.17.12 (SMB), clients work as nobody, listen backlog 50 (somaxconn 4096)"."""
    server = turn.server
    if server is None:
        return ""
    words = f"{server.name} {server.version} ({server.protocol}), clients work as {server.user}"
    if server.listen_backlog is not None:
        words += f", listen backlog {server.listen_backlog}"
        if server.somaxconn is not None:
            words += f" (net.core.somaxconn {server.somaxconn})"
    if server.options:
        options = ", ".join(f"{name} = {value}" for name, value in server.options.items())
        words += f"; {turn.system}: {options}"
    return words


def _settings(runs: Sequence[RunRecord]) -> list[str]:
    """How clients spoke, a sentence for each way."""
    found = []
    for run in runs:
        target = run.job.target if isinstance(run.job, ClientsJob) else None
        if target is None:
            continue
        if target.kind == "smb":
            words = [
                f"SMB {target.dialect}",
                "signed" if target.signing else "not signed",
                "encrypted" if target.encryption else "not encrypted",
                "with oplocks" if target.oplocks else "without oplocks",
            ]
            found.append(", ".join(words))
        elif target.kind == "nfs":
            found.append("NFS version 3")
    return list(dict.fromkeys(found))


def _sampling_share(runs: Sequence[RunRecord]) -> float | None:
    """The largest share of a run's time that reading the server's memory took."""
    shares = [
        run.server.sampling_ns / run.result.elapsed_ns
        for run in runs
        if run.server is not None and run.result is not None and run.result.elapsed_ns
    ]
    return max(shares, default=None)
