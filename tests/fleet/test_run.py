"""A study over hosts that are processes of this machine: `fsgauge run ... --rig fleet`.

Slow for what they check: each starts hosts, which load dask.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from pathlib import Path

from fsgauge.record.factors import factors_of
from fsgauge.record.parts import skew_bound_ns
from fsgauge.store import read_results
from tests.fleet.conftest import ENGINE, Run, hosts_file

SEGMENTED = ("--set", 'workload.ranges=["segmented"]')
SETTING = ("--set", "system.ext4.tunables./proc/sys/vm/swappiness=7")
DEVICE = ("--storage", "/dev/disk/by-id/none")


def results_of(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "results").iterdir()
    return found


def left_behind(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "disks").rglob("*") if path.parent.parent.name == "disks"]


def test_two_hosts_measure_one_study(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    """Their records, the sum of them, the page, and that it is complete when it is resumed. One of
    them does half the work, which the page says."""
    file = str(hosts_file(tmp_path, "a", "b"))
    slow = str(tmp_path / "disks" / "b")
    done = fsgauge("run", *small, "--hosts", file, FSGAUGE_FLEET_ENGINE_SLOW=slow)
    assert done.returncode == 0, done.stderr
    directory = results_of(tmp_path)
    stored = read_results(directory)
    assert [machine.name for machine in stored.before.machines] == ["a", "b"]
    assert len(stored.runs) == 6
    for run in stored.runs:
        assert [part.machine for part in run.parts] == ["a", "b"]
        each = [part.slices[0].result.read for part in run.parts]
        assert run.result is not None and run.result.read is not None
        assert run.result.read.operations == sum(side.operations for side in each if side)
        assert [start.machine for start in run.starts] == ["a", "b"]
        assert skew_bound_ns(run.starts) < 1_000_000_000
    raw = sorted(path.name for path in directory.glob("records/*/host-b-*.json"))
    assert len(raw) == 12, raw  # each turn, and the run in it
    page = (directory / "report.html").read_text()
    assert "2 hosts began each run within" in page and "lost: none" in page
    slow = r"b did [\d. to]+ % of what the other hosts? did"
    assert re.search(slow, page)
    hosts = json.loads((directory / "report.json").read_text())["hosts"]
    assert [host["name"] for host in hosts["hosts"]] == ["a", "b"]
    assert left_behind(tmp_path) == []
    done = fsgauge("resume", str(directory), "--hosts", file)
    assert done.returncode == 0 and "the study is complete" in done.stderr


def test_a_path_that_one_host_lacks_is_refused(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    """By run before anything is made, and by plan."""
    file = str(hosts_file(tmp_path, "a", "b"))
    (tmp_path / "disks" / "b").rmdir()
    done = fsgauge("run", *small, "--hosts", file)
    assert done.returncode == 2
    assert f"error: b: there is no folder {tmp_path}/disks/b" in done.stderr
    assert not (tmp_path / "results").exists()
    words = [word for word in small if word != "--quiet"]
    done = fsgauge("plan", *words, "--hosts", file)
    assert done.returncode == 2 and "refused   b: there is no folder" in done.stdout


def an_ssh(folder: Path) -> Path:
    """A program `ssh` that runs what it is given on this machine, and notes how it was called."""
    folder.mkdir()
    program = folder / "ssh"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {folder}/called\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    own = folder / "fsgauge"
    own.write_text(f'#!/bin/sh\nexec {sys.executable} -m fsgauge "$@"\n')
    for path in (program, own):
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def test_hosts_are_reached_by_ssh(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    """One host, since all that this ssh reaches is this machine: two are refused."""
    programs = an_ssh(tmp_path / "bin")
    there = {"FSGAUGE_PATH": str(programs), "PATH": f"{programs}:{os.environ['PATH']}"}
    text = f'listen = "127.0.0.1"\nlead = "500 ms"\n[defaults]\nfsgauge = "{programs}/fsgauge"\n'
    host = '[[host]]\nname = "near"\naddress = "127.0.0.1"\nuser = "bench"\n'
    file = tmp_path / "hosts.toml"
    file.write_text(text + host)
    done = fsgauge("run", *small, "--hosts", str(file), "--set", "plan.blocks=2", **there)
    assert done.returncode == 0, done.stderr
    called = (programs / "called").read_text()
    assert "BatchMode=yes" in called
    assert f"-l bench -- 127.0.0.1 {programs}/fsgauge fleet-host" in called
    machines = read_results(results_of(tmp_path)).before.machines
    assert [machine.name for machine in machines] == ["near"]
    file.write_text(text + host + '[[host]]\nname = "far"\naddress = "127.0.0.2"\n')
    done = fsgauge("run", *small, "--hosts", str(file), **there)
    assert done.returncode == 2
    assert "near and far are two names of one machine" in done.stderr


def test_what_cannot_be_done_is_refused_at_once(fsgauge: Run, tmp_path: Path) -> None:
    """No host is started for it."""
    file = str(hosts_file(tmp_path, "a", "b"))
    fleet = ("--rig", "fleet", "--hosts", file, "--yes")
    folder = ("--storage", f"path:{tmp_path}", "--system", "mounted")
    for words, said in [
        (
            ("writers", *folder, *fleet),
            "writers that overwrite one another cannot be verified over several",
        ),
        (
            ("writers", *fleet, *SEGMENTED),
            "2 hosts cannot work on the same files: each has storage",
        ),
        (("overhead", *SETTING, *fleet), "all hosts are processes of one machine"),
        (("overhead", *DEVICE, "--destroy", "S1", *fleet), '"S1" does not say whose device it is'),
        (
            ("overhead", "--destroy", "a:S1", *fleet),
            "--destroy names a device, and this study uses",
        ),
        (("connections", "--serve", "samba", *fleet), "a private samba server is for the clients"),
        (("overhead", "--hosts", "a,b"), "--hosts is about hosts, and the rig host has none"),
        (("overhead", "--rig", "fleet"), "the fleet rig needs its hosts"),
    ]:
        done = fsgauge("run", *words)
        assert done.returncode == 2 and said in done.stderr, done.stderr
    assert ENGINE.exists() and not (tmp_path / "results").exists()


def test_a_host_with_another_engine_uses_the_one_that_is_sent(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    """Its digest is checked; what is installed there stays as it is."""
    programs = an_ssh(tmp_path / "bin")
    older = programs / "older-engine"
    older.write_text(ENGINE.read_text() + "# older\n")
    older.chmod(0o755)
    shim = programs / "fsgauge"
    shim.write_text(shim.read_text().replace("exec", f"FSGAUGE_ENGINE={older} exec", 1))
    there = {"FSGAUGE_PATH": str(programs), "PATH": f"{programs}:{os.environ['PATH']}"}
    text = f'listen = "127.0.0.1"\nlead = "500 ms"\n[defaults]\nfsgauge = "{shim}"\n'
    file = tmp_path / "hosts.toml"
    file.write_text(f'{text}[[host]]\nname = "near"\naddress = "127.0.0.1"\n')
    (tmp_path / "disks").mkdir(exist_ok=True)
    done = fsgauge("run", *small, "--hosts", str(file), "--set", "plan.blocks=2", **there)
    assert done.returncode == 0, done.stderr
    assert "near has another build of the engine: it uses that of this machine" in done.stderr
    assert older.read_text().endswith("# older\n")
    assert len(read_results(results_of(tmp_path)).runs) == 4


def test_runs_with_fewer_hosts(fsgauge: Run, small: list[str], tmp_path: Path) -> None:
    """The first hosts take part; the others wait, and their own records do not pretend."""
    file = str(hosts_file(tmp_path, "a", "b"))
    changes = ("--set", "workload.hosts=[1, 2]", "--set", "plan.blocks=2")
    words = [*small, "--hosts", file, *changes]
    done = fsgauge("run", *words)
    assert done.returncode == 0, done.stderr
    directory = results_of(tmp_path)
    stored = read_results(directory)
    machines = {
        factors_of(run.cell).host_count: [part.machine for part in run.parts] for run in stored.runs
    }
    assert machines == {1: ["a"], 2: ["a", "b"]}
    assert all(
        [s.machine for s in run.starts] == [p.machine for p in run.parts] for run in stored.runs
    )
    assert all(run.fault is None for run in stored.runs)
    assert not list(directory.glob("records/*/host-b-*hosts1.json"))
    hosts = json.loads((directory / "report.json").read_text())["hosts"]
    (scaling,) = hosts["scaling"]
    assert [point["hosts"] for point in scaling["points"]] == [1, 2]
    assert left_behind(tmp_path) == []


def test_more_hosts_than_there_are_is_refused(
    fsgauge: Run, small: list[str], tmp_path: Path
) -> None:
    file = str(hosts_file(tmp_path, "a", "b"))
    done = fsgauge("run", *small, "--hosts", file, "--set", "workload.hosts=[1, 4]")
    assert done.returncode == 2
    assert "workload.hosts asks for 4 hosts, and the fleet has 2" in done.stderr
    on_one = [word if word != "fleet" else "host" for word in small]
    done = fsgauge("run", *on_one, "--set", "workload.hosts=[1, 2]")
    assert done.returncode == 2
    assert "the study asks for 2 hosts that drive the load, and the rig host has 1" in done.stderr


def test_two_hosts_on_the_same_files_and_on_separate_ones(fsgauge: Run, tmp_path: Path) -> None:
    """The shipped study of two hosts, made small: one folder, which both of them have."""
    place = tmp_path / "disks" / "shared"
    place.mkdir(parents=True)
    file = tmp_path / "hosts.toml"
    names = "".join(f'[[host]]\nname = "{name}"\n' for name in "ab")
    file.write_text(f'launcher = "local"\nlead = "500 ms"\n{names}')
    small = [
        *("--set", "storage.size=16MiB", "--set", "plan.blocks=2", "--set", "workload.files=4"),
        *("--set", "workload.duration=100ms", "--set", "workload.warm_up=0s"),
        *("--set", 'workload.patterns=["randread"]', "--set", 'workload.block_sizes=["4KiB"]'),
        *("--set", "workload.direct=false", "--quiet"),
    ]
    where = ["--storage", f"path:{place}", "--rig", "fleet", "--hosts", str(file)]
    done = fsgauge("run", "two-hosts", *where, *small)
    assert done.returncode == 0, done.stderr
    directory = results_of(tmp_path)
    runs = read_results(directory).runs
    parts = {run.cell.id.partition("hosts")[2]: len(run.parts) for run in runs}
    assert parts == {"1": 1, "2-separate": 2, "2-same": 2}
    assert all(run.fault is None for run in runs)
    assert "The same files, against separate ones" in (directory / "report.html").read_text()
    assert list(place.iterdir()) == []
