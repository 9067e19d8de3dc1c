"""Systems in order: planted groups come out as ranks, and ties are ties."""

from __future__ import annotations

import math

import pytest

from fsgauge.stats import Results
from fsgauge.stats.ranking import best_first, ranking
from fsgauge.stats.ratio import ratio_of_blocks
from fsgauge.stats.verdict import judge
from tests.synthetic import ONE_CELL, make_study

RATES = {"raw": 1.0, "twin": 1.0, "slow": 0.8, "as slow": 0.8, "fast": 1.3, "slowest": 0.5}


def results_of(blocks: int = 10, noise: float = 0.01) -> Results:
    return make_study(
        systems=dict.fromkeys(RATES, "ext4"),
        **ONE_CELL,
        blocks=blocks,
        noise=noise,
        effect=lambda system, cell: RATES[system],
    ).results()


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


def test_best_is_first_and_each_may_stand_where_it_does() -> None:
    found = ranking(results_of(noise=0.05), "randread-4KiB-depth32")
    ratios = [each.entry.ratio if each.entry else 1.0 for each in found]
    assert ratios == sorted(ratios, reverse=True)
    assert all(each.first <= place <= each.last for place, each in enumerate(found, 1))


def with_systems(rates: dict[str, float], scatter: dict[str, float]) -> Results:
    """Blocks at these rates, in which each system scatters by itself."""
    results = results_of(blocks=8, noise=0.01)
    cell, metric = results.primary_cells[0], "iops"
    shape = [1, -1, 1, -1, -1, 1, -1, 1]
    changed = []
    for name, entry in ((e.system, e) for e in results.comparisons if e.metric == metric):
        if name not in rates:
            continue
        logs = [math.log(rates[name]) + scatter[name] * sign for sign in shape]
        ratio = ratio_of_blocks(logs)
        assert ratio is not None
        verdict = judge(ratio, log_margin=0.03, p_adjusted=ratio.p, higher_is_better=True)
        blocks = [(block, math.exp(log)) for block, log in enumerate(logs)]
        numbers = {"ratio": ratio.ratio, "verdict": verdict, "blocks": blocks}
        changed.append(entry.model_copy(update=numbers | {"rig_deviation": 0.0}))
    systems = ["raw", *rates]
    assert {each.cell for each in changed} == {cell}
    return results.model_copy(update={"comparisons": changed, "systems": systems})


def test_what_is_better_never_shares_the_ranks_of_what_it_beats() -> None:
    """A page ranked "1 to 3" what it called better, as the best of all was too noisy itself."""
    results = with_systems({"slow": 1.3, "fast": 1.15}, {"slow": 0.5, "fast": 0.01})
    found = ranks(results)
    assert found == {"slow": (1, 3), "fast": (1, 2), "raw": (2, 3)}


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.1, 0.3])
def test_ranks_say_what_verdicts_say(noise: float) -> None:
    """Of a system and the baseline: apart where one is better, in common where none is."""
    results = results_of(noise=noise, blocks=5)
    found = ranking(results, results.primary_cells[0])
    (raw,) = (each for each in found if each.entry is None)
    for each in found:
        if each.entry is None:
            continue
        better, worse = (raw, each) if each.entry.verdict == "worse" else (each, raw)
        if each.entry.verdict in ("better", "worse"):
            assert better.first < worse.first or better.last < worse.last
            assert (better.first, better.last) != (worse.first, worse.last)
        else:
            assert max(each.first, raw.first) <= min(each.last, raw.last)


def test_a_rig_that_scatters_tells_nobody_apart() -> None:
    results = with_systems({"fast": 1.3, "slow": 0.8}, {"fast": 0.01, "slow": 0.01})
    assert ranks(results)["fast"] == (1, 1)
    loud = [
        each.model_copy(update={"rig_deviation": 5.0, "verdict": "too noisy"})
        for each in results.comparisons
    ]
    assert set(ranks(results.model_copy(update={"comparisons": loud})).values()) == {(1, 3)}
