"""What an allocation size keeps, as claims are held against it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from fsgauge.published.ledger import Trial
from fsgauge.published.observe import observe
from fsgauge.stats.results import Results
from tests.synthetic_aging import BASELINE, SYSTEMS, kept, make_aging


@cache
def results() -> Results:
    systems = {BASELINE: SYSTEMS[BASELINE]}
    return make_aging(levels=(5, 100), systems=systems, blocks=3, maps=False).results()


def trial(**changes: Any) -> Trial:
    base = {"study": "s", "words": "w", "rule": "at least", "system": BASELINE}
    return Trial.model_validate({**base, **changes})


def test_kept_is_a_share_of_the_clean_rate_at_every_level() -> None:
    found = observe(trial(quantity="kept", cells={"side": "write"}), results())
    assert [each.cell for each in found] == ["5 % free", "100 % free"]
    assert found[0].value == pytest.approx(kept(1 << 20, 5, "write"), rel=0.05)


def test_kept_at_is_one_level() -> None:
    cells = {"side": "read", "free_percent": 100}
    (one,) = observe(trial(quantity="kept at", cells=cells), results())
    assert one.cell == "100 % free"


def test_chunks_are_of_the_aged_files() -> None:
    (one,) = observe(trial(quantity="in chunks"), results())
    assert 0 < one.value <= 1
    assert observe(trial(quantity="in chunks", system="other"), results()) == []


def test_a_system_is_held_against_the_best_of_the_others_at_every_level() -> None:
    made = make_aging(levels=(5, 100), blocks=3, maps=False).results()
    last = list(SYSTEMS)[-1]
    found = observe(trial(quantity="over all others", system=last, cells={"side": "write"}), made)
    assert [each.cell for each in found] == ["5 % free", "100 % free"]
    over_one = observe(
        trial(metric="bandwidth", system=last, cells={"side": "write", "free_percent": 5}), made
    )
    assert found[0].value <= over_one[0].value * 1.001
    alone = trial(quantity="over all others", cells={"side": "write"})
    assert observe(alone, results()) == []


def test_a_rate_is_the_systems_own() -> None:
    cells = {"side": "write", "free_percent": 5}
    (one,) = observe(trial(quantity="rate", metric="bandwidth", cells=cells), results())
    own = [e.value for e in results().measurements if e.value / 1e9 == one.value]
    assert len(own) >= 1 and one.over == ""
