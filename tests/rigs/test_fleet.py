"""A fleet with the real engine: hosts as processes in time namespaces, their clocks far apart.

Slow: three hosts are started, and each measures for real.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.plan.turns import with_seed
from fsgauge.progress import Progress
from fsgauge.record.parts import skew_bound_ns, skew_ns
from fsgauge.record.records import RunRecord
from fsgauge.rig.fleet import rig as fleet_rig
from fsgauge.rig.fleet.clock import Clock, served_clock
from fsgauge.rig.fleet.launcher.command import HOST_COMMAND, CommandLauncher
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.rig import FleetRig
from fsgauge.rig.registry import rig_named
from fsgauge.rig.rig import FleetChoice
from fsgauge.run import run_study
from fsgauge.store import read_results
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from tests.fleet.slow_network import delaying_proxy

OFFSETS_SECONDS = {"a": 0, "b": 100_000, "c": -1000}
"""Monotonic clocks of the hosts against this machine's. None may be below 0, so a machine that has
just been started cannot have a clock that is much behind."""


def in_own_time(host: Host) -> list[str]:
    offset = OFFSETS_SECONDS[host.name]
    return [
        *("unshare", "--fork", "--kill-child", "--time", f"--monotonic={offset}"),
        *(sys.executable, "-m", "fsgauge", HOST_COMMAND),
    ]


class OwnTimes(FleetRig):
    """Starts its hosts with clocks of their own."""

    def _launcher(self, _: object) -> CommandLauncher:
        return CommandLauncher(in_own_time, lambda _: "", is_one_machine=True)


@contextmanager
def hosts_file(folder: Path) -> Iterator[Path]:
    lines = ['launcher = "local"', 'lead = "500 ms"']
    for name in OFFSETS_SECONDS:
        (folder / name).mkdir()
        lines += ["[[host]]", f'name = "{name}"', f'path = "{folder / name}"']
    path = folder / "hosts.toml"
    path.write_text("\n".join(lines))
    yield path
    left = [each for name in OFFSETS_SECONDS for each in (folder / name).iterdir()]
    assert left == []


def measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine, *changes: str
) -> list[RunRecord]:
    """The runs of a small study on hosts with clocks of their own."""
    monkeypatch.setenv("FSGAUGE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("FSGAUGE_KEEP_CACHES", "1")
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine.binary))
    study = with_seed(
        load_study(
            "overhead",
            [
                *("storage.size=16MiB", "plan.blocks=2", "workload.duration=300ms"),
                *('workload.patterns=["randread"]', "workload.queue_depths=[1]"),
                *("workload.warm_up=0s", "workload.direct=false", *changes),
            ],
            ["mounted"],
            f"path:{tmp_path}",
        ),
        7,
    )
    with hosts_file(tmp_path) as path:
        outcome = run_study(
            study,
            rig=OwnTimes(FleetChoice(hosts=path)),
            results=tmp_path / "results",
            destroy=None,
            command=["fsgauge"],
            progress=Progress(),
        )
    assert outcome.ended_by is None
    stored = read_results(outcome.directory)
    assert len(stored.runs) == 4 * len(cells_of(study.workload))
    return list(stored.runs)


def require_one_moment(runs: list[RunRecord]) -> None:
    """Once the offsets that were planted are taken away, the starts are as near as is said."""
    for run in runs:
        commons = {
            part.machine: part.slices[0].result.common_start.started_at_ns for part in run.parts
        }
        for name, seconds in OFFSETS_SECONDS.items():
            apart = commons[name] - commons["a"] - seconds * 10**9
            assert abs(apart) <= skew_bound_ns(run.starts), (name, apart)
        assert skew_ns(run.starts) <= skew_bound_ns(run.starts)


@pytest.mark.root
def test_clocks_far_apart_start_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """The engine's own record of its start, by clocks up to 100,000 s apart, is one moment once the
    offsets that were planted are taken away; within the bound that the record has."""
    runs = measured(tmp_path, monkeypatch, engine)
    require_one_moment(runs)
    assert all(skew_bound_ns(run.starts) < 10_000_000 for run in runs)


@pytest.mark.root
def test_a_network_that_is_slow_one_way_widens_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """2 to 6 ms there and 10 to 30 back: what is said of the starts still holds."""

    @contextmanager
    def slow_clock(address: str, engine: Engine) -> Iterator[Clock]:
        with served_clock(address, engine) as served:
            target = (served.address, served.port)
            with delaying_proxy(target, (0.002, 0.006), (0.01, 0.03)) as port:
                yield Clock(served.address, port, served.key)

    monkeypatch.setattr(fleet_rig, "served_clock", slow_clock)
    runs = measured(tmp_path, monkeypatch, engine, 'workload.block_sizes=["4KiB"]')
    require_one_moment(runs)
    bounds = [each.bound_ns for run in runs for each in run.starts]
    assert min(bounds) >= 6_000_000  # half of the fastest round trip that there can be


def test_590_clients_of_four_hosts_do_what_one_engine_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """Every file once, whoever writes it; how fast is measured in `make bench`."""
    monkeypatch.setenv("FSGAUGE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("FSGAUGE_KEEP_CACHES", "1")
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine.binary))
    (tmp_path / "disk").mkdir()
    hosts = tmp_path / "hosts.toml"
    names = "".join(f'[[host]]\nname = "h{number}"\n' for number in range(4))
    hosts.write_text(f'launcher = "local"\nlead = "500 ms"\n{names}')
    changes = [
        *("storage.size=256MiB", "workload.clients=590", 'workload.tests=["write", "read"]'),
        *("workload.files_per_connection=1", "plan.blocks=2"),
        'workload.file_sizes=["16 KiB"]',
    ]
    study = with_seed(
        load_study("connections", changes, ["mounted"], f"path:{tmp_path / 'disk'}"), 7
    )
    done = []
    for rig in (rig_named("host"), FleetRig(FleetChoice(hosts=hosts))):
        outcome = run_study(
            study,
            rig=rig,
            results=tmp_path / f"results-{rig.name}",
            destroy=None,
            command=["fsgauge"],
            progress=Progress(),
        )
        assert outcome.ended_by is None
        done.append([work_of(run) for run in read_results(outcome.directory).runs])
    alone, together = done
    assert together == alone and len(alone) == 8
    assert list((tmp_path / "disk").iterdir()) == []


def work_of(run: RunRecord) -> tuple[object, ...]:
    """What was done in a run, by whatever number of hosts."""
    result = run.result
    assert result is not None and result.clients is not None
    sides = [side and (side.operations, side.size_bytes) for side in (result.read, result.write)]
    return (run.block, run.turn, run.cell.id, *sides, result.clients.files)
