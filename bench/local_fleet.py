"""A fleet of processes of this machine with the real engine: starts, losses, a load dealt out.

Everything lies in a folder in memory, and nothing may be left in it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fsgauge.plan.turns import with_seed
from fsgauge.progress import Progress
from fsgauge.record.parts import skew_bound_ns
from fsgauge.record.records import RunRecord
from fsgauge.rig.fleet.block import BlockOverHosts
from fsgauge.rig.fleet.rig import FleetRig
from fsgauge.rig.fleet.session import FleetSession
from fsgauge.rig.registry import rig_named
from fsgauge.rig.rig import FleetChoice, Rig
from fsgauge.run import run_study
from fsgauge.store import read_results
from fsgauge.study.parse import load_study
from side_by_side import Failed

_MEMORY = "/dev/shm"
_LOAD = [
    *("storage.size=16MiB", "workload.duration=1s", "workload.warm_up=100ms"),
    *('workload.patterns=["randread"]', "workload.queue_depths=[1]", "workload.direct=false"),
    'workload.block_sizes=["4KiB"]',
]
CLIENTS = 590
_CLIENTS_LOAD = [
    *("storage.size=512MiB", f"workload.clients=[{CLIENTS}]", 'workload.tests=["write"]'),
    *("workload.files_per_connection=2", "plan.blocks=2"),
]


@contextmanager
def place() -> Iterator[Path]:
    """A folder in memory; Failed where a study has left something in it."""
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-", dir=_MEMORY) as scratch:
        folder = Path(scratch)
        (folder / "disk").mkdir()
        os.environ["FSGAUGE_STATE"] = str(folder / "state")
        os.environ["FSGAUGE_KEEP_CACHES"] = "1"
        yield folder
        left = list((folder / "disk").iterdir())
        if left:
            raise Failed(f"left behind: {', '.join(map(str, left))}")


def fleet_of(folder: Path, hosts: int) -> FleetRig:
    """So many hosts, each a process of this machine, on one folder."""
    names = [f'[[host]]\nname = "h{number}"\n' for number in range(hosts)]
    path = folder / "hosts.toml"
    path.write_text('launcher = "local"\n' + "".join(names))
    return FleetRig(FleetChoice(hosts=path))


def runs_of(rig: Rig, folder: Path, kind: str, changes: list[str]) -> list[RunRecord]:
    """The records of one study on the folder."""
    study = with_seed(load_study(kind, changes, ["mounted"], f"path:{folder / 'disk'}"), 7)
    outcome = run_study(
        study,
        rig=rig,
        results=folder / "results",
        destroy=None,
        command=["fsgauge"],
        progress=Progress(),
    )
    if outcome.ended_by is not None:
        raise outcome.ended_by
    return list(read_results(outcome.directory).runs)


def skew_bounds_ms(hosts: int, blocks: int) -> list[float]:
    """How far apart hosts can have begun each run, the clocks' error included."""
    with place() as folder:
        rig = fleet_of(folder, hosts)
        runs = runs_of(rig, folder, "overhead", [*_LOAD, f"plan.blocks={blocks}"])
    return [skew_bound_ns(run.starts) / 1e6 for run in runs]


def seconds_until_seen(signal_number: int, times: int) -> list[float]:
    """From when a host is killed, or stopped, to when the coordinator knows that it is lost."""
    with place() as folder:
        rig = fleet_of(folder, 2)
        with _striking(signal_number, times) as seen:
            runs_of(rig, folder, "overhead", [*_LOAD, f"plan.blocks={times}"])
    return seen


@contextmanager
def _striking(signal_number: int, times: int) -> Iterator[list[float]]:
    """Have the second host get a signal under the first load of each block."""
    struck: list[float] = []
    seen: list[float] = []
    begin, aborted = BlockOverHosts._start, FleetSession._abort

    def start(over: BlockOverHosts, *words: object) -> None:
        begin(over, *words)
        if len(struck) == over.block < times:
            time.sleep(max(0.0, over._start_ns / 1e9 - time.monotonic()) + 0.3)
            struck.append(time.monotonic())
            os.kill(over.hosts._started["h1"].pid, signal_number)

    def lost(over: FleetSession, *words: object, **more: object) -> None:
        seen.append(time.monotonic() - struck[-1])
        aborted(over, *words, **more)

    BlockOverHosts._start, FleetSession._abort = start, lost
    try:
        yield seen
    finally:
        BlockOverHosts._start, FleetSession._abort = begin, aborted


def clients_ratios(pairs: int) -> list[float]:
    """Files a second of the same clients by four hosts over those by one engine, pair by pair."""
    return [_clients_rate(4) / _clients_rate(1) for _ in range(pairs)]


def _clients_rate(hosts: int) -> float:
    with place() as folder:
        rig = fleet_of(folder, hosts) if hosts > 1 else rig_named("host")
        runs = runs_of(rig, folder, "connections", _CLIENTS_LOAD)
        done = [run.result for run in runs if run.result is not None and run.result.write]
        rates = [each.write.size_bytes * 1e9 / each.elapsed_ns for each in done if each.write]
        return sum(rates) / len(rates)
