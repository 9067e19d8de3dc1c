"""Several hosts in one study: a planted slow host is named, and so is the reason."""

from __future__ import annotations

import pytest

from fsgauge.record.parts import MachineStart, skew_bound_ns, skew_ns
from fsgauge.record.records import EnvironmentRecord, RunRecord
from fsgauge.stats import read_study
from fsgauge.stats.hosts import _different
from fsgauge.stats.results import Results
from tests.synthetic import SyntheticStudy, make_study

HOSTS = ["a", "b", "c", "d"]


def over_hosts(
    study: SyntheticStudy, slow: dict[str, float], systems: set[str] | None = None, skew_ns: int = 0
) -> Results:
    """The study as four hosts measured it, some of them at a share of the others' rate."""
    (machine,) = study.before.machines
    machines = [
        machine.model_copy(update={"name": name, "role": "load" if at == 0 else f"load {at + 1}"})
        for at, name in enumerate(HOSTS)
    ]
    before = EnvironmentRecord(machines=machines)
    runs = []
    for run in study.runs:
        shares = slow if systems is None or run.system in systems else {}
        runs.append(dealt(run, shares, skew_ns))
    return read_study(study.turns, runs, study.study, before, before)


def dealt(run: RunRecord, slow: dict[str, float], skew: int) -> RunRecord:
    parts = []
    for name in HOSTS:
        (part,) = run.parts
        (only,) = part.slices
        share = slow.get(name, 1.0)
        update: dict[str, object] = {}
        for side in ("read", "write"):
            each = getattr(only.result, side)
            if each is not None:
                operations = int(each.operations * share)
                update[side] = each.model_copy(update={"operations": operations})
        result = only.result.model_copy(update=update)
        parts.append(
            part.model_copy(
                update={"machine": name, "slices": [only.model_copy(update={"result": result})]}
            )
        )
    starts = [
        MachineStart(
            machine=name,
            late_ns=1000 + at * skew,
            last_late_ns=2000 + at * skew,
            ended_ns=5_000_000_000 + at * skew,
            bound_ns=50_000,
            round_trip_ns=100_000,
            real_time=True,
            spun=True,
        )
        for at, name in enumerate(HOSTS)
    ]
    return run.model_copy(update={"parts": parts, "starts": starts})


def codes(results: Results) -> dict[str, str]:
    return {each.code: each.sentence for each in results.findings}


def test_a_host_that_is_slow_with_every_system_is_a_problem_of_the_host() -> None:
    found = codes(over_hosts(make_study(blocks=4), {"c": 0.7}))
    assert found["host.slow"].startswith("c did 70 % of what the other hosts did in ")
    assert " only" not in found["host.slow"]


def test_a_host_that_is_slow_with_one_system_is_a_finding_of_that() -> None:
    study = make_study(blocks=4)
    system = study.study.plan.systems[-1]
    found = codes(over_hosts(study, {"b": 0.6}, {system}))
    assert found["host.slow"].startswith("b did 60 % of what the other hosts did in ")
    assert found["host.slow"].endswith(f", with {system} only.")


@pytest.mark.parametrize(("share", "blocks"), [(0.85, 6), (0.5, 2)])
def test_a_host_is_not_named_for_a_little_or_for_a_moment(share: float, blocks: int) -> None:
    found = codes(over_hosts(make_study(blocks=blocks), {"c": share}))
    assert "host.slow" not in found


def test_rates_add_up_and_hosts_are_ranked() -> None:
    alone = make_study(blocks=3)
    results = over_hosts(alone, {"d": 0.9})
    assert results.hosts is not None
    assert [each.name for each in results.hosts.hosts] == HOSTS
    assert results.hosts.hosts[3].share == pytest.approx(0.9, abs=0.01)
    assert results.hosts.hosts[0].share == pytest.approx(1.0, abs=0.01)
    assert results.hosts.skew_most_ns == 0
    assert results.hosts.skew_bound_ns == 100_000


def test_one_machine_has_no_hosts() -> None:
    study = make_study(blocks=3)
    assert study.results().hosts is None


def test_a_start_that_is_no_moment_is_a_finding() -> None:
    study = make_study(blocks=3)
    assert "hosts.apart" not in codes(over_hosts(study, {}, skew_ns=1000))
    found = codes(over_hosts(study, {}, skew_ns=20_000_000))
    assert "hosts may have begun more than 1 %" in found["hosts.apart"]


def test_skew_is_between_the_first_and_the_last() -> None:
    starts = [
        MachineStart(
            machine=str(at),
            late_ns=late,
            last_late_ns=late,
            ended_ns=10,
            bound_ns=bound,
            round_trip_ns=1,
            real_time=False,
            spun=False,
        )
        for at, (late, bound) in enumerate([(-5, 100), (40, 10), (10, 70)])
    ]
    assert skew_ns(starts) == 45
    assert skew_bound_ns(starts) == 45 + 170
    assert skew_bound_ns(starts[:1]) == 0


def test_the_machine_below_virtual_hosts_and_their_server_are_not_compared_with_them() -> None:
    """A page of two equal nodes said that "the hosts have different kernels"."""
    made = make_study()
    (machine,) = made.before.machines
    others = [
        machine.model_copy(update={"name": role, "role": role, "kernel": f"other {role}"})
        for role in ("server", "host")
    ]
    nodes = [machine, machine.model_copy(update={"name": "second", "role": "load 2"})]
    equal = EnvironmentRecord(machines=[*nodes, *others])
    assert list(_different(equal)) == []
    changed = nodes[1].model_copy(update={"kernel": "7.0"})
    (found,) = _different(EnvironmentRecord(machines=[nodes[0], changed, *others]))
    assert found.sentence == "The hosts have different kernels."
