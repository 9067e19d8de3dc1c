"""What another writer adds, as claims are held against it."""

from __future__ import annotations

import pytest

from fsgauge.published.ledger import Trial, ledger_of
from fsgauge.published.observe import observe
from tests.over_hosts_example import at_a_limit
from tests.synthetic_writers import make_writers


def test_change_is_two_writers_over_one_of_the_same_system() -> None:
    made = make_writers(writers=(1, 2), noise=0.0, block_noise=0.0, rate=lambda s, n: 1000 * n**0.5)
    results = made.results()
    trial = Trial(
        study="s", words="w", rule="above", quantity="change", cells={"writers": 2}, system="xfs"
    )
    (one,) = observe(trial, results)
    assert one.value == pytest.approx(2**0.5, rel=0.01) and one.over == "1 writer"
    assert observe(trial.model_copy(update={"cells": {"writers": 1}}), results) == []
    assert observe(trial, at_a_limit(made).results()) == []  # D-04 was confirmed by such a run


def test_touched_is_every_byte_over_nothing_without_a_device() -> None:
    made = make_writers(writers=(1, 2), blocks=3)
    results = made.results()
    trials = ledger_of("writers").of("D-25").trials
    (trial,) = trials
    one = trial.model_copy(update={"cells": {**trial.cells, "writers": 1}})
    (seen,) = observe(one, results)
    assert seen.value == pytest.approx(6e4 / 4e6) and seen.n == 3 and seen.over == "nothing written"
    assert observe(trial.model_copy(update={"cells": {"block_size_bytes": 1}}), results) == []
