"""The box "How sure": what it says of runs that end by passes, and of the engine's share."""

from __future__ import annotations

import pytest

from fsgauge.report.kind_page import Assurance
from fsgauge.report.sureness import sureness_lines
from fsgauge.stats import Results
from tests.synthetic import make_study
from tests.synthetic_curve import Queue, make_curve
from tests.synthetic_writers import make_writers


def line(results: Results, name: str) -> Assurance:
    return next(one for one in sureness_lines(results) if one.name == name)


def test_runs_that_passes_end_are_not_called_too_short() -> None:
    found = line(make_writers(blocks=3).results(), "Steadiness")
    assert found.good and "does not apply" in found.text


def test_a_share_too_small_for_a_digit_is_not_nothing() -> None:
    """It read "at most 0.0 % of the load threads' time"."""
    results = make_study(patterns=("randread",), block_sizes=(4096,), blocks=3).results()
    sure = results.sureness.model_copy(update={"engine_share_percent": 0.003})
    found = line(results.model_copy(update={"sureness": sure}), "Tool overhead")
    assert found.text.startswith("under 0.1 % of")


@pytest.mark.parametrize(("share", "good"), [(19.0, True), (21.0, False)])
def test_a_fifth_for_the_engine_is_the_limit(share: float, good: bool) -> None:
    study = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=3)
    results = study.results()
    sure = results.sureness.model_copy(update={"engine_share_percent": share})
    assert line(results.model_copy(update={"sureness": sure}), "Tool overhead").good == good


def test_operations_that_failed_while_ageing_are_errors() -> None:
    """A tree that had lost 70 % of its files stood beside "Errors: none"."""
    results = make_study(patterns=("randread",), block_sizes=(4096,), blocks=3).results()
    sure = results.sureness.model_copy(update={"ageing_errors": 4039})
    found = line(results.model_copy(update={"sureness": sure}), "Errors")
    assert found.text == "4,039 operations of ageing failed" and not found.good


def test_a_baseline_with_a_bound_alone_is_said_to_have_no_rate() -> None:
    """It was measured twice in each block, and the page said that it never was."""
    over = {"ext4": Queue(50_000.0, 6.0), "xfs": Queue(50_000.0, 6.0)}
    said = {line.name: line.text for line in sureness_lines(make_curve(over, blocks=3).results())}
    assert said["Noise floor"] == "unknown: ext4 has no rate at the limit"
