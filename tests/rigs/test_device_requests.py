"""On a real loop device: its own counters are in each record, and neighbours are not merged.

Sequential operations at a depth above 1 went to the kernel in groups of 16. The block layer merged
them: a cell of "4 KiB, depth 32" put requests of 23 to 42 KiB on the device, three times as fast.
"""

from __future__ import annotations

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import LoadJob
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.parts import DeviceRun
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.run_checks import mean_request_bytes
from tests.rigs.conftest import Scene

pytestmark = pytest.mark.root


@pytest.mark.parametrize("submit_batch", [None, 16])
def test_a_sequential_cell_puts_its_operations_on_the_device(
    scene: Scene, engine: Engine, submit_batch: int | None
) -> None:
    study = scene.study(
        {"name": "raw"},
        patterns=["read"],
        block_sizes=[4096],
        queue_depths=[32],
        submit_batch=submit_batch,
        warm_up=50_000_000,
        duration=200_000_000,
    )
    rig = HostRig(engine)
    rig.check(study, None)
    with rig.systems(study) as systems:
        plan = make_plan(study, size_bytes=systems.working_set.size_bytes)
        with systems.prepare(study, study.systems[0]) as prepared:
            systems.settle(prepared)
            job = job_for(study, plan, plan.turns[0], plan.cells[0], prepared.target)
            assert isinstance(job, LoadJob)
            between = systems.watch_device(prepared)
            result = engine.load(job)
            device = between()
    assert isinstance(device, DeviceRun) and device.name.startswith("loop")
    assert result.read is not None and device.read_bytes >= result.read.size_bytes
    mean_bytes = mean_request_bytes(device, writes=False)
    assert mean_bytes is not None
    if submit_batch is None:
        assert 4000 < mean_bytes < 4500
    else:
        assert mean_bytes > 3 * 4096
    assert scene.left() == []
