"""Extents of a churned tree, as claims are held against them."""

from __future__ import annotations

import pytest

from fsgauge.published.ledger import Trial
from fsgauge.published.observe import observe
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


def test_new_files_are_the_systems_own_and_damage_is_over_the_fresh_copy() -> None:
    results = make_churn(fills=(50, 80), blocks=4).results()
    own = results.own
    assert own is not None
    seen = observe(trial("extents of new files", "btrfs"), results)
    layouts = [own.layout("btrfs", fill, "aged") for fill in (50, 80)]
    written = [each.new_extents_per_file for each in layouts if each.new_extents_per_file]
    assert written
    assert [each.value for each in seen] == [each.value for each in written]
    about = Trial(
        study="s",
        words="w",
        rule="above",
        quantity="damage",
        system="btrfs",
        cells={"side": "write"},
    )
    found = observe(about, results)
    damages = [own.damage("btrfs", "write", fill) for fill in (50, 80)]
    assert [each.value for each in found] == [each.ratio for each in damages]
    assert {each.over for each in found} == {"its fresh copy"} and len(found) == 2
