"""What to do about a finding: nothing that the study does already, nothing that it cannot do."""

from __future__ import annotations

import pytest

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
