"""Known answers, from the plan's order to the verdict: the table of docs/evidence/statistics.md.

Size: 20 000 studies a case, 136 cases, seeded: the standard error of a rate of 5 % is 0.15 points.
It takes some fifteen seconds, most of them for 3200 plans: their orders are what drift meets.
"""

from __future__ import annotations

import pytest

from tests.known.noise_models import MODELS, NoiseModel
from tests.known.simulated_stopping import ROWS, WIDTHS_PERCENT, Row, stopped
from tests.known.simulated_studies import Analysed, orders, rates
from tests.known.statistics_table import PAGE, Case, cases, page


@pytest.fixture(scope="module")
def found() -> list[Case]:
    return cases()


def test_the_page_has_this_table(found: list[Case]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, found) == text, "python -m tests.known.statistics_table writes it"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_rates_lie_within_their_limits_or_it_is_said_why_not(
    found: list[Case], model: NoiseModel
) -> None:
    for case in found:
        if case.model == model:
            assert model.apart or not case.lies_apart


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_study_that_stops_is_held_by_its_interval_unless_the_system_itself_stalls(
    row: Row,
) -> None:
    for width in WIDTHS_PERCENT:
        assert (stopped(row, width).coverage >= 0.95) == (row.stalls == 0)


def test_the_simulation_can_fail() -> None:
    """The same drift where every block has one order: equal systems become different."""
    drifting = next(model for model in MODELS if model.name == "drift 3 % a turn")
    turns = drifting.logs(1, 400, 20, 3)
    assert Analysed.of(turns[..., [0, 2, 1]]).different.mean() > 0.9
    assert rates(drifting, 2, 20, 400).false_alarms < 0.06


def test_orders_are_those_of_the_plan() -> None:
    assert {tuple(sorted(block)) for plan in orders(4, 5) for block in plan} == {(0, 1, 2, 3, 4)}
