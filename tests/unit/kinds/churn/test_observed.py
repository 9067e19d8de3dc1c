"""Extents of a churned tree, as claims are held against them."""

from __future__ import annotations

import pytest

from fsgauge.published.observe import observe
from fsgauge.published.trial import Trial
from tests.synthetic_churn import make_churn


def trial(quantity: str, system: str) -> Trial:
    return Trial(study="s", words="w", rule="above", quantity=quantity, system=system)


def test_aged_files_are_over_their_fresh_copy() -> None:
    results = make_churn(fills=(80,), blocks=4).results()
    own = results.own
    assert own is not None
    aged, fresh = (own.layout("btrfs", 80, wear).extents_per_file for wear in ("aged", "fresh"))
    (seen,) = observe(trial("extents of aged files", "btrfs"), results)
    assert seen.value == pytest.approx(aged.value / fresh.value)
    assert (seen.over, seen.cell) == ("its fresh copy", "80 % full")
    if seen.low is not None and seen.high is not None:
        assert seen.low <= seen.value <= seen.high


def test_a_system_that_is_not_there_has_none() -> None:
    results = make_churn(fills=(80,), blocks=2).results()
    assert observe(trial("extents of aged files", "other"), results) == []
