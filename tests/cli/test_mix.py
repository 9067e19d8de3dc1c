"""A mix on a real file system: every group has its record, its ratio and its operations apart."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests import commands
from tests.patience import patience

STUDY = """\
format = 1
question = "How do a log, readers and a mail server get on?"

[storage]
kind = "path"
path = "{place}"
size = "64 MiB"

[[system]]
name = "one"
kind = "mounted"

[[system]]
name = "two"
kind = "mounted"
path = "{other}"

[workload]
kind = "mix"
primary = "commits of log"
warm_up = "50 ms"
duration = "300 ms"

[[workload.group]]
name = "log"
operations = {{ write = 1 }}
order = "sequential"
sync = "fdatasync"
file_sizes = "1 MiB"

[[workload.group]]
name = "readers"
block_sizes = ["4 KiB", "16 KiB"]
block_weights = [3, 1]
distribution = "zipf"
jobs = 2
file_sizes = "4 MiB"

[[workload.group]]
name = "mail"
operations = {{ create = 1, unlink = 1, append = 1, read_file = 2, stat = 1 }}
files = 50
file_sizes = ["0 B", "2 KiB", "20 KiB"]
start_after = "100 ms"

[plan]
blocks = 2
"""


def test_unlike_groups_run_side_by_side_and_are_told_apart(tmp_path: Path) -> None:
    for name in ("place", "other"):
        (tmp_path / name).mkdir()
    places = {name: str(tmp_path / name) for name in ("place", "other")}
    (tmp_path / "mine.toml").write_text(STUDY.format(**places), encoding="utf-8")
    environment = os.environ | {"FSGAUGE_STATE": str(tmp_path / "state")}

    def fsgauge(*arguments: str) -> str:
        done = commands.fsgauge(
            *arguments, folder=tmp_path, environment=environment, seconds=patience(120)
        )
        assert done.returncode in (0, 1, 4, 5), done.stderr
        return done.stdout

    fsgauge("run", "mine.toml")
    (folder,) = (tmp_path / "results").iterdir()
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    runs = sorted(folder.glob("records/*/*-mail.json"))
    assert len(runs) == 6, "two blocks of one, one again and two"
    job = json.loads(runs[0].read_text(encoding="utf-8"))["job"]
    assert job["start_after_ns"] == 100_000_000
    metrics = {(each["cell"], each["metric"]) for each in report["comparisons"]}
    assert {("log", "iops"), ("log", "sync.mean"), ("readers", "read.mean")} <= metrics
    assert {("mail", "append.mean"), ("mail", "close.mean"), ("mail", "unlink.mean")} <= metrics
    assert not list((tmp_path / "place").iterdir()), "nothing of the load is left"
