"""What a thread opened in a table of its own is in use as well.

Whoever looked at /proc/PID/fd alone took a device that an engine was writing for one that nobody
had open: the engine's threads have tables of their own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.machine.device.loop_devices import identity_at
from fsgauge.machine.device.safety import writers_of
from fsgauge.machine.process.processes import descriptor_links, holders_of

PROGRAM = """
import ctypes, sys, threading

def hold():
    assert ctypes.CDLL(None, use_errno=True).unshare(0x400) == 0  # CLONE_FILES
    with open(sys.argv[1], "r+b"):
        print("open", flush=True)
        threading.Event().wait(60)

threading.Thread(target=hold).start()
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A process of which one thread has the file open."""
    file = tmp_path / "held"
    file.write_bytes(b"x")
    words = [sys.executable, "-c", PROGRAM, str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process.pid, file
        process.kill()


def test_a_file_that_a_thread_alone_has_open_is_seen(held: tuple[int, Path]) -> None:
    pid, file = held
    of_the_process = [link.resolve() for link in Path(f"/proc/{pid}/fd").iterdir()]
    assert file not in of_the_process, "or this shows nothing"
    assert file in [link.resolve() for link in descriptor_links(pid)]
    assert pid in [each.pid for each in holders_of(str(file.parent))]
    identity = identity_at(str(file))
    assert [each.pid for each in writers_of({identity})[identity]] == [pid]


def test_nothing_is_open_in_a_process_that_has_ended() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    assert list(descriptor_links(process.pid)) == []
