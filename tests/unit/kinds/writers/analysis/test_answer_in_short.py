"""What several writers do over one, behind the rates of so many systems that few words are left."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge.kinds.writers.analysis.answer import writers_answer
from fsgauge.kinds.writers.analysis.answer_in_short import in_short
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.record.records import Cell
from fsgauge.stats import read_study
from tests.synthetic_writers import make_writers

LIMIT = "a disk's IOPS limit"


def rate(system: str, writers: int) -> float:
    return {"raw": 1.93, "xfs": 1.37, "ext4": 1.0}[system] ** (writers - 1) * 20_000


def measured(causes: Mapping[str, str], noise: float = 0.0) -> tuple[Scaling, list[Cell]]:
    """A study of two writers in which the rig set the ratios of some systems."""
    study = make_writers(rate=rate, noise=noise, block_noise=0.0)
    results = read_study(study.turns, study.runs, study.study, study.before)
    found = Scaling.of(results)
    assert found is not None
    lines = [
        line.model_copy(update={"limited_by": causes.get(line.system, "")}) for line in found.lines
    ]
    primary = [results.cell(cell) for cell in results.primary_cells]
    return found.model_copy(update={"lines": lines}), primary


def test_what_a_disk_s_limit_sets_is_no_number_of_a_system() -> None:
    """`writers-nfs` asks whether NFS scales as a disk does, and its answer had rates alone."""
    assert in_short(*measured({"ext4": LIMIT, "raw": LIMIT}), 3.0) == (
        "Two writers do 1.37 times the writes of one on xfs (in every block); a disk's IOPS limit"
        " sets that on raw and ext4."
    )
    assert in_short(*measured(dict.fromkeys(("raw", "xfs", "ext4"), LIMIT)), 3.0) == (
        "A disk's IOPS limit sets what two writers do over one on raw, ext4 and xfs."
    )


def test_what_is_too_noisy_is_named() -> None:
    said = in_short(*measured({"xfs": LIMIT, "raw": LIMIT}, noise=3.0), 3.0)
    assert said == (
        "A disk's IOPS limit sets what two writers do over one on raw and xfs; too noisy to tell on"
        " ext4."
    )
    said = in_short(*measured({}, noise=3.0), 3.0)
    assert said.endswith("; too noisy to tell on ext4 and xfs."), said


def test_the_long_form_names_the_limit_in_place_of_a_verdict() -> None:
    said = writers_answer(*measured({"ext4": LIMIT}), 3.0)
    assert "on ext4 (in every block, set by a disk's IOPS limit)" in said
    assert said.count("set by") == 1
