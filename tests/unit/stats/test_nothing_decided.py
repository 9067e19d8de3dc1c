"""Answers where nothing is decided, or noise hides everything: they are sentences, not figures."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable

import pytest

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell
from fsgauge.stats import Results
from fsgauge.stats.wording import least_shown
from tests.synthetic import ONE_CELL, make_study

PRIMARY = ["randread-4KiB-depth32", "randread-64KiB-depth32"]


def read(effect: Callable[[str, Cell], float], noise: float = 0.0) -> Results:
    return make_study(
        patterns=("randread",),
        block_sizes=(4096, 65536),
        queue_depths=(32,),
        primary=PRIMARY,
        noise=noise,
        effect=effect,
    ).results()


def verdicts(results: Results) -> list[set[str]]:
    return [
        {e.verdict for e in results.comparisons if e.cell == cell and e.metric == "iops"}
        for cell in PRIMARY
    ]


def test_of_many_systems_in_two_blocks_it_says_that_it_names_three() -> None:
    """The sentence named three of twenty-nine as if there were no others."""
    one = {**ONE_CELL, "blocks": 2}
    many = {"raw": "raw"} | {f"ext4 {number}": "ext4" for number in range(28)}
    for systems, end in (
        (many, " (25 more in the report)."),
        ({"raw": "raw", "xfs": "xfs"}, "raw."),
    ):
        study = make_study(systems=systems, **one)
        answer = study.results().answer
        assert answer.startswith("Undecided: 2 complete blocks") and answer.endswith(end)


def test_systems_that_are_exactly_equal() -> None:
    assert "equal" in read(lambda system, cell: 1.0).answer


def test_a_noisy_first_cell_where_the_others_are_equal() -> None:
    """It ended in ValueError: the largest of no differences."""
    chance = random.Random(1)

    def effect(system: str, cell: Cell) -> float:
        is_noisy = OverheadFactors.of(cell).block_size_bytes == 4096
        return math.exp(chance.gauss(0, 0.3)) if is_noisy else 1.0

    results = read(effect, noise=0.001)
    assert verdicts(results) == [{"undecided"}, {"equivalent"}]
    first, second, rates = results.lines
    assert first == "ext4 and xfs equal raw in 64 KiB random reads at depth 32 within 3 %."
    assert second.startswith("Too noisy to tell ext4 and xfs from raw in 4 KiB random reads")
    assert re.match(r"raw does .+ and .+ in 4 KiB random reads at depth 32 and 64 KiB ", rates)


def test_noise_that_hides_everything_is_said_in_words() -> None:
    """It was: only a difference of over 1000 % or more would have shown."""
    chance = random.Random(1)
    results = read(lambda system, cell: math.exp(chance.gauss(0, 5)))
    assert results.answer.startswith("Too noisy to tell")
    assert "Not even a tenfold difference would have shown." in results.answer
    assert "1000" not in results.answer


@pytest.mark.parametrize(
    ("percents", "words"),
    [
        ([46.9, 47.4], "only a difference of 47 % or more would have shown"),
        ([999.0], "only a factor of 11.0 or more would have shown"),
        ([1e4, math.inf], "not even a tenfold difference would have shown"),
    ],
)
def test_what_would_have_shown(percents: list[float], words: str) -> None:
    assert (
        least_shown({f"system {at}": each for at, each in enumerate(percents)}, " or more") == words
    )
