"""Jobs and results of other tools, from the command line: written, refused with their places."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run

JOB = "[global]\nsize=64m\nruntime=5\n[reader]\nrw=randread\niodepth=8\nioengine=libaio\n"


def test_a_job_becomes_a_study_with_its_lines(fsgauge: Run, tmp_path: Path) -> None:
    (tmp_path / "db.fio").write_text(JOB, encoding="utf-8")
    done = fsgauge("study", "from-fio", "db.fio")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wrote db.toml: 1 group, ")
    assert "note: db.fio:3 runtime: fio may be done with its bytes sooner" in done.stderr
    assert "next: fsgauge plan db.toml" in done.stderr
    assert "# db.fio:6 iodepth=8" in (tmp_path / "db.toml").read_text(encoding="utf-8")
    again = fsgauge("study", "from-fio", "db.fio")
    assert again.returncode == 2 and "db.toml exists already" in again.stderr


def test_a_command_in_a_job_is_never_run(fsgauge: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.fio").write_text(f"{JOB}exec_prerun=touch {tmp_path}/ran\n", encoding="utf-8")
    done = fsgauge("study", "from-fio", "bad.fio")
    assert done.returncode == 2
    assert "bad.fio:8:1 | exec_prerun=touch" in done.stderr
    assert "never run from a job file" in done.stderr
    assert not (tmp_path / "ran").exists() and not (tmp_path / "bad.toml").exists()
    done = fsgauge("study", "from-fio", "bad.fio", "--without", "exec_prerun")
    assert done.returncode == 0 and not (tmp_path / "ran").exists()


def test_a_command_line_is_read(fsgauge: Run, tmp_path: Path) -> None:
    done = fsgauge("study", "from-command", "mpirun -np 4 ior -w -t 1m -b 8m -F")
    assert done.returncode == 0, done.stderr
    assert 'block_sizes = "1 MiB"' in (tmp_path / "ior.toml").read_text(encoding="utf-8")


def result(path: Path, rate: float) -> None:
    operations = round(10 * rate)
    side = {"total_ios": operations, "io_bytes": 4096 * operations, "runtime": 10_000,
            "lat_ns": {"N": operations, "mean": 1e5, "min": 1, "max": 10**6},
            "clat_ns": {}}  # fmt: skip
    nothing = {"total_ios": 0, "io_bytes": 0, "runtime": 0, "lat_ns": {}, "clat_ns": {}}
    job = {"jobname": "j", "error": 0, "read": side, "write": nothing, "job_runtime": 10_000}
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": [job]}), encoding="utf-8")


def test_results_become_folders_that_are_compared(fsgauge: Run, tmp_path: Path) -> None:
    for name, rate in (("a1", 1000), ("a2", 1010), ("b1", 1500), ("b2", 1490)):
        result(tmp_path / f"{name}.json", rate)
    folders = []
    for side in ("a", "b"):
        done = fsgauge("import", f"{side}1.json", f"{side}2.json", "--results", side)
        assert done.returncode == 0, done.stderr
        folders.append(done.stdout.partition(":")[0])
    assert fsgauge("report", folders[0]).returncode == 0
    done = fsgauge("compare", *folders)
    assert done.returncode == 0, done.stderr
    assert "1.49" in done.stdout
    assert fsgauge("query", folders[0], "select count(*) from runs").returncode == 0


def test_what_nothing_known_wrote_is_refused(fsgauge: Run, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello\n", encoding="utf-8")
    done = fsgauge("import", "x.txt")
    assert done.returncode == 2
    assert "nothing that is known here wrote x.txt" in done.stderr
    assert not (tmp_path / "results").exists()
