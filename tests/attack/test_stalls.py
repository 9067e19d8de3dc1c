"""An engine that is stopped while it measures: the stall is in its numbers, and its run is marked.

A stopped engine once hid it all: five seconds across the end of a run of four left a longest
latency of 3 ms and an elapsed time of 4.0 s, six times of six. What was in flight when the time was
up was waited for and forgotten. Now it counts until it is answered, the measured part lasts as
long, and the engine notes that it did not run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.client import find_engine
from fsgauge.engine.wire import LoadResult
from fsgauge.errors import RigError
from fsgauge.stats import run_checks
from fsgauge.stats.advice import RUN_CHECKS
from tests.patience import patience
from tests.synthetic import make_study
from tests.synthetic.setting import with_result

# Alone: time is all that is looked at here.
pytestmark = pytest.mark.alone
STOPPED_S = 0.8
SEEN_NS = 700_000_000
RUN_NS = 1_000_000_000
INTERVAL_NS = 250_000_000
SIZE_BYTES = 16 << 20
_BUILT_HERE = Path(__file__).parents[2] / "target" / "release" / "fsgauge-engine"
Whom = Callable[[int], int]


def itself(engine: int) -> int:
    """The engine's own process."""
    return engine


def first_worker(engine: int) -> int:
    """The first process that the engine has started."""
    return int(Path(f"/proc/{engine}/task/{engine}/children").read_text().split()[0])


def engine_path() -> Path:
    try:
        return find_engine()
    except RigError:
        return _BUILT_HERE


def run(job: dict[str, Any], *, stop: Whom | None, after_intervals: int = 3) -> LoadResult:
    """Run a job; once so many intervals were told, stop somebody, so long that the end passes."""
    engine = subprocess.Popen(
        [engine_path()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdin is not None and engine.stdout is not None
    engine.stdin.write(json.dumps(job) + "\n")
    engine.stdin.close()
    intervals = 0
    for line in engine.stdout:
        event = json.loads(line)
        intervals += event["event"] == "interval"
        if stop is not None and intervals == after_intervals:
            process, stop = stop(engine.pid), None
            os.kill(process, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(process, signal.SIGCONT)
    engine.wait(timeout=patience(60))
    assert event["event"] == "finished", event
    return LoadResult.model_validate(event["result"])


def load(path: Path, **changes: Any) -> dict[str, Any]:
    """A second of random reads of a file, in four intervals."""
    path.write_bytes(bytes(SIZE_BYTES))
    return {
        "format": 1,
        "kind": "load",
        "target": {"kind": "file", "path": str(path), "size_bytes": SIZE_BYTES},
        "interface": "io_uring",
        "direct": False,
        "access": {"kind": "random"},
        "read_percent": 100,
        "block_sizes": [{"size_bytes": 4096, "weight": 1}],
        "queue_depth": 4,
        "jobs": 1,
        "duration_ns": RUN_NS,
        "interval_ns": INTERVAL_NS,
        "seed": 1,
        **changes,
    }


def clients(folder: Path, phase: dict[str, Any], time_limit_ns: int) -> dict[str, Any]:
    return {
        "format": 1,
        "kind": "clients",
        "target": {"kind": "path", "directory": str(folder)},
        "phase": phase,
        "clients": 3,
        "files": {
            "clients": 3,
            "files_per_client": 1,
            "sizes": {"kind": "cycle", "sizes_bytes": [4096]},
            "record_size_bytes": 4096,
            "tree": {"kind": "own"},
        },
        "time_limit_ns": time_limit_ns,
        "interval_ns": INTERVAL_NS,
        "seed": 1,
    }


def named(result: LoadResult) -> list[str]:
    """The checks that have something to say of a run with this result, but for those of rates."""
    run = make_study(patterns=("randread",), blocks=1).runs[0]
    run = with_result(run, result)
    return [check.code for check in RUN_CHECKS if check.check(run, result)]


def assert_seen(result: LoadResult) -> None:
    """Time that passed is time of the run, and the run is marked."""
    assert result.pauses is not None and result.drain is not None
    assert SEEN_NS <= result.pauses.longest_ns < 60e9, result.pauses
    assert "run.paused" in named(result), named(result)
    assert "run.little" not in named(result), named(result)
    assert sum(interval.elapsed_ns for interval in result.intervals) == result.elapsed_ns
    counted = sum(interval.read.operations for interval in result.intervals)
    assert result.read is None or counted == result.read.operations


@pytest.mark.parametrize(
    "ways", [{}, {"interface": "psync", "queue_depth": 1}, {"jobs": 2, "queue_depth": 1}]
)
def test_a_stop_across_the_end_is_in_the_time_and_marked(
    tmp_path: Path, ways: dict[str, Any]
) -> None:
    result = run(load(tmp_path / "data", **ways), stop=itself)
    assert_seen(result)
    assert result.pauses is not None and result.pauses.longest_start_ns is not None
    assert result.pauses.longest_start_ns < RUN_NS
    assert result.elapsed_ns >= RUN_NS + SEEN_NS // 2 or result.pauses.longest_start_ns > RUN_NS


def test_what_a_pace_had_due_while_it_was_stopped_is_counted_as_never_started(
    tmp_path: Path,
) -> None:
    pace = {"operations_per_second": 100.0, "arrival": "constant"}
    result = run(load(tmp_path / "data", rate=pace, queue_depth=64), stop=itself, after_intervals=1)
    assert_seen(result)
    assert result.read is not None
    assert 90 <= result.read.operations + result.read.backlog_dropped <= 110
    assert result.read.backlog_dropped >= 40


@pytest.mark.parametrize("interface", ["io_uring", "psync"])
def test_a_worker_that_is_stopped_marks_the_run_of_all(tmp_path: Path, interface: str) -> None:
    job = load(tmp_path / "data", workers="processes", jobs=2, interface=interface, queue_depth=1)
    assert_seen(run(job, stop=first_worker, after_intervals=3))


def test_clients_that_are_stopped_across_their_end(tmp_path: Path) -> None:
    run(clients(tmp_path, {"kind": "write"}, 60 * RUN_NS), stop=None)
    activities = [{"activity": "create", "weight": 1}, {"activity": "read", "weight": 1}]
    mix = {"kind": "mix", "activities": activities}
    assert_seen(run(clients(tmp_path, mix, RUN_NS), stop=itself))


def test_a_backup_that_is_stopped_takes_as_long(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    backup = {"kind": "backup", "order": "directory", "block_size_bytes": 1 << 20}
    job = {**clients(tmp_path, backup, RUN_NS), "clients": 1}
    result = run(job, stop=itself)
    assert_seen(result)
    assert result.elapsed_ns >= RUN_NS + SEEN_NS // 2


def test_a_run_that_nobody_stops_has_no_mark(tmp_path: Path) -> None:
    result = run(load(tmp_path / "data"), stop=None)
    assert result.pauses is not None and result.drain is not None
    assert run_checks.clock_jumped(make_study(blocks=1).runs[0], result) is None
    assert result.drain.unanswered == 0
    assert result.elapsed_ns >= RUN_NS
