"""Limits of real control groups, where this kernel lets root make some: nested, and of whichever
version each controller has here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fsgauge.machine.facts.control_groups import Group, own_groups

pytestmark = pytest.mark.root
NAME = f"fsgauge-test-{os.getpid()}"
LIMIT_BYTES = 160 << 20
FILES = {
    ("cpu", 1): {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "20000"},
    ("cpu", 2): {"cpu.max": "20000 100000"},
    ("memory", 1): {"memory.limit_in_bytes": str(LIMIT_BYTES)},
    ("memory", 2): {"memory.max": str(LIMIT_BYTES)},
}
LOOK = """
import json, time
from fsgauge.machine.facts.limits import capture_limits, watch_throttling
from fsgauge.machine.facts.limits import available_memory_bytes, total_memory_bytes
between = watch_throttling()
end = time.monotonic() + 0.5
while time.monotonic() < end:
    pass
print(json.dumps({
    "limits": capture_limits({}).model_dump(), "throttled": between().model_dump(),
    "total": total_memory_bytes(), "available": available_memory_bytes(),
}))
"""


def made(group: Group) -> Path:
    """A group with a limit below this process's own, and in it the one to be in."""
    outer = group.folders[0] / NAME
    outer.mkdir()
    for name, text in FILES[group.controller, group.version].items():
        (outer / name).write_text(text)
    (outer / "inner").mkdir()
    return outer / "inner"


@pytest.fixture
def inside() -> Iterator[list[Path]]:
    folders = [group.folders[0] / NAME for group in own_groups().values()]
    try:
        found = own_groups()
        yield [made(found[name]) for name in ("cpu", "memory")]
    except (OSError, KeyError) as error:
        pytest.skip(f"this kernel lets no control group be made here: {error}")
    finally:
        for folder in dict.fromkeys(folders):
            for each in (folder / "inner", folder):
                with suppress(OSError):
                    each.rmdir()


def test_a_run_knows_the_limits_of_nested_groups(inside: list[Path]) -> None:
    procs = " ".join(f"{folder}/cgroup.procs" for folder in dict.fromkeys(inside))
    command = f'for file in {procs}; do echo $$ > "$file"; done; exec "$0" -c "$1"'
    said = subprocess.run(
        ["sh", "-c", command, sys.executable, LOOK], capture_output=True, text=True, timeout=120
    )
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    assert found["limits"]["processor_quota"] == 0.2
    assert found["total"] == LIMIT_BYTES and 0 < found["available"] < LIMIT_BYTES
    assert found["throttled"]["throttled_periods"] > 0 and found["throttled"]["throttled_ns"] > 0
