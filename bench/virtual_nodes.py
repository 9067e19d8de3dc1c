"""Virtual machines of the rig, from when they are started to when each has its address."""

from __future__ import annotations

import tempfile
import time

from fsgauge.rig.vm.build.making import build
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.parse import load_study


def seconds_until_up(nodes: int, times: int) -> list[float]:
    """So many nodes, started anew each time; they do nothing once they are up.

    The guest is built if there is none. The first time is left out: it packs the lab and tries
    KVM.
    """
    build(print)
    return [_until_up(nodes) for _ in range(times + 1)][1:]


def _until_up(nodes: int) -> float:
    with tempfile.TemporaryDirectory(prefix="fsgauge-bench-", dir="/var/tmp") as folder:
        keys = [f"rig.nodes={nodes}", f"storage.directory={folder}"]
        study = load_study("overhead", keys, ["ext4"], "loop:320MiB", 1, baseline="ext4")
        with VmRig().started(study) as session:
            began = time.monotonic()
            session._group(None)
            return time.monotonic() - began
