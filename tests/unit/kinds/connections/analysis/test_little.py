"""N = X (R + Z): holds in honest runs, with rest and with several operations at a time."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.kinds.connections.analysis.little import little_rows, times_of
from tests.synthetic import SyntheticStudy
from tests.synthetic.setting import with_result
from tests.synthetic_connections import make_connections

SMALL: dict[str, Any] = {"clients": 20, "blocks": 2}


def rows(made: SyntheticStudy) -> list[Any]:
    return little_rows(made.study.plan, made.runs)


@pytest.mark.parametrize(
    "changes",
    [{}, {"think_ns": 5_000_000}, {"outstanding": 4}],
    ids=["plain", "with rest", "several at a time"],
)
def test_both_sides_agree_in_honest_runs(changes: dict[str, Any]) -> None:
    found = rows(make_connections(**SMALL, **changes))
    assert {row.cell for row in found} == {"write", "read", "backup-fill"}
    for row in found:
        assert row.product == pytest.approx(row.rate * (row.response_ns + row.think_ns) / 1e9)
        assert abs(row.difference_percent) < 0.1
        assert (row.think_ns > 0) == bool(changes.get("think_ns"))
    most = 20 * changes.get("outstanding", 1)
    assert all(0.8 * most < row.active <= most * 1.001 for row in found)
    assert {row.counts for row in found} == {
        "operations" if "outstanding" in changes else "clients"
    }


def test_time_that_is_in_no_latency_is_the_difference() -> None:
    made = make_connections(**SMALL, unaccounted=lambda turn, cell: 0.05)
    assert all(row.difference_percent == pytest.approx(-5, abs=0.1) for row in rows(made))


def test_connecting_is_before_the_measured_part() -> None:
    made = make_connections(**SMALL)
    clients = made.runs[0].result.clients  # type: ignore[union-attr]
    assert clients is not None
    create = next(part for part in clients.operations if part.operation == "create")
    connect = create.model_copy(update={"operation": "connect"})
    connected = clients.model_copy(update={"operations": [connect, *clients.operations]})
    result = made.runs[0].result.model_copy(  # type: ignore[union-attr]
        update={"clients": connected}
    )
    run = with_result(made.runs[0], result)
    assert times_of(run) == times_of(made.runs[0]) is not None


def test_one_reader_is_not_judged() -> None:
    found = rows(make_connections(**SMALL, tests=("backup",)))
    assert {row.cell for row in found} == {"backup-fill"}
