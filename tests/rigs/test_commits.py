"""On real file systems: a delay that is planted in the sync comes out with its size."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import LoadJob
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.read import read_stored
from fsgauge.study.model import Study
from tests.needs import need_tool
from tests.rigs.conftest import MEBIBYTE
from tests.rigs.measured import measured

pytestmark = pytest.mark.root

DELAY_NS = 10_000_000
SLOW = "slow"
MORE_NS = 4_000_000
"""What waking up late may add to each delay on a machine that others work on."""


class Delaying(Engine):
    """Each fdatasync of the system "slow" returns later; those of others are traced too, so that
    tracing is no difference."""

    def __init__(self, engine: Engine, scripts: Path) -> None:
        super().__init__(engine.binary)
        self._plain = self._script(scripts / "traced", [])
        self._slow = self._script(
            scripts / "delayed", [f"--inject=fdatasync:delay_exit={DELAY_NS // 1000}"]
        )

    def run(self, job: Any, *rest: Any, **named: Any) -> Any:
        """With the engine behind strace that its target asks for."""
        is_slow = isinstance(job, LoadJob) and f"/{SLOW}" in job.target.model_dump_json()
        self.binary = self._slow if is_slow else self._plain
        return super().run(job, *rest, **named)

    def _script(self, path: Path, injected: Sequence[str]) -> Path:
        words = ["strace", "-f", "--seccomp-bpf", "-qqq", "-o", "/dev/null"]
        words += ["--trace=fdatasync", *injected, str(self.binary)]
        path.write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
        path.chmod(0o755)
        return path


@pytest.fixture
def folders() -> Iterator[dict[str, Path]]:
    """Two of one file system, in memory: nothing differs but what is planted."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as above:
        made = {name: Path(above) / name for name in ("fast", SLOW, "scratch")}
        for folder in made.values():
            folder.mkdir()
        yield made


def test_a_planted_delay_comes_out_with_its_size(
    engine: Engine, folders: dict[str, Path], tmp_path: Path
) -> None:
    need_tool("strace", "strace")
    systems = [
        {"name": name, "kind": "mounted", "path": str(folders[name])} for name in ("fast", SLOW)
    ]
    storage = {"kind": "path", "path": str(folders["scratch"]), "size": 32 * MEBIBYTE}
    study = Study.model_validate(
        {
            "format": 1,
            "name": "commits",
            "question": "What does a commit cost?",
            "storage": storage,
            "system": systems,
            "workload": {"kind": "commits", "duration": 500_000_000},
            "plan": {"seed": 1, "blocks": 3},
        }
    )
    rig = HostRig(Delaying(engine, tmp_path))
    _, stored = measured(study, rig, tmp_path / "results")
    times: dict[str, list[float]] = {"fast": [], SLOW: []}
    for run in stored.runs:
        assert run.fault is None and run.result is not None
        assert run.result.write is not None
        times[run.system].append(run.result.elapsed_ns / run.result.write.operations)
    fast_ns, slow_ns = (statistics.median(times[name]) for name in ("fast", SLOW))
    assert DELAY_NS <= slow_ns - fast_ns < DELAY_NS + MORE_NS
    results = read_stored(stored)
    (rate,) = [each for each in results.comparisons if each.metric == "iops"]
    assert rate.ratio < 0.1
