"""Known answers: how often equal systems are called different where sittings differ.

Size: 20 000 pairs of sides a case, seeded: the standard error of a rate of 6 % is 0.17 points. All
at once in numpy, and the first of each case held against the comparison itself.

A system's block is its level, plus what the sitting does to all systems, plus what the sitting does
to this system, plus noise. The deviation of blocks is 1 in these units, as ratios have no scale.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr

from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.stats.folders.between import Entry
from fsgauge.stats.folders.compare import Scope, entries_of
from fsgauge.stats.samples import Samples
from fsgauge.stats.verdict import ALPHA
from tests.known.planted import Values

PAIRS = 20_000
ALIKE = 3
SYSTEMS = ["raw", "one", "two", "three"]
CELL = Cell(id="cell", name="cell", kind="overhead", factors={})
SCALE = 0.03
SHARES = [pytest.param(1.0, id="as blocks do"), pytest.param(1 / 3, id="a third of it")]


def simulate(
    sittings: int, blocks: int, *, seed: int, common: float = 0.0, own: float = 0.0
) -> Values:
    """Logs [pair, sitting, block, turn]; turns are raw, raw again, one, two, three."""
    chance = np.random.default_rng(seed)
    turns = len(SYSTEMS) + 1
    logs = chance.normal(0, 1, (PAIRS, sittings, blocks, turns))
    of_systems = chance.normal(0, own, (PAIRS, sittings, 1, len(SYSTEMS)))
    logs += np.concatenate([of_systems[..., :1], of_systems], axis=-1)
    logs += chance.normal(0, common, (PAIRS, sittings, 1, 1))
    return SCALE * logs


def of_systems(logs: Values) -> Values:
    """As stats.samples pairs them: of the baseline, the mean of its two turns."""
    return np.concatenate([logs[..., :2].mean(axis=-1, keepdims=True), logs[..., 2:]], axis=-1)


def p_values(a: Values, b: Values, sitting: Values) -> Values:
    """[pair, system] from logs [pair, sitting, block, system]; `sitting` is what is assumed."""
    difference = b.mean(axis=(1, 2)) - a.mean(axis=(1, 2))
    counts = a.shape[1], b.shape[1]
    if sum(counts) > 3:
        means = [each.mean(axis=2) for each in (a, b)]
        freedom = sum(counts) - 2
        squares = sum(((m - m.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for m in means)
        error = np.sqrt(squares / freedom * (1 / counts[0] + 1 / counts[1]))
        return np.asarray(2 * stdtr(freedom, -np.abs(difference) / error))
    parts, freedoms = [], []
    for side in (a, b):
        sittings, blocks = side.shape[1:3]
        freedoms.append(sittings * (blocks - 1))
        inside = ((side - side.mean(axis=2, keepdims=True)) ** 2).sum(axis=(1, 2))
        share = 1 / (sittings * blocks) + sitting / sittings
        parts.append(inside / freedoms[-1] * share)
    total = parts[0] + parts[1]
    weight = sum((part / total) ** 2 / free for part, free in zip(parts, freedoms, strict=True))
    return np.asarray(2 * stdtr(1 / weight, -np.abs(difference) / np.sqrt(total)))


def significant(p: Values) -> Values:
    """Benjamini and Hochberg over the last axis."""
    count = p.shape[-1]
    ordered = np.sort(p, axis=-1)
    passing = ordered <= ALPHA * np.arange(1, count + 1) / count
    limit = np.where(passing, ordered, -1).max(axis=-1, keepdims=True)
    return np.asarray(p <= limit)


def called_different(a: Values, b: Values) -> Values:
    """[pair, system]: better or worse, by both bases; the baseline by the direct one alone."""
    a, b = of_systems(a), of_systems(b)
    relative = [side[..., 1:] - side[..., :1] for side in (a, b)]
    direct_found = significant(p_values(a, b, np.array([2.0, 1.0, 1.0, 1.0])))
    relative_found = significant(p_values(*relative, np.array([2 / 1.5])))
    up = (b.mean(axis=(1, 2)) > a.mean(axis=(1, 2)))[:, 1:]
    relative_up = relative[1].mean(axis=(1, 2)) > relative[0].mean(axis=(1, 2))
    both = direct_found[:, 1:] & relative_found & (up == relative_up)
    return np.concatenate([direct_found[:, :1], both], axis=1)


def samples_of(logs: Values) -> list[list[Samples]]:
    """One side's [sitting, block, turn] as the comparison takes it, one folder a sitting."""
    places = [("raw", False), ("raw", True), ("one", False), ("two", False), ("three", False)]
    sittings = []
    for sitting in logs:
        turns = [
            Turn(block=block, turn=place, system=system, again=again, cells=["cell"])
            for block in range(len(sitting))
            for place, (system, again) in enumerate(places)
        ]
        samples = Samples(
            Plan(
                study="known",
                seed=1,
                baseline="raw",
                systems=SYSTEMS,
                primary=["cell"],
                cells=[CELL],
                turns=turns,
                expected_seconds=1,
                expected_written_bytes=0,
            )
        )
        for turn in turns:
            samples.put("iops", "cell", turn, float(sitting[turn.block, turn.turn]))
        sittings.append([samples])
    return sittings


