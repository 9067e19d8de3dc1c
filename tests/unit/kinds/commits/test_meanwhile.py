"""What it costs commits that something else is written, in a sentence."""

from __future__ import annotations

import pytest

from fsgauge.kinds.commits.analysis import OverPartner, _on, _pairs
from fsgauge.stats.verdict import Verdict
from tests.synthetic import make_study
from tests.unit.kinds.commits.studies import workload


def cost(ratio: float, low: float, high: float, verdict: Verdict) -> str:
    return _on(
        OverPartner(
            ratio=ratio,
            low=low,
            high=high,
            p_adjusted=0.01,
            verdict=verdict,
            n=6,
            cell="with",
            partner="without",
            system="ext4",
        ),
        "without it",
    )


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0.2, 0.16, 0.25, "worse"), "a commit on ext4 takes 5.00 times as long (4.00 to 6.25)"),
        ((0.9, 0.7, 1.2, "undecided"), "cannot be told from one without it (0.83 to 1.43)"),
        ((0.9, 1e-7, 1e7, "undecided"), "on ext4 the noise is too large to say"),
    ],
)
def test_a_rate_is_said_as_a_time(numbers: tuple[float, float, float, Verdict], said: str) -> None:
    assert said in cost(*numbers)


def test_a_cell_is_held_against_the_same_without() -> None:
    cells = workload('meanwhile = ["nothing", "checkpoint"]\ncommitters = [1, 4]').cells()
    plan = make_study(blocks=2).study.plan.model_copy(update={"cells": cells})
    found = [(cell.name, alone.name) for cell, alone in _pairs(plan, "meanwhile", "nothing")]
    assert found == [
        ("fdatasync 8 KiB, 1 committer, checkpoint", "fdatasync 8 KiB, 1 committer, nothing"),
        ("fdatasync 8 KiB, 4 committers, checkpoint", "fdatasync 8 KiB, 4 committers, nothing"),
    ]


def test_another_way_of_syncing_is_held_against_the_first() -> None:
    cells = workload('syncs = ["fdatasync", "fsync"]\ncommitters = [1, 4]').cells()
    plan = make_study(blocks=2).study.plan.model_copy(update={"cells": cells})
    found = [(cell.name, first.name) for cell, first in _pairs(plan, "sync", "fdatasync")]
    assert found == [
        ("fsync 8 KiB, 1 committer", "fdatasync 8 KiB, 1 committer"),
        ("fsync 8 KiB, 4 committers", "fdatasync 8 KiB, 4 committers"),
    ]
