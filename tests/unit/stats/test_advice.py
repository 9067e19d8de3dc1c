"""What to do about a finding: nothing that the study does already, nothing that it cannot do."""

from __future__ import annotations

import pytest

from fsgauge.record.limits import Limits
from fsgauge.record.records import RunRecord
from fsgauge.stats.advice import advice_for, situation_of
from tests.synthetic import make_study
from tests.unit.stats.one_run import one_run


def submitting(operations: int | None) -> RunRecord:
    run = one_run()
    assert run.load is not None
    return run.model_copy(update={"job": run.load.model_copy(update={"submit_batch": operations})})


@pytest.mark.parametrize(("operations", "helps"), [(None, False), (1, False), (16, True)])
def test_what_is_set_already_is_no_advice(operations: int | None, helps: bool) -> None:
    """A study with the default, and one through a server, were told to set submit_batch=1."""
    before = make_study(blocks=1).before
    situation = situation_of({}, before, 1, [submitting(operations)])
    assert ("submit_batch=1" in advice_for("run.merged", situation)) is helps


@pytest.mark.parametrize(("quota", "is_why"), [(0.1, True), (None, False), (1000.0, False)])
def test_a_quota_that_binds_is_why_threads_wait(quota: float | None, is_why: bool) -> None:
    """Under a quota of 0.1 processors the advice was fewer jobs than processors."""
    before = make_study(blocks=1).before
    limits = Limits.model_construct(processor_quota=quota)
    machines = [each.model_copy(update={"limits": limits}) for each in before.machines]
    situation = situation_of({}, before.model_copy(update={"machines": machines}), 1, [])
    said = advice_for("run.starved", situation)
    assert ("CPU quota of 0.1 processors" in said) == is_why
    assert ("Fewer jobs" in said) != is_why
