"""What a load curve's headline says."""

from __future__ import annotations

import json

from fsgauge.exit_codes import ExitCode, of_report
from fsgauge.stats import Results
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.wording import is_headline
from tests.synthetic_curve import QUEUES, Queue, make_curve


def test_rates_and_the_ratio_with_its_interval() -> None:
    results = make_curve(noise=0.0).results()
    assert is_headline(results.lines[0])
    assert results.lines[0].startswith("ext4 serves ")
    assert " IOPS with p99 below 5 ms, xfs " in results.lines[0]
    assert "(1.0" in results.lines[0] and " to 1.1" in results.lines[0]


def test_a_ratio_that_is_undecided_is_not_claimed() -> None:
    equal = {"ext4": Queue(50_000.0), "xfs": Queue(50_000.0)}
    assert "(undecided: " in make_curve(equal, noise=0.1).results().lines[0]


def test_an_interval_that_says_nothing_is_not_given() -> None:
    """ "(undecided: under 0.000001 to 19,005,977.80)"."""
    answer = make_curve(blocks=2, noise=0.15).results().answer
    assert "(too noisy to tell)" in answer and "undecided" not in answer


def test_one_system_has_its_rate() -> None:
    assert make_curve({"ext4": QUEUES["ext4"]}).results().answer.startswith("ext4 serves ")


def test_of_two_blocks_nothing_is_told_from_noise() -> None:
    assert "Two blocks can tell none of it from noise." in make_curve(blocks=2).results().answer


def test_over_the_limit_from_the_first_rate_in_some_blocks_alone_is_not_known() -> None:
    stalls = Queue(50_000.0, stalls=lambda place: place.block == 2)
    results = make_curve({"ext4": Queue(50_000.0), "xfs": stalls}, blocks=4).results()
    assert "What xfs serves below 5 ms is not known: in 1 of 4 blocks" in results.answer
    assert "curve.unsteady" in {each.code for each in results.findings}


def test_over_the_limit_in_one_turn_of_each_block_is_not_said_of_all() -> None:
    """ "In 3 of 3 blocks, and in others not"."""
    stalls = Queue(50_000.0, stalls=lambda place: place.again)
    results = make_curve({"ext4": stalls, "xfs": Queue(50_000.0)}, blocks=4).results()
    assert "in 4 of 4 blocks it was above it" in results.answer
    assert "from the least rate on, though not in both turns." in results.answer
    said = next(each.sentence for each in results.findings if each.code == "curve.unsteady")
    assert said.endswith("already in 4 of 4 blocks, and in other turns not: it has no number.")


def test_a_bound_is_an_answer() -> None:
    both = {"ext4": Queue(50_000.0, 6.0), "xfs": Queue(50_000.0)}
    report = json.loads(make_curve(both, blocks=3).results().model_dump_json())
    assert of_report(report) == ExitCode.ANSWERED


def test_a_rate_that_was_not_served_has_no_latency_that_was_measured() -> None:
    """A hundred times the limit was said to be its p99."""
    over = {"ext4": Queue(50_000.0, 600.0), "xfs": Queue(50_000.0)}
    answer = make_curve(over, blocks=3, noise=0.0, p99_noise=0.0).results().answer
    assert "have a p99 of more than 500 ms: nothing is served below 5 ms." in answer


def test_results_are_read_back_with_their_curve() -> None:
    results = make_curve(blocks=3).results()
    again = Results.model_validate(json.loads(results.model_dump_json()))
    assert isinstance(again.own, CurveResults) and again == results
