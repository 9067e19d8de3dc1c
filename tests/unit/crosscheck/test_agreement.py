"""What an interval of engine / fio supports, and what the runs say about a difference."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fsgauge.crosscheck.agreement import Word, agreements, explanation, word_for
from fsgauge.crosscheck.fio import Numbers
from fsgauge.crosscheck.sitting import tools_in_order


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.98, 1.02, "agrees"),
        (1.01, 1.02, "agrees"),
        (0.95, 1.04, "agrees"),
        (0.80, 0.90, "differs"),
        (1.01, 1.05, "differs"),
        (0.50, 2.00, "undecided"),
        (None, None, "undecided"),
    ],
)
def test_the_word_is_what_the_interval_supports(
    low: float | None, high: float | None, word: Word
) -> None:
    assert word_for(low, high) == word


def numbers(rate: float, share: float = 0.5, **more: float) -> Numbers:
    return Numbers({"iops": rate, **more}, share)


def test_the_ratio_is_the_engine_over_fio_pair_by_pair() -> None:
    """Drift that is in both tools of a pair takes nothing from the ratio."""
    engine = [numbers(110.0), numbers(220.0), numbers(55.0)]
    fio = [numbers(100.0), numbers(200.0), numbers(50.0)]
    (found,) = agreements(engine, fio)
    assert found.ratio == pytest.approx(1.1)
    assert (found.low, found.high) == (pytest.approx(1.1), pytest.approx(1.1))
    assert (found.word, found.pairs) == ("differs", 3)


def test_a_metric_that_one_run_lacks_is_not_compared() -> None:
    engine = [numbers(1.0, cpu=5.0), numbers(1.0)]
    fio = [numbers(1.0, cpu=5.0), numbers(1.0, cpu=5.0)]
    assert [found.metric for found in agreements(engine, fio)] == ["iops"]


def test_threads_that_never_wait_explain_a_difference() -> None:
    idle, busy = [numbers(1.0, 0.6)], [numbers(1.0, 0.99)]
    assert explanation(idle, idle) == ""
    assert "the threads of fio never waited" in explanation(idle, busy)
    assert "the threads of both never waited" in explanation(busy, busy)


def test_what_fio_encloses_of_its_own_work_explains_reads_from_memory() -> None:
    """A p50 of 0.80 of fio's was reported without a word on what the two clocks enclose."""
    memory, disk = [numbers(1.0, **{"read.p50": 1250.0})], [numbers(1.0, **{"read.p50": 3400.0})]
    said = explanation(memory, memory)
    assert "about 100 ns of its own work, 8 % of its p50 here" in said
    assert "of one below 3.33 us that alone is over 3 %" in said
    assert explanation(disk, disk) == ""
    mixed = [numbers(1.0, 0.99, **{"read.p50": 90_000.0, "write.p50": 1000.0})]
    assert "never waited" in explanation(mixed, mixed)
    assert "10 % of its p50" in explanation(mixed, mixed)


@pytest.mark.parametrize("seed", range(8))
def test_each_tool_goes_first_in_half_of_the_pairs(seed: int) -> None:
    firsts = [first for first, _ in tools_in_order(6, seed, ("engine", "fio"))]
    assert firsts.count("engine") == 3
    assert all(a != b for a, b in pairwise(firsts))


def test_who_begins_is_by_lot() -> None:
    assert {tools_in_order(1, seed, ("engine", "fio"))[0][0] for seed in range(20)} == {
        "engine",
        "fio",
    }
