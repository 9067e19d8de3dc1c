"""Extents a file, as claims are held against it."""

from __future__ import annotations

import pytest

from fsgauge.published.ledger import ledger_of
from fsgauge.published.observe import observe
from tests.synthetic_connections import BASELINE, OTHER, make_connections


def test_extents_a_file_are_over_the_reference_in_the_cell_asked_for() -> None:
    results = make_connections(clients=20, blocks=4).results()
    (trial,) = ledger_of("connections").of("N-21").trials
    (seen,) = observe(trial, results)
    assert (seen.system, seen.over, seen.n) == (OTHER, BASELINE, 4)
    own = results.own
    assert own is not None
    (cell,) = [each for each in results.cells if each.factors["test"] == "backup fill"]
    per_file = {e.system: e.per_file.value for e in own.extents if e.cell == cell.id}
    assert seen.value == pytest.approx(per_file[OTHER] / per_file[BASELINE])


def test_extents_of_a_file_are_the_systems_own() -> None:
    results = make_connections(clients=20, blocks=4).results()
    (trial,) = ledger_of("connections").of("N-21").trials
    about = {"quantity": "extents of a file", "system": BASELINE}
    (seen,) = observe(trial.model_copy(update=about), results)
    (cell,) = [each for each in results.cells if each.factors["test"] == "backup fill"]
    (own,) = [e for e in results.own.extents if (e.cell, e.system) == (cell.id, BASELINE)]
    assert (seen.value, seen.over) == (own.per_file.value, "")


def test_a_response_by_clients_is_over_that_with_the_fewest_of_the_same_test() -> None:
    results = make_connections(clients=[10, 40], blocks=4).results()
    trials = ledger_of("connections").of("N-25").trials
    (trial,) = [each for each in trials if each.quantity == "response by clients"]
    (seen,) = observe(trial.model_copy(update={"system": BASELINE}), results)
    own = results.own
    assert own is not None
    rows = {(row.test, row.system, row.clients): row for row in own.by_clients}
    kept = rows["write", BASELINE, 40].response_ratio
    assert (seen.value, seen.low, seen.high) == (kept.ratio, kept.low, kept.high)
    assert "write" in seen.cell and seen.over == "the fewest clients"
