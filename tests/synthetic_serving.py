"""Records of a study through a private server that never ran, with planted costs.

Every operation takes `times` as long through the server as over the path; the server uses
`processor_ns` for each operation of the clients, and SESSION_NS for a session.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fsgauge.engine.wire import ClientsJob, FilePassword, NetworkResult, NfsTarget, SmbTarget
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.parts import ServerFacts, ServerRun
from fsgauge.record.records import RunRecord, Turn
from tests.synthetic import SyntheticStudy
from tests.synthetic.setting import with_result
from tests.synthetic_connections import gain, make_connections

SESSION_NS = 6_000_000
PLACE = "/run/fsgauge-0123456789ab-server-samba/0"
FACTS = ServerFacts(
    name="Samba",
    version="4.17.12",
    protocol="SMB",
    user="nobody",
    options={},
    configuration=["[global]"],
    command=["smbd", "-F"],
    ready_ns=200_000_000,
    listen_backlog=50,
    somaxconn=4096,
    syn_backlog=2048,
)
TARGET = SmbTarget(
    host="127.0.0.1",
    port=44_551,
    share="fsgauge",
    directory="files",
    user="nobody",
    password=FilePassword(path=f"{PLACE}/password"),
)

NFS_TARGET = NfsTarget(
    host="127.0.0.1",
    port=44_552,
    mount_port=44_553,
    export="/fsgauge",
    directory="files",
    user_id=0,
    group_id=0,
)


def make_serving(
    *,
    times: float = 4.0,
    processor_ns: int = 50_000,
    restarts: int = 0,
    drops: int = 0,
    reconnections: int = 0,
    target: SmbTarget | NfsTarget = TARGET,
    fsync: bool = False,
    **changes: Any,
) -> SyntheticStudy:
    """Records of one study; `changes` are those of `make_connections`."""
    recipe: dict[str, Any] = {"clients": 12, "blocks": 3, "tests": ("write", "read"), **changes}
    made = make_connections(**recipe)
    fast = make_connections(**recipe, gain=lambda system, cell: times * gain(system, cell))
    first = max(turn.turn for turn in made.study.plan.turns) + 1
    numbers = {name: first + index for index, name in enumerate(made.study.plan.systems)}
    paths = [
        run.model_copy(update={"turn": numbers[run.system], "over_path": True})
        for run in fast.runs
        if not run.again
    ]
    turns = [
        Turn(
            block=turn.block,
            turn=numbers[turn.system],
            system=turn.system,
            again=False,
            cells=turn.cells,
            over_path=True,
        )
        for turn in made.study.plan.turns
        if not turn.again
    ]
    plan = made.study.plan
    planned = sorted([*plan.turns, *turns], key=lambda turn: (turn.block, turn.turn))
    used = {"restarts": restarts, "listen_drops": drops}
    return replace(
        made,
        study=made.study.model_copy(update={"plan": plan.model_copy(update={"turns": planned})}),
        turns=[turn.model_copy(update={"server": FACTS}) for turn in made.turns],
        runs=[
            _through(_served(run, processor_ns, reconnections, used), target, fsync)
            for run in made.runs
        ],
        path_runs=paths,
    )


def _served(
    run: RunRecord, processor_ns: int, reconnections: int, used: dict[str, int]
) -> RunRecord:
    assert isinstance(run.job, ClientsJob) and run.result and run.result.clients
    clients = run.result.clients
    operations = sum(part.operations for part in clients.operations)
    network = NetworkResult(
        protocol="SMB 3.0.2, unsigned",
        connections=12,
        reconnections=reconnections,
        null_operation_ns=40_000,
        sent_bytes=1 << 20,
        received_bytes=1 << 19,
    )
    server = ServerRun(
        user_ns=processor_ns * operations // 4,
        system_ns=processor_ns * operations - processor_ns * operations // 4,
        connecting_ns=SESSION_NS * ConnectionsFactors.of(run.cell).clients,
        tick_ns=10_000_000,
        processes=15,
        memory_bytes=12 << 20,
        memory_processes=15,
        memory_samples=1,
        sampling_ns=1_000_000,
        listen_overflows=7,
        **used,
    )
    result = run.result.model_copy(
        update={"clients": clients.model_copy(update={"network": network})}
    )
    return with_result(run, result).model_copy(update={"server": server})


def _through(run: RunRecord, target: SmbTarget | NfsTarget, fsync: bool) -> RunRecord:
    assert isinstance(run.job, ClientsJob)
    job = run.job.model_copy(update={"target": target, "fsync": fsync})
    return run.model_copy(update={"job": job})
