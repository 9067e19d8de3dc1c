"""Refusals of modes of a plan."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.study.other_tools import studies_called
from fsgauge.study.parse import load_study

LIMIT = "plan.latency_limit=5 ms"
CURVE = "plan.mode=curve"
OF = "4 clients, shared folder, 10000 files of 0 B"
REFUSED = {
    "needs the latency": ("overhead", [CURVE]),
    "latency_limit would be ignored": ("overhead", [LIMIT]),
    "quantile would be ignored": ("overhead", ["plan.quantile=p50"]),
    "kind writers has no rate that could rise": ("writers", [CURVE, LIMIT]),
    "rate would be ignored": ("overhead", [CURVE, LIMIT, "workload.rate=100 IOPS"]),
    'rate of "log" would be ignored': (
        "mix",
        [CURVE, LIMIT, "workload.group.log.rate=100 IOPS"],
    ),
    "no curve is of list, 4 clients, shared": (
        "metadata",
        [CURVE, LIMIT, "workload.entries=10000", f"plan.primary=['create, {OF}', 'list, {OF}']"],
    ),
    "stonewall ends creates before": ("metadata", [CURVE, LIMIT, "workload.stonewall=2s"]),
    "together has writes wait for others": (
        "commits",
        [CURVE, LIMIT, 'workload.syncs=["fdatasync"]', "workload.together=[8]"],
    ),
    "sync_every has writes wait for others": (
        "mix",
        [CURVE, LIMIT, "workload.group.log.sync_every=8"],
    ),
    'p99.9 needs 10,000 operations of "create, 4 clients, shared folder, 9996 files of 0 B" in a'
    " run, and there are 9,996: no rate says anything": (
        "metadata",
        [CURVE, LIMIT, "plan.quantile=p999", "workload.entries=9996"],
    ),
    "a race goes by the time": ("command-pgbench", ["plan.mode=race"]),
    "stop_interval goes by the time": ("command-pgbench", ["plan.stop_interval=5%"]),
    "a curve goes by rates and times": (
        "overhead",
        [CURVE, LIMIT, 'plan.primary=["layout", "randread-4KiB-depth1"]'],
    ),
    "a race goes by rates and times": (
        "aging",
        ["plan.mode=race", 'plan.primary=["layout"]'],
    ),
    "has all of its blocks": ("overhead", [CURVE, LIMIT, "plan.stop_interval=5%"]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    study, changes = REFUSED[what]
    with pytest.raises(InputError, match=what) as refusal:
        load_study(study, changes)
    assert refusal.value.next


def test_files_that_are_each_done_once_may_be_enough() -> None:
    """Too few were a note of the plan, and a run of minutes without an answer."""
    changes = [CURVE, LIMIT, "plan.quantile=p999", "workload.entries=10000"]
    assert load_study("metadata", changes).plan.quantile == "p999"


def test_taken() -> None:
    plan = load_study("overhead", [CURVE, LIMIT]).plan
    assert (plan.mode, plan.latency_limit, plan.quantile) == ("curve", 5_000_000, "p99")


@pytest.mark.parametrize("kind", ["commits", "metadata", "mix"])
def test_kinds_with_a_pace_have_a_curve(kind: str) -> None:
    study = load_study(kind, [CURVE, LIMIT])
    assert study.workload.paced_loads()


def test_a_study_that_is_read_back_needs_no_mode() -> None:
    assert load_study("overhead").plan.mode == "all"


def test_words_of_fio_make_a_curve() -> None:
    study = load_study("overhead", ["latency_target=2ms", "latency_percentile=99.9"])
    assert (study.plan.mode, study.plan.latency_limit) == ("curve", 2_000_000)
    assert study.plan.quantile == "p999"


@pytest.mark.parametrize("word", ["slo", "latency_target", "how-many-iops"])
def test_the_shipped_study_is_found(word: str) -> None:
    assert studies_called()[word] == "capacity"
    assert load_study("capacity").plan.mode == "curve"
