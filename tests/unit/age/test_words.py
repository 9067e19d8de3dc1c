"""The text: how it ended, what failed, the layout before and after, fidelity."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from fsgauge.age.record import NOT_ASKED, MadeTarget
from fsgauge.age.wearing import Fidelity
from fsgauge.age.words import fidelity_lines, lines_of, notes
from fsgauge.engine.wire import AgeEnded, DatabaseProfile, Note
from tests.age_example import aged, worn
from tests.scan_example import example


def test_the_first_lines_say_what_was_done(tmp_path: Path) -> None:
    lines = lines_of(MadeTarget(Path("/x\x1b.img")), worn(tmp_path), NOT_ASKED)
    assert lines[0] == r"/x\x1b.img  ext4, churn in mode fast, seed 1, completed"
    assert "5 operations in 1 ms, 4 MiB written; 4 MiB in 1 file live" in lines[1]
    row = next(line for line in lines if line.startswith("extents per file"))
    assert row.split()[-3:] == ["1.000", "2.000", "+1.000"]


def test_an_early_end_and_failures_are_findings(tmp_path: Path) -> None:
    lines = lines_of(MadeTarget(tmp_path), worn(tmp_path, behaviour="no space"), NOT_ASKED)
    found = [line for line in lines if line.startswith("finding")]
    assert "no space left" in found[0] and "kept" in found[0]
    assert "append failed 7 times: No space left on device (first at operation 6)" in found[1]
    assert "2 operations were skipped" in found[2]


@pytest.mark.parametrize("ended", get_args(AgeEnded))
def test_every_end_has_its_words(ended: AgeEnded, tmp_path: Path) -> None:
    early = worn(tmp_path)
    early = replace(early, result=early.result.model_copy(update={"ended": ended}))
    lines = lines_of(MadeTarget(tmp_path), early, NOT_ASKED)
    assert any(line.startswith("finding") for line in lines) == (ended != "complete")


def test_storage_that_failed_is_a_finding_and_not_a_note(tmp_path: Path) -> None:
    failed = worn(tmp_path)
    note = Note(code="age.storage_failed", text="the storage below failed")
    failed = replace(failed, result=failed.result.model_copy(update={"notes": [note]}))
    lines = lines_of(MadeTarget(tmp_path), failed, NOT_ASKED)
    assert [line for line in lines if note.text in line] == [f"finding      {note.text}"]


def test_fidelity_is_said_or_said_to_be_missing(tmp_path: Path) -> None:
    found = Fidelity(
        mode="fast",
        size_bytes=512 << 20,
        seeds=(1, 2),
        extent_length_distance=0.1234,
        extent_length_floor=0.003,
        extent_length_other_seed=0.05,
        free_length_distance=None,
        free_length_floor=None,
        free_length_other_seed=None,
    )
    (line,) = fidelity_lines(aged(tmp_path), found)
    assert "512 MiB: extents 0.123 (written again 0.003, another seed 0.050), free" in line
    assert "not measured" in fidelity_lines(aged(tmp_path), NOT_ASKED)[0]
    assert (
        "mode write is the reference" in fidelity_lines(aged(tmp_path, mode="write"), NOT_ASKED)[0]
    )


def test_a_scan_that_was_cut_short_is_a_note(tmp_path: Path) -> None:
    short = replace(worn(tmp_path), after=example(ended="interrupted"))
    lines = lines_of(MadeTarget(tmp_path), short, NOT_ASKED)
    assert any("note" in line and "stopped early" in line for line in lines)


@pytest.mark.parametrize(
    ("kind", "size_bytes", "block_size_bytes", "noted"),
    [
        ("ext4", 511 << 20, 1024, True),
        ("ext4", 511 << 20, 4096, False),
        ("ext4", 1 << 30, 1024, False),
        ("xfs", 400 << 20, 1024, False),
    ],
)
def test_small_blocks_of_a_small_ext4_are_a_note(
    tmp_path: Path, kind: str, size_bytes: int, block_size_bytes: int, noted: bool
) -> None:
    made = worn(tmp_path)
    source = made.after.source.model_copy(
        update={
            "file_system": kind,
            "size_bytes": size_bytes,
            "block_size_bytes": block_size_bytes,
        }
    )
    made = replace(made, after=made.after.model_copy(update={"source": source}))
    assert any("blocks of 1 KiB" in each for each in notes(made)) == noted


def test_copies_of_overwrites_are_a_note(tmp_path: Path) -> None:
    done = worn(tmp_path)
    result = done.result.model_copy(
        update={"profile": DatabaseProfile(), "mode": "write", "fill_percent": 40.0}
    )
    source = done.after.source.model_copy(update={"file_system": "btrfs"})
    copied = replace(done, result=result, after=done.after.model_copy(update={"source": source}))
    assert any("is copy-on-write" in each and "40 %" in each for each in notes(copied))
    assert not any("copies" in each for each in notes(replace(done, result=result)))
