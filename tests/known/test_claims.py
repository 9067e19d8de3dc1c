"""Known answers: what a page claims on a rig whose own noise is 10, 30, 100 and 300 percent.

Size: 20 000 studies a case in numpy, of which the first are held against `compare_all`; and 40
whole studies a rig, whose every verdict, rank and sentence is read. Seeded.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from fsgauge.stats import Results
from fsgauge.stats.ranking import ranking
from tests.known.noise_models import NoiseModel, nothing
from tests.known.simulated_studies import Analysed, judged_in, rates
from tests.synthetic import make_study

STUDIES = 20_000
RIGS = [pytest.param(math.log1p(share), id=f"{share:.0%}") for share in (0.1, 0.3, 1.0, 3.0)]
BLOCKS = (3, 5, 8, 20)
EFFECTS = np.log([1.03, 1.1, 1.3, 2, 4, 10, 30])


def rig(deviation: float) -> NoiseModel:
    return NoiseModel("rig", nothing, white=deviation)


@pytest.mark.parametrize("systems", [2, 4])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("deviation", RIGS)
def test_equal_systems_are_seldom_called_different(
    deviation: float, blocks: int, systems: int
) -> None:
    assert rates(rig(deviation), systems, blocks, STUDIES).false_alarms <= 0.04


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("deviation", RIGS)
def test_what_is_claimed_is_held_by_its_interval(deviation: float, blocks: int) -> None:
    """Whatever the effect, fewer than 4 of 100 studies claim an interval that does not hold it.

    So of claims 95 of 100 hold theirs from where an effect is claimed in four of five studies on
    with room to spare, and from where it is in a third. An effect far below the noise is claimed
    by chance alone; it is as rare as a false claim.
    """
    logs = rig(deviation).logs(blocks, STUDIES, blocks, 3)
    analysed = Analysed.of(logs)
    means, halves = analysed.means[:, 0], analysed.halves[:, 0]
    held = np.abs(means) <= halves
    for effect in EFFECTS:
        claimed = (np.abs(means + effect) > halves) & (2 * halves <= math.log(100))
        assert np.mean(claimed & ~held) <= 0.04
        if np.mean(claimed) > 1 / 3:
            assert np.mean(held[claimed]) >= 0.95


SYSTEMS = {name: name for name in ("raw", "ext4", "xfs", "btrfs")}


PROCESSOR = ("cpu", "machine_cpu")


def equal_systems(deviation: float, seed: int) -> Results:
    return make_study(
        systems=SYSTEMS,
        patterns=("randread", "randwrite"),
        block_sizes=(4096,),
        queue_depths=(1,),
        duration_s=1,
        blocks=4,
        noise=deviation,
        seed=seed,
        effect=lambda system, cell: 1.0,
    ).results()


def claims_of(results: Results) -> bool:
    """Whether any verdict or rank of the page says that two systems differ; what processors do for
    an operation does differ in these records."""
    judged = judged_in(results.model_dump())
    verdicts = {each["verdict"] for each in judged if each.get("metric") not in PROCESSOR}
    ranks = [each for cell in results.primary_cells for each in ranking(results, cell)]
    last = len(results.systems)
    return bool(verdicts & {"better", "worse"}) or any(
        (each.first, each.last) != (1, last) for each in ranks
    )


@pytest.mark.parametrize("deviation", RIGS[:3])
def test_a_whole_page_seldom_claims_anything_of_equal_systems(deviation: float) -> None:
    """All metrics, cells and ranks together: at most 5 of 100, and what 40 studies leave open.

    Records with 300 % of noise in a histogram's width are beyond numbers.
    """
    found = [equal_systems(deviation, seed) for seed in range(40)]
    assert sum(map(claims_of, found)) <= 40 * 0.05 + 3 * math.sqrt(40 * 0.05 * 0.95)
    for results in found:
        if not claims_of(results):
            assert not any(word in results.answer for word in (" times ", "slower", "faster"))
