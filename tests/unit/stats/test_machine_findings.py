"""What the machine did, from the records before and after."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.record.limits import IoLimit, Limits, Throttled
from fsgauge.record.machine import BELOW, Simulation
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import EnvironmentRecord, RunRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.results import Finding
from tests.synthetic import ONE_CELL, SyntheticStudy, make_study
from tests.synthetic.setting import with_machine, with_result


def read(before: dict[str, Any], after: dict[str, Any] | None = None) -> Results:
    study = make_study(**ONE_CELL)
    first = with_machine(study.before, **before)
    last = None if after is None else with_machine(first, **after)
    return read_study(study.turns, study.runs, study.study, first, last)


def found(results: Results, code: str) -> Finding | None:
    return next((finding for finding in results.findings if finding.code == code), None)


def test_a_throttled_processor() -> None:
    finding = found(read({"throttle_events": 3}, {"throttle_events": 10}), "machine.throttled")
    assert finding is not None and finding.level == "warning"
    assert "7 times" in finding.sentence and "repeat" in finding.advice


def test_heat_of_another_day_is_no_finding() -> None:
    for before, after in ((3, 3), (None, 3), (3, None), (9, 0)):
        results = read({"throttle_events": before}, {"throttle_events": after})
        assert found(results, "machine.throttled") is None
    assert found(read({"throttle_events": 3}), "machine.throttled") is None, "not ended"


def test_a_clock_that_is_held_down() -> None:
    limits = {"frequency_limit_hz": 1_800_000_000, "frequency_maximum_hz": 3_600_000_000}
    finding = found(read(limits), "machine.slowed")
    assert finding is not None and "1.80 GHz of its 3.60 GHz" in finding.sentence
    assert "scaling_max_freq" in finding.advice
    full = {"frequency_limit_hz": 3_600_000_000, "frequency_maximum_hz": 3_600_000_000}
    assert found(read(full), "machine.slowed") is None
    assert found(read({}), "machine.slowed") is None


def test_a_limit_that_changes_while_the_study_runs() -> None:
    limits = {"frequency_limit_hz": 3_600_000_000}
    finding = found(read(limits, {"frequency_limit_hz": 1_800_000_000}), "environment.changed")
    assert finding is not None and "frequency_limit_hz" in finding.where[0]


def test_a_governor_that_follows_the_load() -> None:
    finding = found(read({"governor": "powersave"}), "machine.governor")
    assert finding is not None and finding.level == "note"
    assert "powersave" in finding.sentence and "cpupower" in finding.advice
    assert found(read({"governor": "performance"}), "machine.governor") is None
    assert found(read({"governor": None}), "machine.governor") is None


def test_a_busy_machine() -> None:
    assert found(read({"load_average": 1.9}), "machine.busy") is not None
    assert found(read({"load_average": 0.2}), "machine.busy") is None


def test_a_busy_machine_below_virtual_ones_is_said_once() -> None:
    """A guest's load average is that of the machine below: each of them was called busy."""
    study = make_study(**ONE_CELL)
    guest = study.before.load.model_copy(update={"load_average": 1.9})
    below = guest.model_copy(update={"name": "below", "role": BELOW, "storage": None})
    both = EnvironmentRecord(machines=[guest, below])
    results = read_study(study.turns, study.runs, study.study, both, None)
    (busy,) = [each for each in results.findings if each.code == "machine.busy"]
    assert busy.sentence.startswith("host: ")


def test_a_clock_that_costs_gets_advice_for_its_source() -> None:
    study = make_study(**ONE_CELL)
    runs = []
    for run in study.runs:
        assert run.result is not None
        slow = run.result.self_measure.model_copy(
            update={"clock_ns_per_read": 1e5, "clock": "clock_gettime"}
        )
        result = run.result.model_copy(update={"self_measure": slow})
        runs.append(with_result(run, result))
    for source, word in (("hpet", "hpet"), ("tsc", "as short as the clock")):
        before = with_machine(study.before, clock_source=source)
        finding = found(read_study(study.turns, runs, study.study, before), "run.clock")
        assert finding is not None and word in finding.advice
        assert finding.count == len(runs)


