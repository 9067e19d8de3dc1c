"""A fleet with the real engine: hosts as processes in time namespaces, their clocks far apart.

Slow: three hosts are started, and each measures for real.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.engine import Engine
from fsgauge.plan.turns import with_seed
from fsgauge.progress import progress_for
from fsgauge.rig.fleet.choice import FleetChoice
from fsgauge.rig.fleet.launcher.command import HOST_COMMAND, CommandLauncher
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.fleet.rig import FleetRig
from fsgauge.run import run_study
from fsgauge.starts import skew_bound_ns, skew_ns
from fsgauge.store import read_results
from fsgauge.study.parse import load_study

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


@pytest.mark.root
def test_clocks_far_apart_start_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """The engine's own record of its start, by clocks up to 100,000 s apart, is one moment once the
    offsets that were planted are taken away; within the bound that the record has."""
    monkeypatch.setenv("FSGAUGE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("FSGAUGE_KEEP_CACHES", "1")
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine.binary))
    study = with_seed(
        load_study(
            "overhead",
            [
                *("storage.size=16MiB", "plan.blocks=2", "workload.duration=300ms"),
                *('workload.patterns=["randread"]', "workload.queue_depths=[1]"),
                *("workload.warm_up=0s", "workload.direct=false"),
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
            progress=progress_for("quiet"),
        )
    assert outcome.ended_by is None
    stored = read_results(outcome.directory)
    assert len(stored.runs) == 4 * len(study.workload.block_sizes)
    for run in stored.runs:
        commons = {
            part.machine: part.slices[0].result.common_start.started_at_ns for part in run.parts
        }
        for name, seconds in OFFSETS_SECONDS.items():
            apart = commons[name] - commons["a"] - seconds * 10**9
            assert abs(apart) <= skew_bound_ns(run.starts), (name, apart)
        assert skew_bound_ns(run.starts) < 10_000_000
        assert skew_ns(run.starts) <= skew_bound_ns(run.starts)
