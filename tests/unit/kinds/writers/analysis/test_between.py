"""Ratios between ways to write, and blocks of which every run was made."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.writers.analysis import made_blocks
from fsgauge.kinds.writers.analysis.model import Scaling
from tests.synthetic_writers import make_writers


def scaling(**changes: Any) -> Scaling:
    study = make_writers(noise=0.0, block_noise=0.1, **changes)
    found = study.results().own
    assert found is not None
    return found


def test_each_group_is_held_against_the_first_at_each_number_of_writers() -> None:
    rows = scaling(ranges=("shared", "own_files"), direct=(True, False)).between_groups
    assert {row.first for row in rows} == {"shared, direct"}
    assert {row.group for row in rows} == {
        "shared, buffered",
        "own files, direct",
        "own files, buffered",
    }
    assert len(rows) == 3 * 3 * 2
    for row in rows:
        assert row.ratio.value == pytest.approx(1.0) and row.ratio.n == 8


def test_one_group_has_nothing_beside_it() -> None:
    assert scaling().between_groups == []


def test_a_block_is_whole_when_every_run_of_it_was_made() -> None:
    study = make_writers(blocks=3)
    assert made_blocks(study.study.plan, study.runs) == 3
    assert made_blocks(study.study.plan, study.runs[:-1]) == 2
    assert made_blocks(study.study.plan, []) == 0
    broken = study.runs[-1].model_copy(update={"parts": [], "fault": "no room"})
    assert made_blocks(study.study.plan, [*study.runs[:-1], broken]) == 3
