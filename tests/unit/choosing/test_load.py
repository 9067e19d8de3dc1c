"""What a load works hardest, of shipped studies."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.choosing.load import LOADS, load_of
from fsgauge.choosing.race_study import load_text
from fsgauge.study.parse import load_study, parse_study


@pytest.mark.parametrize(
    ("study", "loads"),
    [
        ("postgresql", {"commits"}),
        ("overhead", {"random", "overwrites", "reads"}),
        ("capacity", {"random", "reads"}),
        ("mix-mail", {"commits", "files", "reads"}),
        ("mix-oltp", {"commits", "overwrites", "random", "reads"}),
        ("connections", {"files", "reads"}),
        ("mix-video", {"reads", "streams"}),
        ("command-pgbench", set(LOADS)),
    ],
)
def test_it_is_read_off_the_keys(study: str, loads: set[str]) -> None:
    assert load_of(load_study(study)) == loads


@pytest.mark.parametrize(
    ("job", "loads"),
    [
        ("rw=randread\ndirect=1\niodepth=8\nioengine=libaio", {"random", "reads"}),
        ("rw=randrw\ndirect=1", {"random", "overwrites", "reads"}),
        ("rw=write\nfdatasync=1", {"commits", "streams"}),
    ],
)
def test_a_job_that_makes_no_files_while_it_is_measured(
    job: str, loads: set[str], tmp_path: Path
) -> None:
    """Reads at random in a large file were called files and streams, and got their options."""
    file = tmp_path / "db.fio"
    file.write_text(f"[db]\nbs=4k\nsize=64m\nruntime=2\ntime_based\n{job}\n")
    name, text = load_text(str(file))
    assert load_of(parse_study(text, name, name)) == loads