def test_of_several_machines_a_finding_names_the_role() -> None:
    study = make_study(**ONE_CELL)
    node = {"name": "other", "role": "node-1", "storage": None}
    slowed = study.before.load.model_copy(update=node | {"governor": "powersave"})
    both = EnvironmentRecord(machines=[study.before.load, slowed])
    later = slowed.model_copy(update={"kernel": "7.0.0"})
    after = EnvironmentRecord(machines=[study.before.load, later])
    results = read_study(study.turns, study.runs, study.study, both, after)
    governed = [each for each in results.findings if each.code == "machine.governor"]
    assert [each.sentence[:29] for each in governed] == ["node-1: The processor's clock"]
    changed = found(results, "environment.changed")
    assert changed is not None and changed.sentence.startswith("node-1: ")


def test_memory_that_is_reclaimed_unasked() -> None:
    state = "/sys/kernel/mm/damon/admin/kdamonds/0/state"
    result = found(read({"reclaimer": state}), "machine.reclaims")
    assert result is not None and result.level == "note"
    assert f"echo off > {state}" in result.advice
    module = "/sys/module/damon_reclaim/parameters/enabled"
    result = found(read({"reclaimer": module}), "machine.reclaims")
    assert result is not None and f"echo N > {module}" in result.advice
    assert found(read({}), "machine.reclaims") is None


def test_a_simulation_has_no_findings_of_the_machine_that_computed_it() -> None:
    """Each simulated page was told to switch DAMON off, and that nothing synced the load."""
    study = make_study(**{**ONE_CELL, "patterns": ("randwrite",)})
    told = {
        "reclaimer": "/sys/kernel/mm/damon/admin/kdamonds/0/state",
        "governor": "powersave",
        "load_average": 64.0,
        "throttle_events": 3,
    }
    models = Simulation(
        model_version=3, policies={}, proofs={}, device="disk-2012", device_words="", numbers=[]
    )

    def codes(**more: Any) -> set[str]:
        before = with_machine(study.before, **told, **more)
        after = with_machine(before, throttle_events=9, kernel="7.0.0")
        results = read_study(study.turns, study.runs, study.study, before, after)
        assert (results.durability.of_all == []) == ("simulation" in more)
        return {each.code for each in results.findings}

    of_machine = codes() - codes(simulation=models)
    assert of_machine >= {
        "machine.busy",
        "machine.governor",
        "machine.reclaims",
        "machine.throttled",
        "environment.changed",
    }


MIB = 1 << 20


def limits(**changes: Any) -> Limits:
    """Those of a process that nothing limits."""
    usual = Limits(
        groups=["cpu:/a"],
        processor_quota=None,
        online_processors=2,
        cpuset="0-1",
        memory_bytes=None,
        machine_memory_bytes=8 << 30,
        io=[],
        nice=0,
        scheduling="other",
        resources={"nofile": 1024, "memlock": 8 * MIB},
    )
    return usual.model_copy(update=changes)


@pytest.fixture(scope="module")
def study() -> SyntheticStudy:
    return make_study(**ONE_CELL, blocks=3)


def read_limited(
    study: SyntheticStudy, limits: Limits | None, runs: list[RunRecord] | None = None, **more: Any
) -> dict[str, Finding]:
    before = with_machine(study.before, limits=limits, **more)
    results = read_study(study.turns, runs or study.runs, study.study, before, before)
    return {each.code: each for each in results.findings}


def throttled(run: RunRecord, periods: int, stopped: int) -> RunRecord:
    counted = Throttled(periods=periods, throttled_periods=stopped, throttled_ns=stopped * 10**7)
    (part,) = run.parts
    slices = [each.model_copy(update={"throttled": counted}) for each in part.slices]
    return run.model_copy(update={"parts": [part.model_copy(update={"slices": slices})]})


def test_nothing_is_said_of_a_process_that_nothing_limits(study: SyntheticStudy) -> None:
    free = [throttled(run, 30, 0) for run in study.runs]
    for each in (limits(), None, limits(memory_bytes=9 << 30, processor_quota=2.0)):
        assert not any(code.startswith("limits.") for code in read_limited(study, each, free))


def test_the_limits_that_bind_are_named(study: SyntheticStudy) -> None:
    found = read_limited(study, limits(processor_quota=0.5, memory_bytes=160 * MIB, nice=10))
    assert found["limits.bind"].sentence == (
        "The runs were under limits of this process: CPU quota of 0.5 processors, memory of 160 MiB"
        " and nice 10."
    )
    assert found["limits.bind"].level == "note"


