"""How much slower a machine of the rig is than on a quiet host, so that its time limits know it.

A guest does a fixed piece of work as it comes up: it starts shells, which is what the steps of
systems are made of and what emulation is worst at. A limit is for a machine that hangs; load alone
makes none hang.
"""

from __future__ import annotations

import os
import time

from fsgauge.machine.process.tool import run_tool

QUIET_SECONDS = 0.4
"""About what the work takes emulated, on two processors that do little else: at a load of 10 to 25
it took 1.3 s."""
MOST = 10.0
"""A limit is so many times as long at most."""
_STARTS = 4
_SHELL = ["bash", "-c", "true; (true); (true)"]
_BOUND_SECONDS = 120.0


def worked_seconds() -> float:
    began = time.monotonic()
    for _ in range(_STARTS):
        run_tool(_SHELL, seconds=_BOUND_SECONDS)
    return time.monotonic() - began


def slowness_of(work_seconds: float) -> float:
    """How many times as long as usual a limit is, from 1."""
    return min(MOST, max(1.0, work_seconds / QUIET_SECONDS))


def load_words() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
