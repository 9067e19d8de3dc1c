"""What to do about a finding: nothing that the study does already, nothing that it cannot do."""

from __future__ import annotations

import pytest

from fsgauge.record.limits import Limits
from fsgauge.record.records import RunRecord
from fsgauge.stats.advice import advice_for, in_its_keys, situation_of
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


GROUPS = {
    "duration": 10**9,
    "group": [
        {"name": "readers", "rate": None, "direct": True, "submit_batch": 1},
        {"name": "the log", "rate": 100.0, "direct": False, "submit_batch": None},
    ],
}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("offer less (--set workload.rate=...), or", "--set 'workload.group.the log.rate=...'"),
        ("use --set workload.direct=true, or", "--set 'workload.group.the log.direct=true'"),
        ("(--set workload.submit_batch=1)", "(--set workload.group.readers.submit_batch=1)"),
        ("(--set workload.duration=...)", "(--set workload.duration=...)"),
        ("(--set plan.blocks=...)", "(--set plan.blocks=...)"),
    ],
)
def test_advice_names_the_keys_of_groups_that_have_them(said: str, told: str) -> None:
    """A mix was told to set workload.rate, which it does not have."""
    assert told in in_its_keys(said, GROUPS)


def test_advice_to_a_load_without_groups_stays() -> None:
    said = "offer less (--set workload.rate=...)"
    assert in_its_keys(said, {"rate": 5.0}) == said
    assert in_its_keys(said, {}) == said


@pytest.mark.parametrize(("direct", "is_direct"), [(True, True), (False, False)])
def test_one_buffered_group_makes_the_load_cached(direct: bool, is_direct: bool) -> None:
    before = make_study(blocks=1).before
    study = {"workload": {"group": [{"direct": True}, {"direct": direct}]}}
    assert situation_of(study, before, 1, []).direct is is_direct