def compared(a: Values, b: Values) -> list[Entry]:
    scope = Scope(
        cells=["cell"],
        systems=SYSTEMS,
        primary=["cell"],
        margin_percent=1e-6,
        baseline="raw",
        bases=["direct", "to baseline"],
        decides="direct",
        judged=["direct", "to baseline"],
    )
    found = entries_of(samples_of(a), samples_of(b), scope)
    return [entry for entry in found if entry.decides]


def rates(a: Values, b: Values) -> list[float]:
    """Share of pairs in which each system is called different, the public way on the first ones."""
    found = called_different(a, b)
    for pair in [*range(ALIKE), *np.flatnonzero(found.any(axis=1))[:ALIKE]]:
        verdicts = {entry.system: entry.verdict for entry in compared(a[pair], b[pair])}
        said = [verdicts[system] in ("better", "worse") for system in SYSTEMS]
        assert said == found[pair].tolist()
    return [float(rate) for rate in found.mean(axis=0)]


@pytest.mark.parametrize("blocks", [3, 5, 8, 20])
@pytest.mark.parametrize("kind", ["common", "own"])
@pytest.mark.parametrize("share", SHARES)
def test_one_sitting_a_side_seldom_makes_equal_systems_different(
    share: float, kind: str, blocks: int
) -> None:
    """Whether sittings move all systems alike or each its own way; 14 to 66 % once."""
    sides = [simulate(1, blocks, seed=seed, **{kind: share}) for seed in (blocks, 100 + blocks)]
    assert max(rates(*sides)) <= 0.06


@pytest.mark.parametrize("blocks", [3, 8, 20])
def test_the_ratio_to_the_baseline_alone_holds_its_rate(blocks: int) -> None:
    """As it decides on two machines; the baseline has its own difference of sittings."""
    sides = (of_systems(simulate(1, blocks, seed=seed, own=1.0)) for seed in (blocks, 50))
    relative = [side[..., 1:] - side[..., :1] for side in sides]
    found = significant(p_values(*relative, np.array([2 / 1.5])))
    assert found.mean(axis=0).max() <= 0.06


@pytest.mark.parametrize("blocks", [8, 20])
def test_what_a_sitting_does_to_all_systems_is_no_difference_however_large(blocks: int) -> None:
    """The baseline has no second ratio: it shows that the sitting was another one."""
    sides = [simulate(1, blocks, seed=seed, common=10) for seed in (1, 2)]
    baseline, *others = rates(*sides)
    assert max(others) <= 0.06
    assert baseline > 0.5


@pytest.mark.parametrize("counts", [(3, 3), (5, 1), (2, 2), (3, 5)])
@pytest.mark.parametrize("kind", ["common", "own"])
@pytest.mark.parametrize("spread", [1 / 3, 1.0, 5.0])
def test_repeated_sittings_hold_their_rate_however_much_sittings_differ(
    spread: float, kind: str, counts: tuple[int, int]
) -> None:
    sides = [
        simulate(each, 8, seed=each + 10 * at, **{kind: spread}) for at, each in enumerate(counts)
    ]
    assert max(rates(*sides)) <= 0.06


def test_an_interval_excludes_one_exactly_where_its_verdict_is_a_difference() -> None:
    """Corrected as the verdict is; where the two ratios disagree, it spans both and 1."""
    sides = [simulate(1, 8, seed=seed, common=3.0)[:60] for seed in (1, 2)]
    sides[1][..., 2] += 0.25
    entries = [entry for pair in zip(*sides, strict=True) for entry in compared(*pair)]
    disagreeing, corrected, decided = 0, 0, 0
    for entry in entries:
        assert entry.low is not None and entry.high is not None
        assert entry.alone_low is not None and entry.alone_high is not None
        excludes = entry.low > 1 or entry.high < 1
        assert excludes == (entry.verdict in ("better", "worse"))
        assert entry.low <= entry.alone_low and entry.high >= entry.alone_high
        decided += excludes
        disagreeing += not entry.bases_agree
        alone_excludes = entry.alone_low > 1 or entry.alone_high < 1
        corrected += entry.bases_agree and alone_excludes and not excludes
    assert decided > 30 and disagreeing > 5 and corrected > 0


def test_blocks_alone_would_call_equal_systems_different() -> None:
    """Why sittings count: the interval of blocks alone, which the page shows beside."""
    sides = [simulate(1, 8, seed=seed, own=1.0) for seed in (1, 2)]
    within = [
        entry
        for pair in range(100)
        for entry in compared(sides[0][pair], sides[1][pair])
        if entry.system != "raw"
    ]
    apart = [
        e.within_low > 1 or e.within_high < 1 for e in within if e.within_low and e.within_high
    ]
    assert np.mean(apart) > 0.3


def test_a_real_difference_is_found_by_one_sitting_a_side_and_a_smaller_one_by_four() -> None:
    """8 blocks: seven deviations of a block; and five if sittings differ as blocks do."""
    a, b = (simulate(1, 8, seed=seed, own=1 / 3) for seed in (1, 2))
    b[..., 2] -= 7 * SCALE
    assert rates(a, b)[1] > 0.8
    a, b = (simulate(4, 8, seed=seed, own=1.0) for seed in (1, 2))
    b[..., 2] -= 5 * SCALE
    assert rates(a, b)[1] > 0.8
