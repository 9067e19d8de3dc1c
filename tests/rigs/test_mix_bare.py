"""A mix next to a file system and on the device alone, where each group has a region of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.rig.host.rig import HostRig
from fsgauge.study.model import DeviceStorage
from fsgauge.study.parse import parse_study
from tests.rigs.conftest import MEBIBYTE, MakeLoop
from tests.rigs.measured import measured
from tests.rigs.on_device import consent_to

pytestmark = pytest.mark.root
MIX = """\
format = 1
question = "What does ext4 take of a mix?"
storage = { kind = "ram", size = "320 MiB" }
system = [{ name = "raw" }, { name = "ext4" }]
plan = { blocks = 2, seed = 1 }

[workload]
kind = "mix"
warm_up = "0 s"
duration = "200 ms"

[[workload.group]]
name = "readers"
operations = { read = 3, write = 1 }
jobs = 2
files_of_jobs = "own"
file_sizes = "8 MiB"
queue_depth = 4
direct = true

[[workload.group]]
name = "log"
operations = { write = 1 }
order = "sequential"
sync = "fdatasync"
file_sizes = "8 MiB"

[[workload.group]]
name = "checked"
operations = { write = 1 }
verify = true
jobs = 2
file_sizes = "8 MiB"
"""


@pytest.mark.parametrize("of_ours", [True, False])
def test_groups_work_at_once_on_a_bare_device(
    rig: HostRig, tmp_path: Path, make_loop: MakeLoop, of_ours: bool
) -> None:
    study, consent = parse_study(MIX, "mix.toml", "mix"), None
    if not of_ours:
        device = make_loop(320 * MEBIBYTE)
        study = study.model_copy(update={"storage": DeviceStorage(device=device)})
        consent = consent_to(device)
    outcome, stored = measured(study, rig, tmp_path / "results", destroy=consent)
    assert outcome.ended_by is None and all(run.fault is None for run in stored.runs)
    loads = {run.cell.id: run.load for run in stored.runs if run.system == "raw"}
    regions = {
        name: (load.target.offset_bytes >> 20, load.target.size_bytes >> 20)
        for name, load in loads.items()
        if load is not None and load.target.kind == "block"
    }
    assert regions == {"readers": (0, 16), "log": (16, 8), "checked": (24, 8)}
    for run in stored.runs:
        assert run.result is not None
        assert run.result.integrity is None or run.result.integrity.faulty == []
        sides = [side for side in (run.result.read, run.result.write) if side is not None]
        assert sum(side.operations for side in sides) > 0
