"""Processes of a server are found by its folder and its process group, and end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.machine.ledger.traces import ServerTrace
from fsgauge.machine.process import servers
from fsgauge.machine.process.processes import RUN_VARIABLE

RUN = f"{os.getpid():012x}"
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
        env={**os.environ, RUN_VARIABLE: RUN},
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def test_all_of_a_server_is_found_and_nothing_else(
    server: subprocess.Popen[str], tmp_path: Path
) -> None:
    found = servers.server_processes(str(tmp_path), RUN)
    assert server.pid in found and len(found) == 2
    assert len(servers.children(server.pid)) == 1
    assert servers.server_processes(f"{tmp_path}-another", RUN) == []
    assert os.getpid() not in found
    assert servers.server_processes(str(tmp_path), "another run") == []
    used = servers.processor_time(server.pid)
    assert used.processes == 2 and used.total_ns >= 100_000_000
    size = servers.proportional_memory_bytes(server.pid)
    assert size is not None and size > 100_000


SESSIONS = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        end = time.process_time() + 0.004
        while time.process_time() < end:
            pass
        os.write(1, b".")
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""


def test_sessions_that_each_take_less_than_a_tick_are_counted() -> None:
    """Each process's time was cut to 10 ms before it was added up, so on a fast machine hundreds of
    sessions of 5 ms were no time at all: `connecting_ns` 0."""
    sessions = 20
    with subprocess.Popen(
        [sys.executable, "-c", SESSIONS, str(sessions)], process_group=0, stdout=subprocess.PIPE
    ) as process:
        before = servers.Used(total_ns=0, user_ticks=0, system_ticks=0, processes=0)
        try:
            assert process.stdout is not None
            for _ in range(sessions):
                assert process.stdout.read(1) == b"."
            spent = servers.processor_time(process.pid).since(before)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert spent.user_ns + spent.system_ns >= sessions * 4_000_000


def test_time_between_two_looks_is_never_less_than_none() -> None:
    """It divides as the ticks between them fell; a process that is gone took its own along."""
    first = servers.Used(total_ns=100, user_ticks=4, system_ticks=4, processes=2)
    assert servers.Used(180, 5, 7, 2).since(first) == servers.Spent(user_ns=20, system_ns=60)
    assert servers.Used(90, 3, 4, 1).since(first) == servers.Spent(user_ns=0, system_ns=0)


def test_a_server_ends_with_its_children(
    server: subprocess.Popen[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsgauge.machine.process.servers._PATIENCE_SECONDS", 1.0)
    began = time.monotonic()
    ended, left = servers.end_server(str(tmp_path), RUN)
    assert len(ended) == 2 and left == [] and time.monotonic() - began < 8
    assert servers.server_processes(str(tmp_path), RUN) == []
    assert ServerTrace(folder=str(tmp_path), name="test", token=RUN).undo() is None


def test_counters_of_the_kernel() -> None:
    overflows = servers.listen_overflows()
    assert overflows is None or overflows >= 0
    assert servers.proportional_memory_bytes(1 << 22) is None
