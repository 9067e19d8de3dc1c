"""Fluctuation over time, as claims are held against it."""

from __future__ import annotations

from fsgauge.published.ledger import Trial
from fsgauge.published.observe import observe
from tests.synthetic import make_study


def test_each_setting_is_over_the_baseline_in_each_cell() -> None:
    made = make_study(
        systems={"plain": "ext4", "a": "ext4", "b": "ext4"},
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(1, 32),
        duration_s=30,
        blocks=3,
    )
    results = made.results()
    trial = Trial(
        study="s",
        words="w",
        rule="any below",
        quantity="fluctuation by setting",
        cells={"queue_depth": 1},
        system=results.baseline,
    )
    found = observe(trial, results)
    others = [system for system in results.systems if system != results.baseline]
    assert [each.system for each in found] == others
    assert all(each.over == results.baseline and each.p is not None for each in found)
    alone = trial.model_copy(update={"quantity": "fluctuation", "system": others[0]})
    (one,) = observe(alone, results)
    assert (one.value, one.low, one.high) == (found[0].value, found[0].low, found[0].high)
    assert one.cell in found[0].cell and others[0] in found[0].cell
