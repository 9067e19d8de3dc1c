"""Systems in order: planted groups come out as ranks, and ties are ties."""

from __future__ import annotations

from fsgauge.stats import Results, read_study
from fsgauge.stats.ranking import best_first, ranking
from tests.synthetic import make_study

RATES = {"raw": 1.0, "twin": 1.0, "slow": 0.8, "as slow": 0.8, "fast": 1.3, "slowest": 0.5}


def results_of(blocks: int = 10, noise: float = 0.01) -> Results:
    made = make_study(
        systems=dict.fromkeys(RATES, "ext4"),
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(32,),
        blocks=blocks,
        noise=noise,
        effect=lambda system, cell: RATES[system],
    )
    return read_study(made.turns, made.runs, made.study, made.before, made.after)


def ranks(results: Results) -> dict[str, tuple[int, int]]:
    found = ranking(results, results.primary_cells[0])
    return {each.system: (each.first, each.last) for each in found}


def test_planted_groups_share_ranks() -> None:
    assert ranks(results_of()) == {
        "fast": (1, 1),
        "raw": (2, 3),
        "twin": (2, 3),
        "slow": (4, 5),
        "as slow": (4, 5),
        "slowest": (6, 6),
    }


def test_the_order_is_best_first_and_has_all() -> None:
    order = best_first(results_of())
    assert order[0] == "fast" and order[-1] == "slowest" and sorted(order) == sorted(RATES)


def test_noise_or_few_blocks_make_ties() -> None:
    assert set(ranks(results_of(blocks=2)).values()) == {(1, 6)}
    noisy = ranks(results_of(blocks=4, noise=0.6))
    assert noisy["slow"] == noisy["as slow"]
    assert len(set(noisy.values())) < 4


def test_each_group_begins_with_its_best() -> None:
    found = ranking(results_of(noise=0.05), "randread-4KiB-depth32")
    ratios = [each.entry.ratio if each.entry else 1.0 for each in found]
    assert ratios == sorted(ratios, reverse=True)
    assert [each.first for each in found] == sorted(each.first for each in found)
    assert all(each.first <= place <= each.last for place, each in enumerate(found, 1))


def test_a_group_that_begins_with_the_baseline_holds_none_that_is_decidedly_worse() -> None:
    for noise in (0.01, 0.05, 0.2):
        found = ranking(results_of(noise=noise), "randread-4KiB-depth32")
        (baseline,) = (each for each in found if each.entry is None)
        if baseline.first == found.index(baseline) + 1:
            verdicts = [e.entry.verdict for e in found if e.first == baseline.first and e.entry]
            assert "worse" not in verdicts
