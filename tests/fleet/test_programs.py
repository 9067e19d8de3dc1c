"""A program of the user's on every host of a fleet: begun together, read, its end waited for."""

from __future__ import annotations

import time
from pathlib import Path

from fsgauge.machine.process.processes import processes
from fsgauge.record.parts import skew_bound_ns
from fsgauge.store import StoredStudy, read_results
from tests.fleet.conftest import Run, hosts_file
from tests.fleet.control import is_gone, running
from tests.fleet.test_run import left_behind, results_of


def words(tmp_path: Path, hosts: Path, *program: str) -> list[str]:
    place = tmp_path / "disks"
    place.mkdir(exist_ok=True)
    return [
        *("run", "command", "--rig", "fleet", "--hosts", str(hosts), "--storage", f"path:{place}"),
        *("--system", "mounted", "--set", "storage.size=16MiB", "--set", "plan.blocks=2"),
        *("--set", "workload.takes=1s", "--seed", "7", "--quiet", *program),
    ]


def stored(tmp_path: Path) -> StoredStudy:
    return read_results(results_of(tmp_path))


def test_all_hosts_begin_a_program_together(fsgauge: Run, tmp_path: Path) -> None:
    """Each in a folder of its own; the run lasts until the slowest is through, and the program's
    own number is the mean of the hosts."""
    hosts = hosts_file(tmp_path, "a", "b")
    script = "case $PWD in */b/*) sleep 1; echo tps 30;; *) echo tps 10;; esac; sync"
    number = 'workload.number=[{name="tps", better="higher", pattern="tps ([0-9]+)"}]'
    done = fsgauge(*words(tmp_path, hosts, "--set", number, "--", "sh", "-c", script))
    assert done.returncode == 0, done.stderr
    found = stored(tmp_path)
    assert len(found.runs) == 4
    for run in found.runs:
        assert run.fault is None and run.command is not None and run.result is not None
        assert [part.machine for part in run.parts] == ["a", "b"]
        each = [part.slices[0].result.elapsed_ns for part in run.parts]
        assert run.result.elapsed_ns == max(each) == each[1] >= 1_000_000_000 > each[0]
        assert run.command.values == {"tps": 20.0}
        assert run.command.output == ["a: tps 10", "b: tps 30"]
        assert [start.machine for start in run.starts] == ["a", "b"]
        assert skew_bound_ns(run.starts) < 1_000_000_000
    assert left_behind(tmp_path) == []


def test_one_that_fails_or_lacks_its_step_is_named_with_its_host(
    fsgauge: Run, tmp_path: Path
) -> None:
    hosts = hosts_file(tmp_path, "a", "b")
    failing = ("--", "sh", "-c", "case $PWD in */b/*) echo no room >&2; exit 3;; esac")
    done = fsgauge(*words(tmp_path, hosts, *failing))
    assert done.returncode == 3, done.stdout + done.stderr
    faults = {run.fault.what for run in stored(tmp_path).runs if run.fault}
    assert faults == {'b: sh ended with exit code 3: "no room"'}
    assert left_behind(tmp_path) == []


def test_a_step_that_fails_on_one_host_leaves_the_others_in_step(
    fsgauge: Run, tmp_path: Path
) -> None:
    hosts = hosts_file(tmp_path, "a", "b")
    prepare = ("--prepare", "case $PWD in */a/*) exit 7;; esac", "--", "true")
    done = fsgauge(*words(tmp_path, hosts, *prepare))
    assert done.returncode == 3, done.stdout + done.stderr
    whats = [run.fault.what for run in stored(tmp_path).runs if run.fault]
    assert len(whats) == 4
    assert all(what.startswith("a: a step of prepare failed") for what in whats)


def test_a_program_that_is_missing_is_refused_with_the_host(fsgauge: Run, tmp_path: Path) -> None:
    hosts = hosts_file(tmp_path, "a")
    done = fsgauge(*words(tmp_path, hosts, "--", "no-such-program"))
    assert done.returncode == 2
    assert "a: no-such-program is not installed" in done.stderr
    assert "Traceback" not in done.stderr


def test_when_fsgauge_is_ended_so_are_the_programs_of_all_hosts(tmp_path: Path) -> None:
    hosts = hosts_file(tmp_path, "a", "b")
    arguments = words(tmp_path, hosts, "--", "sleep", "3123")

    def sleepers() -> list[int]:
        return [
            each.pid
            for each in processes()
            if each.name == "sleep" and b"3123" in _words_of(each.pid)
        ]

    with running(tmp_path, arguments) as found:
        found.wait_until(lambda: len(sleepers()) == 2)
        pids = sleepers()
        found.process.kill()
        found.process.wait()
        ends = time.monotonic() + 60
        while not all(map(is_gone, pids)) and time.monotonic() < ends:
            time.sleep(0.1)
        assert all(map(is_gone, pids))


def _words_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
