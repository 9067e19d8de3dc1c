"""What is nobody's mistake: limits, full and closed streams, Ctrl-C at once, engines that hang.

Each ends with a sentence and the documented exit code: never as "fsgauge itself failed", never with
a traceback, and with nothing left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.process import TimeLimit, hand_over
from fsgauge.engine.wire import Lease, LoadJob, ProbeJob
from fsgauge.errors import FsgaugeError, Interrupted, RigError
from fsgauge.programs.interruption import interruptible
from tests.cli.conftest import ENGINE
from tests.long import long_but
from tests.patience import patience

FSGAUGE = f"{sys.executable} -m fsgauge"
SMALLEST = "--set plan.blocks=2 --set 'workload.queue_depths=[1]' --seed 7"
MOST_SECONDS = 10.0
"""Twice what is promised, on a machine that does much else."""


def told(tmp_path: Path, command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A shell's words, in an empty folder, with the engine that does no I/O."""
    place = tmp_path / "place"
    place.mkdir(exist_ok=True)
    environment = os.environ | {
        "FSGAUGE_ENGINE": str(ENGINE),
        "FSGAUGE_STATE": str(tmp_path / "state"),
        "FSGAUGE_KEEP_CACHES": "1",
        "TMPDIR": str(tmp_path),
        **more,
    }
    study = f"{FSGAUGE} run demo-user --storage path:{place} --set storage.size=16MiB"
    command = command.replace("RUN", f"{study} {SMALLEST}")
    done = subprocess.run(
        ["bash", "-c", command.replace("FSGAUGE", FSGAUGE)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=patience(300),
    )
    assert "itself failed" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not list(tmp_path.glob("fsgauge-fault-*"))
    assert not list(place.iterdir())
    return done


CAUSES = {
    "ulimit -n 12; RUN --quiet": ((2,), "ulimit -n"),
    "ulimit -v 100000; FSGAUGE doctor --systems": ((3,), "ulimit -v unlimited"),
    "ulimit -v 300000; FSGAUGE doctor --systems": ((3,), "ulimit -v unlimited"),
    "ulimit -d 100000; FSGAUGE doctor --systems": ((3,), "ulimit -d unlimited"),
    "FSGAUGE --help > /dev/full": ((3,), "cannot be written"),
    "FSGAUGE doctor --systems > /dev/full": ((3,), "cannot be written"),
    "FSGAUGE study nothing 2> /dev/full": ((2,), ""),
    "RUN --json > /dev/full": ((3,), "cannot be written"),
    "FSGAUGE doctor --systems >&-": ((3,), "cannot be written"),
    "RUN --quiet <&- >&- 2>&-": ((3,), ""),
    "RUN --quiet >&-": ((3,), "cannot be written"),
    "RUN --quiet <&- 2>&-": ((0,), ""),
    "RUN 2> /dev/full > /dev/null": ((0,), ""),
    "FSGAUGE doctor --systems | true; exit ${PIPESTATUS[0]}": ((0,), ""),
    "mkdir gone; cd gone; rmdir ../gone; RUN --quiet": ((2, 3), "next:"),
    "ulimit -f 1; RUN --quiet": ((2, 3), "next:"),
    "RUN --quiet --results /proc/nowhere": ((2, 3), "next:"),
    "HOME=/proc/nowhere LC_ALL=C TERM= RUN --quiet": ((0,), ""),
    "FSGAUGE report $'no\\e[2J\\n\\u202ethere'": ((2,), "no\\x1b[2J\\n\\u202ethere"),
    "FSGAUGE $'no\\e[2J\\xff'": ((2,), "no\\x1b[2J"),
}


LONG = (
    "RUN --quiet <&- 2>&-",
    "RUN 2> /dev/full > /dev/null",
    "HOME=/proc/nowhere LC_ALL=C TERM= RUN --quiet",
)
"""Studies that end well, each whole and by an interpreter of its own."""


@pytest.mark.parametrize("command", long_but([*CAUSES.keys() - set(LONG)], CAUSES))
def test_a_sentence_and_the_exit_code(tmp_path: Path, command: str) -> None:
    codes, words = CAUSES[command]
    done = told(tmp_path, command)
    assert done.returncode in codes and words in done.stderr, (done.returncode, done.stderr)
    assert done.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize("delay_ms", [0, 20, 40, 60, 100, 200, 400])
def test_ctrl_c_in_the_first_instants(tmp_path: Path, delay_ms: int) -> None:
    launcher = Path(sys.executable).parent / "fsgauge"
    with subprocess.Popen(
        [launcher, "doctor", "--systems"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,
        text=True,
    ) as process:
        time.sleep(delay_ms / 1000)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=patience(60))
    if "Failed to import the site module" in said:
        assert process.returncode == 1, "Python's own words, before a line of fsgauge runs"
        return
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert said in ("", "interrupted\n", "\ninterrupted\n")


HOSTILE = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
open(os.environ["FSGAUGE_HOSTILE_IS_THERE"], "a").write("x")
"""
WAYS = {
    "writes for ever": "while True: os.write(1, b'\\n{}' * 100)",
    "writes errors for ever": "while True: os.write(2, b'x' * 65536)",
    "one line for ever": "while True: os.write(1, b'x' * 65536); time.sleep(0.1)",
    "sleeps": "time.sleep(600)",
    "closes its streams": "[os.close(each) for each in (0, 1, 2)]; time.sleep(600)",
    "forks": "[os.fork() for _ in range(3)]; time.sleep(600)",
    "leaves children": "[os.fork() or time.sleep(600) for _ in range(2)]",
    "talks nonsense": "os.write(1, b'\\xff\\x1b[2J{}\\n'); time.sleep(600)",
    "says nothing": "",
}


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the hostile engine's program is put; nothing of it may be left."""
    monkeypatch.setenv("FSGAUGE_HOSTILE_IS_THERE", str(tmp_path / "there"))
    path = tmp_path / "fsgauge-engine-that-is-hostile"
    yield path
    found = subprocess.run(["pgrep", "-f", str(path)], capture_output=True, text=True)
    assert found.stdout == ""


def job_with(lease: Lease | None) -> ProbeJob | LoadJob:
    """A job that holds a lease, or one that is asked and answered."""
    if lease is None:
        return ProbeJob()
    return LoadJob.model_validate(
        {
            "kind": "load",
            "target": {"kind": "null", "size_bytes": 1 << 20},
            "interface": "psync",
            "direct": False,
            "access": {"kind": "random"},
            "read_percent": 100,
            "block_sizes": [{"size_bytes": 4096, "weight": 1}],
            "queue_depth": 1,
            "jobs": 1,
            "duration_ns": 10**9,
            "interval_ns": 10**9,
            "seed": 1,
            "lease": lease,
        }
    )


@pytest.mark.timeout(60)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("lease", [None, Lease(silence_limit_ns=10**9)], ids=["", "held"])
def test_ctrl_c_ends_any_engine(
    tmp_path: Path, hostile: Path, way: str, lease: Lease | None
) -> None:
    """SIGTERM, SIGKILL to its group, and what it left behind: each has a bound, also their sum."""
    hostile.write_text(f"#!{sys.executable}\n{HOSTILE}{WAYS[way]}\n")
    hostile.chmod(0o755)
    asked: list[float] = []
    job = job_with(lease)

    def ask() -> None:
        while not (tmp_path / "there").exists():
            time.sleep(0.01)
        time.sleep(0.5)
        asked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(FsgaugeError) as ended, interruptible():
        try:
            Engine(hostile).run(job)
        finally:
            over = time.monotonic()
            asking.join()
    assert ended.value.next or isinstance(ended.value, Interrupted)
    assert over - asked[0] < MOST_SECONDS


def test_a_job_that_nobody_reads(hostile: Path) -> None:
    """A pipe holds 64 KiB; a job of a million files is larger."""
    read, write = os.pipe()
    with os.fdopen(write, "wb") as stream, pytest.raises(RigError, match="did not end within"):
        hand_over(stream, bytes(1 << 20), TimeLimit(0.2))
    os.close(read)


def test_an_engine_that_was_asked_has_not_so_long(hostile: Path) -> None:
    limit = TimeLimit(3600.0)
    limit.shorten(0.0)
    assert limit.left <= 0 and "after it was asked" in limit.passed().what
    limit.shorten(10.0)
    assert limit.left <= 0, "asked again, it has no longer"
