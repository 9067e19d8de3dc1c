"""Known answers of fluctuation over time: planted ones come out, equal ones are not told apart."""

from __future__ import annotations

import pytest

from fsgauge.kinds.overhead.analysis import Overhead
from fsgauge.published.ledger import Trial
from fsgauge.published.observe import observe
from fsgauge.stats import Results
from tests.synthetic import make_study

SYSTEMS = {"raw": "raw", "ext4": "ext4", "ext4 quiet": "ext4"}
PLANTED = {"raw": 0.05, "ext4": 0.10, "ext4 quiet": 0.025}


def results(planted: dict[str, float], **recipe: object) -> Results:
    return make_study(
        systems=SYSTEMS,
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(1,),
        duration_s=40,
        wobble=lambda system, cell: planted[system],
        **recipe,  # type: ignore[arg-type]
    ).results()


def of(found: Results) -> Overhead:
    own = Overhead.of(found)
    assert own is not None
    return own


def test_what_is_planted_is_found_with_its_ratio() -> None:
    found = results(PLANTED, blocks=10)
    by_system = {each.system: each for each in of(found).fluctuations}
    for system, planted in PLANTED.items():
        entry = by_system[system]
        assert entry.value.low is not None and entry.value.high is not None
        assert entry.value.low * 0.97 < planted < entry.value.high * 1.03
        assert (entry.intervals, entry.interval_ns) == (39, 10**9)
        if system == "raw":
            assert entry.ratio is None and entry.noise is not None
            assert entry.noise.low < 1 < entry.noise.high  # type: ignore[operator]
            continue
        truth = planted / PLANTED["raw"]
        assert entry.ratio is not None
        assert entry.ratio.low < truth < entry.ratio.high  # type: ignore[operator]
        assert entry.ratio.verdict == ("worse" if truth > 1 else "better")


def test_equal_ones_are_not_told_apart() -> None:
    found = results(dict.fromkeys(SYSTEMS, 0.05), blocks=8, seed=5)
    verdicts = [each.ratio.verdict for each in of(found).fluctuations if each.ratio is not None]
    assert len(verdicts) == 2 and not {"better", "worse"} & set(verdicts)


def test_it_does_not_depend_on_the_rate() -> None:
    """A system of a tenth of the rate with the same fluctuation is no steadier, no less steady."""
    slow = results(
        dict.fromkeys(SYSTEMS, 0.05),
        blocks=8,
        effect=lambda system, cell: 1.0 if system == "raw" else 0.1,
    )
    for each in of(slow).fluctuations:
        assert each.ratio is None or each.ratio.verdict not in ("better", "worse")


@pytest.mark.parametrize("duration_s", [5, 10])
def test_runs_with_too_few_intervals_have_none(duration_s: int) -> None:
    made = make_study(patterns=("randread",), block_sizes=(4096,), duration_s=duration_s, blocks=2)
    assert made.results().own is None


def test_a_claim_may_be_held_against_it() -> None:
    trial = Trial(
        study="s",
        words="w",
        rule="most above",
        quantity="fluctuation",
        cells={"queue_depth": 1},
        system="ext4",
    )
    (seen,) = observe(trial, results(PLANTED, blocks=6))
    assert seen.low is not None and seen.low < 2 < (seen.high or 0)
