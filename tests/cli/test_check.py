"""`study from-fio --check` for real: what fio and the study ask for, seen at the system calls."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import commands
from tests.needs import need_tool
from tests.patience import patience

JOB = """\
[global]
size=64m
runtime=60

[pages]
rw=randrw
rwmixread=70
bssplit=4k/60:16k/40
norandommap

[hot]
rw=randread
norandommap
random_distribution=zipf:1.1

[scan]
rw=rw
rwmixread=80
bs=64k

[log]
rw=write
bs=8k
fdatasync=4

[back]
rw=read:-8k

[zones]
rw=randwrite
random_distribution=zoned:60/10:40/90
percentage_random=40

[turns]
rw=randread
nrfiles=4

[turns of eight]
rw=randread
norandommap
random_distribution=zipf:1.1
nrfiles=3
file_service_type=roundrobin:8

[one after the other]
rw=randwrite
nrfiles=4
file_service_type=sequential
"""


@pytest.mark.long
def test_each_section_asks_for_the_same(tmp_path: Path) -> None:
    for tool in ("fio", "strace"):
        need_tool(tool, tool)
    (tmp_path / "db.fio").write_text(JOB, encoding="utf-8")
    done = commands.fsgauge(
        *("study", "from-fio", "db.fio", "--check"),
        folder=tmp_path,
        environment=os.environ | {"FSGAUGE_STATE": str(tmp_path / "state")},
        seconds=patience(120),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("section ")]
    assert len(said) == 9 * 4 + 3, "and of several files how often the file changes"
    assert all(" equal: " in line for line in said)
