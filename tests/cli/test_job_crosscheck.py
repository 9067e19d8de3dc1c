"""A job file by the real fio and by the engine, in turns, in a folder; needs no root."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fsgauge.exit_codes import ExitCode
from tests import commands
from tests.needs import need_tool
from tests.patience import patience

JOB = """\
[global]
size=4m
runtime=1
time_based
[readers]
rw=randread
numjobs=2
filename=data
[log]
rw=write
bs=8k
fdatasync=4
write_lat_log=elsewhere
[after]
stonewall
rw=randrw
rwmixread=60
numjobs=2
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    need_tool("fio", "fio")
    (tmp_path / "place").mkdir()
    (tmp_path / "two.fio").write_text(JOB, encoding="utf-8")
    return tmp_path / "place"


def crosscheck(place: Path, *words: str) -> tuple[int, str, str]:
    storage = ["--storage", f"path:{place}", "--system", f"one={place}"]
    done = commands.fsgauge(
        *("crosscheck", "two.fio", *storage, "--pairs", "2", *words),
        folder=place.parent,
        environment=os.environ | {"FSGAUGE_STATE": str(place.parent / "state")},
        seconds=patience(180),
    )
    return done.returncode, done.stdout, done.stderr


def test_each_section_has_its_ratios_and_nothing_is_left(place: Path) -> None:
    code, said, told = crosscheck(place, "--with", "fio", "--json")
    assert code == 0, told
    *cells, ended = [json.loads(line) for line in said.splitlines()]
    assert [cell["cell_name"] for cell in cells] == ["readers", "log", "after"]
    measured = [{each["metric"] for each in cell["agreements"]} for cell in cells]
    assert {"iops", "read.p99", "cpu"} <= measured[0] and "write.p99" not in measured[0]
    assert {"iops", "write.p99"} <= measured[1] and "read.p99" not in measured[1]
    assert {"iops", "read.p50", "write.p50"} <= measured[2]
    assert all(each["pairs"] == 2 for cell in cells for each in cell["agreements"])
    runs = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (place.parent / ended["results"]).glob("runs/*/*.json")
    ]
    assert len(runs) == 2 * 2 * 3
    shares = [
        side["read"]["total_ios"] / (side["read"]["total_ios"] + side["write"]["total_ios"])
        for run in runs
        if run["fio"] and run["cell"]["name"] == "after"
        for side in run["fio"]["jobs"]
    ]
    assert len(shares) == 2 and all(0.5 < share < 0.7 for share in shares)
    assert not list(place.iterdir()), "nothing of the load is left"
    assert not list(place.parent.glob("elsewhere*")), "fio was told of no log"


@pytest.mark.parametrize(
    ("words", "what", "then"),
    [
        (("--with", "bonnie++"), "bonnie++ does not read job files", "--with fio"),
        (
            ("--with", "fio", "--set", "workload.group.log.block_sizes=4 KiB"),
            "not that of the job file any more",
            "change the job file",
        ),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(
    place: Path, words: tuple[str, ...], what: str, then: str
) -> None:
    code, _, told = crosscheck(place, *words)
    assert code == ExitCode.REFUSED
    assert what in told and f"next: {then}" in told and "Traceback" not in told
    assert not (place.parent / "results").exists()
