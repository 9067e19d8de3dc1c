"""Known answers of studies of many clients: planted effects come out, names do not matter."""

from __future__ import annotations

import math

import pytest

from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.records import Cell
from tests.synthetic_connections import BASELINE, GAINS, OTHER, gain, make_connections, swapped

CLIENTS = 30


def test_planted_effects_lie_in_their_intervals_and_are_called_by_their_direction() -> None:
    found = make_connections(clients=CLIENTS, blocks=10).results()
    for cell, test in (("write", "write"), ("backup-directory", "backup")):
        for metric in ("bandwidth", "complete", "per_client"):
            entry = found.comparison(cell, OTHER, metric)
            if metric == "per_client" and test == "backup":
                assert entry is None  # one reader
                continue
            assert entry is not None and entry.low is not None and entry.high is not None
            truth = GAINS[test] if metric != "complete" else 1 / GAINS[test]
            assert entry.low * 0.99 < truth < entry.high * 1.01
            assert entry.verdict == "better"
    response = found.comparison("write", OTHER, "create.mean")
    assert response is not None and response.verdict == "better" and response.ratio < 0.8


def test_time_to_complete_is_the_inverse_of_the_bandwidth() -> None:
    """All systems move the same bytes."""
    found = make_connections(clients=CLIENTS, blocks=4).results()
    for cell in found.primary_cells:
        rate, time = (found.comparison(cell, OTHER, m) for m in ("bandwidth", "complete"))
        assert rate is not None and time is not None
        assert rate.ratio * time.ratio == pytest.approx(1, rel=1e-6)


def test_swapping_the_systems_inverts_every_ratio() -> None:
    """With one turn of each in a block there is no mean to take, so the inverse is exact."""
    made = make_connections(clients=CLIENTS, blocks=5, extents_noise=0.1)
    back = swapped(made)
    again = swapped(back)
    forward, inverse = again.results(), back.results()
    assert forward.baseline == BASELINE and inverse.baseline == OTHER
    checked = 0
    for entry in forward.comparisons:
        other = inverse.comparison(entry.cell, BASELINE, entry.metric)
        assert other is not None
        assert math.log(entry.ratio) == pytest.approx(-math.log(other.ratio), abs=1e-9)
        opposite = {"better": "worse", "worse": "better"}
        assert other.verdict == opposite.get(entry.verdict, entry.verdict)
        checked += 1
    assert checked > 40
    assert forward.own is not None and inverse.own is not None
    for extents in forward.own.extents:
        if extents.ratio is None:
            continue
        mirrored = inverse.own.extents_of(extents.cell, BASELINE)
        assert mirrored is not None and mirrored.ratio is not None
        assert extents.ratio.ratio * mirrored.ratio.ratio == pytest.approx(1)
        assert (extents.ratio.verdict, mirrored.ratio.verdict) == ("better", "worse")


def test_equal_systems_are_not_told_apart() -> None:
    """Of equal ones chance tells one family in twenty apart; not with this seed."""
    recipe = {"clients": CLIENTS, "blocks": 8, "seed": 3}
    found = make_connections(**recipe, gain=lambda system, cell: 1.0).results()
    decided = [e for e in found.comparisons if e.primary and e.verdict in ("better", "worse")]
    assert decided == []


def _gain_of_many(system: str, cell: Cell) -> float:
    """Delay brings twice as much where 40 clients write; nothing else knows their number."""
    factors = ConnectionsFactors.of(cell)
    many = system == OTHER and factors.swept_clients == 40 and factors.test == "write"
    return gain(system, cell) * (2.0 if many else 1.0)


def test_a_gain_that_depends_on_the_number_of_clients_is_found_where_it_is_planted() -> None:
    """Equal files of each client in equal time: four times the clients, four times the rate."""
    found = make_connections(clients=[10, 40], blocks=10, gain=_gain_of_many).results()
    assert found.own is not None
    rows = {(row.test, row.system, row.clients): row for row in found.own.by_clients}
    tests = ("write", "read", "backup fill", "backup, directory order")
    assert set(rows) == {(t, s, n) for t in tests for s in (BASELINE, OTHER) for n in (10, 40)}
    for (test, system, clients), row in rows.items():
        assert (row.rate_ratio is None) == (row.response_ratio is None) == (clients == 10)
        assert (row.gain_ratio is None) == (clients == 10 or system == BASELINE)
        if row.rate_ratio is not None:
            truth = 8.0 if (test, system) == ("write", OTHER) else 4.0
            assert row.rate_ratio.low * 0.99 < truth < row.rate_ratio.high * 1.01
            assert row.rate_ratio.verdict == "better"
        if row.gain_ratio is not None:
            truth = 2.0 if test == "write" else 1.0
            assert row.gain_ratio.low * 0.99 < truth < row.gain_ratio.high * 1.01
            assert (row.gain_ratio.verdict == "better") == (test == "write")


def test_with_one_number_of_clients_nothing_is_scaled() -> None:
    found = make_connections(clients=CLIENTS, blocks=2).results()
    assert found.own is not None and found.own.by_clients == []
