"""Whether a rate was steady: the engine's verdict, its rounds, and slices that are judged alone."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import Steady
from fsgauge.record.parts import Part, Slice
from fsgauge.record.preconditioning import SLOPE_SHARE
from fsgauge.record.records import RunRecord
from fsgauge.stats import steadiness
from tests.synthetic_writers import make_writers
from tests.unit.stats.one_run import one_run, result_of, tampered


@pytest.fixture
def run() -> RunRecord:
    return one_run()


def test_a_series_that_falls_is_not_steady() -> None:
    run = one_run(unsteady=lambda turn, cell: True)
    found = steadiness.steadiness(result_of(run))
    assert found is not None and found.slope_share > SLOPE_SHARE
    assert steadiness.not_steady(run, result_of(run)) is not None


def test_a_short_series_cannot_be_judged(run: RunRecord) -> None:
    short = tampered(run, intervals=result_of(run).intervals[:4])
    assert steadiness.steadiness(short) is None
    assert steadiness.not_steady(run, short) is None


def test_the_engines_verdict_goes_before_the_rounds(run: RunRecord) -> None:
    verdict = Steady(judged=True, reached=False, rounds=5, reason="the rate changed by -16 %")
    assert steadiness.not_steady(run, tampered(run, steady=verdict)) == "the rate changed by -16 %"
    short = Steady(judged=False, reached=False, rounds=5, reason="too short")
    assert steadiness.not_steady(run, tampered(run, steady=short)) is None


def test_a_record_without_a_verdict_is_judged_by_its_rounds(run: RunRecord) -> None:
    verdict = steadiness.steady(tampered(run, steady=None))
    assert verdict.judged and verdict.reached and verdict.reason is None


def test_a_run_that_passes_end_is_not_asked_to_be_steady() -> None:
    """Its rate falls when the first writer is done."""
    passes = make_writers(writers=(4,), slowest=lambda turn, cell: 0.4, blocks=1).runs[0]
    verdict = Steady(judged=True, reached=False, rounds=5, reason="the rate fell")
    assert steadiness.not_steady(passes, tampered(passes, steady=verdict)) is None
    assert not steadiness.steady_of(passes, result_of(passes)).judged


MOVED = Steady(judged=True, reached=False, rounds=5, range_share=0.3, reason="the rate fell")
STEADY = Steady(judged=True, reached=True, rounds=5, range_share=0.1)
TOO_SHORT = Steady(judged=False, reached=False, rounds=5, reason="too short")


def in_slices(run: RunRecord, *verdicts: Steady) -> RunRecord:
    """The same run in slices a second apart, each at a third of the rate of the one before."""
    result = result_of(run)
    slices = []
    for at, verdict in enumerate(verdicts):
        read = result.read
        assert read is not None
        slower = read.model_copy(update={"operations": read.operations // 3**at})
        changes = {"steady": verdict, "read": slower}
        slices.append(Slice(start_ns=at * 1_000_000_000, result=result.model_copy(update=changes)))
    return run.model_copy(update={"parts": [Part(machine="here", slices=slices)]})


def test_slices_are_judged_one_by_one_and_not_against_each_other(run: RunRecord) -> None:
    """A demo on a disk of neighbours had 72 of 112 runs called unsteady, for slices that were
    seconds apart: the partners beside them met the same disk."""
    sliced = in_slices(run, STEADY, STEADY, STEADY, STEADY)
    assert steadiness.steady_of(sliced, result_of(sliced)) == STEADY.model_copy(
        update={"range_share": 0.1, "slope_share": None}
    )
    assert steadiness.not_steady(sliced, result_of(sliced)) is None


@pytest.mark.parametrize(
    ("verdicts", "evidence"),
    [
        ((MOVED, STEADY), None),
        ((MOVED, MOVED, STEADY, STEADY), None),
        ((MOVED, MOVED, STEADY), "in 2 of 3 slices; in one, the rate fell"),
        ((MOVED, TOO_SHORT), "the rate fell"),
        ((TOO_SHORT, TOO_SHORT), None),
    ],
)
def test_a_run_is_unsteady_where_most_of_its_slices_are(
    run: RunRecord, verdicts: tuple[Steady, ...], evidence: str | None
) -> None:
    sliced = in_slices(run, *verdicts)
    assert steadiness.not_steady(sliced, result_of(sliced)) == evidence
