"""A run's record: what all its machines measured is added up once, and anew for other parts."""

from __future__ import annotations

from tests.synthetic import make_study


def test_the_sum_of_a_run_is_made_once() -> None:
    run = make_study(blocks=1).runs[0]
    assert run.result is not None and run.result is run.result


def test_a_copy_with_other_parts_has_another_sum() -> None:
    run = make_study(blocks=1).runs[0]
    assert run.result is not None
    assert run.model_copy(update={"parts": []}).result is None
    assert run.result is not None


def test_a_record_whose_sum_was_asked_for_is_the_record_that_it_was() -> None:
    run = make_study(blocks=1).runs[0]
    again = type(run).model_validate_json(run.model_dump_json())
    assert run.result is not None
    assert "result" not in run.model_dump() and run == again
