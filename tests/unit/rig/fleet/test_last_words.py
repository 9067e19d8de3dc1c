"""What a host says without end is heard, and neither kept nor written anywhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.rig.fleet.launcher.command import LastWords, StartedHost
from fsgauge.rig.fleet.launcher.launcher import Bootstrap
from tests.patience import patience

BOOTSTRAP = Bootstrap(scheduler="", name="h", authority="", certificate="", key="")


@pytest.fixture
def started() -> Iterator[list[StartedHost]]:
    found: list[StartedHost] = []
    yield found
    for host in found:
        host.end(0.1)


def host(code: str) -> StartedHost:
    return StartedHost([sys.executable, "-I", "-S", "-c", code], BOOTSTRAP)


def test_the_last_lines_of_one_that_has_ended(started: list[StartedHost]) -> None:
    code = "import sys\nfor n in range(100_000): print('line', n, file=sys.stderr)\nsys.exit(3)"
    started.append(host(code))
    until = time.monotonic() + patience(20)
    while started[0].why_ended() is None and time.monotonic() < until:
        time.sleep(0.01)
    assert started[0].why_ended() == "line 99997 line 99998 line 99999 (exit code 3)"


def test_one_that_never_stops_fills_nothing(started: list[StartedHost]) -> None:
    """A host that printed without end filled the coordinator's disk."""
    started.append(host("import os\nwhile True: os.write(2, b'x' * 65536)"))
    until = time.monotonic() + patience(20)
    while not started[0].last_words() and time.monotonic() < until:
        time.sleep(0.01)
    assert Path(f"/proc/{started[0].pid}/fd/2").is_fifo()
    assert 0 < len(started[0].last_words()) <= 400
    assert len(started[0]._said.text) <= 4000


def test_who_holds_the_pipe_open_is_not_waited_for() -> None:
    said = LastWords()
    with said.writing() as pipe:
        held = os.dup(pipe)
        os.write(held, b"so far")
    began = time.monotonic()
    said.wait()
    assert time.monotonic() - began < patience(5)
    assert said.text == "so far"
    os.close(held)