def test_runs_that_the_quota_stopped_are_named_with_their_share(study: SyntheticStudy) -> None:
    runs = [throttled(study.runs[0], 40, 10), throttled(study.runs[1], 40, 30), *study.runs[2:]]
    finding = read_limited(study, limits(processor_quota=0.5), runs)["limits.throttled"]
    assert finding.level == "warning" and finding.count == 2
    assert finding.sentence.startswith(
        f"The CPU quota of 0.5 processors was used up in 2 of {len(runs)} runs: 25 to 75 %"
    )
    assert finding.where[0].startswith(f"block 1, {study.runs[0].system}")
    assert "25 % of the periods" in finding.where[0] and "100 ms" in finding.where[0]


def test_a_share_that_moves_nothing_is_a_note(study: SyntheticStudy) -> None:
    runs = [throttled(study.runs[0], 1000, 9), *study.runs[1:]]
    found = read_limited(study, limits(processor_quota=1.5), runs)
    assert found["limits.throttled"].level == "note"


def test_virtual_machines_are_stopped_by_the_quota_below(study: SyntheticStudy) -> None:
    guest = study.before.machines[0]
    counts = [Throttled(periods=9, throttled_periods=each, throttled_ns=1) for each in (2, 5, 2)]
    first, later, same = (
        EnvironmentRecord(
            machines=[
                guest,
                guest.model_copy(
                    update={
                        "name": "below",
                        "role": BELOW,
                        "storage": None,
                        "limits": limits(processor_quota=1.0, throttled=each),
                    }
                ),
            ]
        )
        for each in counts
    )
    for after, expected in ((later, True), (same, False)):
        results = read_study(study.turns, study.runs, study.study, first, after)
        codes = {each.code for each in results.findings}
        assert ("limits.throttled" in codes) is expected


@pytest.mark.parametrize(("share", "expected"), [(0.5, False), (0.95, True), (3.0, False)])
def test_a_limit_of_io_is_reached_where_the_device_did_as_much(
    study: SyntheticStudy, share: float, expected: bool
) -> None:
    run = study.runs[0]
    assert run.result is not None
    seconds = (run.result.warm_up_ns + run.result.elapsed_ns) / 1e9
    done = DeviceRun(
        name="loop1",
        read_requests=1,
        read_bytes=int(share * MIB * seconds),
        write_requests=0,
        write_bytes=0,
        discard_requests=0,
        discard_bytes=0,
    )
    runs = [run.model_copy(update={"device": done}), *study.runs[1:]]
    storage = study.before.storage.model_copy(
        update={"device_chain": [{"kind": "device", "path": "/dev/sda"}]}
    )
    slow = limits(io=[IoLimit(device="/dev/sda", read_bytes=MIB)])
    found = read_limited(study, slow, runs, storage=storage)
    assert ("limits.io" in found) is expected
    assert "reads of /dev/sda at 1 MiB/s" in found["limits.bind"].sentence
    elsewhere = limits(io=[IoLimit(device="/dev/sdb", read_bytes=MIB)])
    assert not {"limits.io", "limits.bind"} & set(
        read_limited(study, elsewhere, runs, storage=storage)
    )


def test_limits_that_change_are_a_changed_machine(study: SyntheticStudy) -> None:
    before = with_machine(study.before, limits=limits())
    after = with_machine(study.before, limits=limits(processor_quota=0.5))
    results = read_study(study.turns, study.runs, study.study, before, after)
    (found,) = [each for each in results.findings if each.code == "environment.changed"]
    assert found.where == ["limits: none before, CPU quota of 0.5 processors after"]


def test_a_simulation_has_no_limits(study: SyntheticStudy) -> None:
    machine = with_machine(study.before, limits=limits(nice=5)).machines[0]
    assert machine.limited_to == ["nice 5"]
    assert machine.model_copy(update={"simulation": object()}).limited_to == []


def test_all_of_its_periods_are_100_percent(study: SyntheticStudy) -> None:
    """It read "58 to 1e+02 % of its periods"."""
    first, *others = study.runs
    runs = [throttled(first, 100, 58), *(throttled(run, 100, 100) for run in others)]
    found = read_limited(study, None, runs)["limits.throttled"]
    assert ": 58 to 100 % of its periods" in found.sentence
