"""Faults of hosts that are processes: what is said, how soon it is seen, how the study goes on.

Slow because they are real: each study starts its hosts, which load dask, and one of them again.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.programs import child_environment
from fsgauge.rig.fleet import block
from fsgauge.store import read_results
from tests.fleet.conftest import Run, hosts_file
from tests.fleet.faulty import MOMENTS, Fault, Faulty, faulty
from tests.fleet.networks import networks
from tests.fleet.test_processes import TWO_BLOCKS, voided
from tests.fleet.test_run import left_behind, results_of

__all__ = ["faulty"]

SLACK_SECONDS = 30.0
"""Added to each bound: two cores carry a coordinator, hosts, and whatever else runs."""


@contextmanager
def mounted_memory(place: Path, size: str) -> Iterator[None]:
    """A file system in memory of that size, until the context ends."""
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
    subprocess.run(words, check=True, env=child_environment())
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True, env=child_environment())


def complete(directory: Path, hosts: list[str], *, blocks: int) -> None:
    """All runs are there, each of all hosts."""
    runs = read_results(directory).runs
    assert len(runs) == 2 * blocks
    assert all([part.machine for part in run.parts] == hosts for run in runs)


@pytest.mark.root
def test_a_network_that_is_cut(faulty: Faulty, tmp_path: Path) -> None:
    """Before a start, and under load. No connection is closed by it, so it is silence that tells:
    15 s, and here 6."""
    with networks("a", "b") as own:
        faulty.faults += [
            Fault(moment, lambda: own.cut("b"), lambda: own.mend("b"))
            for moment in (MOMENTS[0], MOMENTS[2])
        ]
        outcome = faulty.measure(["a", "b"], own.launcher(), own.address)
    assert outcome.ended_by is None
    assert voided(outcome.directory) == ["b: it gave no answer for 6 s"] * 2, faulty.said
    assert max(faulty.seen_after) < 15 + SLACK_SECONDS
    complete(outcome.directory, ["a", "b"], blocks=2)
    assert left_behind(tmp_path) == []


def test_a_host_that_hangs_and_an_engine_that_does(
    faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their processes are stopped, and connections stay. For an engine, the other host waits no
    longer than its patience lasts."""
    monkeypatch.setattr(block, "_LEAST_PATIENCE_SECONDS", 5.0)
    monkeypatch.setattr(block, "_PATIENCE", 0.0)
    faulty.faults += [
        Fault(MOMENTS[2], lambda: os.kill(faulty.pid("b"), signal.SIGSTOP)),
        Fault(MOMENTS[2], lambda: os.kill(faulty.engine("b"), signal.SIGSTOP)),
    ]
    outcome = faulty.measure(["a", "b"])
    assert outcome.ended_by is None
    hung, waited_for = voided(outcome.directory)
    assert hung == "b: it gave no answer for 6 s", faulty.said
    assert waited_for.startswith("b: it is not ready, and a has waited ")
    assert max(faulty.seen_after) < 15 + SLACK_SECONDS
    complete(outcome.directory, ["a", "b"], blocks=2)
    assert left_behind(tmp_path) == []


def test_a_disk_that_is_full_on_one_host(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    """The study goes on, and says whose disk it was; nothing is compared, which is exit code 3."""
    file = str(hosts_file(tmp_path, "a", "b"))
    full = str(tmp_path / "disks" / "b")
    done = fsgauge("run", *small, *TWO_BLOCKS, "--hosts", file, FSGAUGE_FLEET_ENGINE_FULL=full)
    directory = results_of(tmp_path)
    runs = read_results(directory).runs
    assert len(runs) == 4
    faults = {run.fault.what for run in runs if run.fault}
    assert faults == {"b: write of 4096 bytes at 0 failed: No space left on device"}
    assert all(run.parts == [] for run in runs)
    assert done.returncode == 3, done.stderr
    assert "No space left on device" in (directory / "report.html").read_text()
    assert left_behind(tmp_path) == []


def test_a_job_that_the_engine_refuses(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    """It would refuse it on every host: the study ends with its sentence, and no host is blamed.

    Which of the two engines is heard first is a matter of timing.
    """
    file = str(hosts_file(tmp_path, "a", "b"))
    done = fsgauge("run", *small, "--hosts", file, FSGAUGE_FLEET_ENGINE_REFUSES="load")
    assert done.returncode == 2, done.stderr
    said = r"^error: [ab]: 4097 jobs: 4096 is the limit\nnext: fewer jobs$"
    assert re.search(said, done.stderr, re.MULTILINE), done.stderr
    assert "block 1" not in done.stderr and "left out" not in done.stderr
    assert list((tmp_path / "results").iterdir()) == []
    assert left_behind(tmp_path) == []


def test_an_engine_that_is_prepared_too_late(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    """The run begins again on both hosts. It was a failed run, as if the system had failed."""
    file = str(hosts_file(tmp_path, "a", "b"))
    late = tmp_path / "late"
    late.touch()
    done = fsgauge("run", *small, *TWO_BLOCKS, "--hosts", file, FSGAUGE_FLEET_ENGINE_LATE=str(late))
    assert done.returncode == 0, done.stderr
    assert not late.exists()
    assert "the start was missed: it was 204.0 ms ago" in done.stderr
    assert "the run begins again, 1 s after it is told" in done.stderr
    runs = read_results(results_of(tmp_path)).runs
    assert len(runs) == 4 and all(run.fault is None and len(run.parts) == 2 for run in runs)
    journal = (results_of(tmp_path) / "journal.ndjson").read_text()
    assert journal.count('"start missed"') == 1 and '"void"' not in journal
    assert left_behind(tmp_path) == []


@pytest.mark.root
def test_a_disk_without_room_is_refused_with_its_host(faulty: Faulty, tmp_path: Path) -> None:
    """Before anything is measured."""
    hosts_file(tmp_path, "a", "b")
    with mounted_memory(tmp_path / "disks" / "b", "4m"), pytest.raises(InputError) as caught:
        faulty.measure(["a", "b"])
    assert caught.value.what.startswith("b: ")
    assert not (tmp_path / "results").exists()
