"""The study that a converted job is written as."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from fsgauge.converting import study_from_file

JOB = "[log]\nrw=randwrite\nbs=8k\nsize={size}\nruntime=5\ntime_based\nprio=5\n"


def text_of(tmp_path: Path, size: str = "64m") -> str:
    job = tmp_path / "job.fio"
    job.write_text(JOB.format(size=size), encoding="utf-8")
    return study_from_file(job, systems=("ext4", "xfs"), without=("prio",)).text


def test_its_head_says_what_differs_and_what_is_compared(tmp_path: Path) -> None:
    text = text_of(tmp_path)
    head = text.partition("format = 1")[0]
    assert "What differs" in head and "prio" in head
    study = tomllib.loads(text)
    assert [each["name"] for each in study["system"]] == ["ext4", "xfs"]
    assert (study["plan"]["blocks"], study["workload"]["kind"]) == (6, "mix")


def test_each_key_stands_beside_the_line_that_it_is_from(tmp_path: Path) -> None:
    lines = text_of(tmp_path).splitlines()
    (size,) = (line for line in lines if line.startswith("block_sizes"))
    (duration,) = (line for line in lines if line.startswith("duration"))
    assert "bs=8k" in size.partition("# ")[2] and "runtime=5" in duration.partition("# ")[2]
    assert size.index("#") == duration.index("#")


@pytest.mark.parametrize(("size", "storage"), [("64m", "1 GiB"), ("800m", "2 GiB")])
def test_the_storage_has_room_for_all_files(tmp_path: Path, size: str, storage: str) -> None:
    """A third more than the files, in whole GiB."""
    assert tomllib.loads(text_of(tmp_path, size))["storage"]["size"] == storage
