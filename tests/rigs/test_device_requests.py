"""On a real loop device: its own counters are in each record, and neighbours are not merged.

Sequential operations at a depth above 1 went to the kernel in groups of 16. The block layer merged
them: a cell of "4 KiB, depth 32" put requests of 23 to 42 KiB on the device, three times as fast.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import LoadJob
from fsgauge.machine.device.block_device import read_counters
from fsgauge.plan.turns import job_for, make_plan
from fsgauge.record.parts import DeviceRun
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.run_checks import mean_request_bytes
from tests.patience import patience
from tests.rigs.conftest import MakeLoop, Scene, run
from tests.rigs.on_device import device_of
from tests.rigs.partitions import partition_table

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
            with systems.watch_device(study, prepared) as between:
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


COUNTING = """
import json, os, sys
from fsgauge.machine.device import fua_writes
from fsgauge.machine.device.block_device import device_at
fua_writes._takes_fua, fua_writes._FUA = (lambda disk: True), sys.argv[2]
device = device_at(sys.argv[1])
node = os.open(device.path, os.O_WRONLY | os.O_DIRECT)
page = memoryview(__import__("mmap").mmap(-1, 4096))
with fua_writes.fua_counted(device) as now:
    for at in range(20):
        os.pwritev(node, [page], 4096 * at)
    os.preadv(os.open(device.path, os.O_RDONLY | os.O_DIRECT), [page], 0)
    print(json.dumps(now()))
"""


@pytest.mark.parametrize(("marks", "found"), [("W*", 20), ("*WF*", 0)])
def test_the_kernel_counts_requests_by_their_marks(
    make_loop: MakeLoop, marks: str, found: int
) -> None:
    """A loop device takes no FUA, so writes of any mark stand in; tracefs is mounted for the child
    alone."""
    folder = "/sys/kernel/tracing"
    own = f'mountpoint -q {folder} || mount -t tracefs tracefs {folder} && exec "$0" "$@"'
    words = ["unshare", "--mount", "sh", "-c", own, sys.executable, "-c", COUNTING]
    done = subprocess.run(
        [*words, make_loop(), marks], capture_output=True, text=True, timeout=patience(60)
    )
    assert json.loads(done.stdout or done.stderr) == {"fua_requests": found}


def test_flushes_of_a_partition_are_counted(make_loop: MakeLoop) -> None:
    disk = make_loop()
    Path(disk).write_bytes(partition_table([(1, 32)]))
    run("partx", "--add", disk)
    try:
        part = device_of(f"{disk}p1")
        before = read_counters(part)
        with Path(part.path).open("r+b", buffering=0) as node:
            for _ in range(5):
                node.write(bytes(4096))
                os.fsync(node.fileno())
        after = read_counters(part)
    finally:
        run("partx", "--delete", disk)
    assert before is not None and after is not None
    assert (after - before).flush_requests == 5
