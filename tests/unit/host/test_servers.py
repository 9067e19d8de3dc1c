"""Processes of a server are found by its folder and its process group, and end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.host.servers import (
    children_of,
    end_server,
    listen_overflows,
    processor_time,
    proportional_memory_bytes,
    server_processes,
)
from fsgauge.host.traces import ServerTrace

PARENT = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN) if sys.argv[2] == "stubborn" else None
if os.fork() == 0:
    os.execv("/bin/sleep", ["a child without the folder", "60"])
end = time.process_time() + 0.15
while time.process_time() < end:
    pass
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["gentle", "stubborn"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "conf").touch()
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "conf"), request.param],
        process_group=0,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_all_of_a_server_is_found_and_nothing_else(
    server: subprocess.Popen[str], tmp_path: Path
) -> None:
    found = server_processes(str(tmp_path))
    assert server.pid in found and len(found) == 2
    assert children_of(server.pid) == 1
    assert server_processes(f"{tmp_path}-another") == []
    assert os.getpid() not in found
    used = processor_time(server.pid)
    assert used.processes == 2 and used.user_ns + used.system_ns >= 100_000_000
    size = proportional_memory_bytes(server.pid)
    assert size is not None and size > 100_000


def test_a_server_ends_with_its_children(
    server: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsgauge.host.servers._PATIENCE_SECONDS", 1.0)
    began = time.monotonic()
    ended, left = end_server(str(tmp_path))
    assert len(ended) == 2 and left == [] and time.monotonic() - began < 8
    assert server_processes(str(tmp_path)) == []
    assert ServerTrace(folder=str(tmp_path), name="test").undo() is None


def test_counters_of_the_kernel() -> None:
    overflows = listen_overflows()
    assert overflows is None or overflows >= 0
    assert proportional_memory_bytes(1 << 22) is None
