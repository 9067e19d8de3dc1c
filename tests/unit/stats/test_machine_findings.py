"""What the machine did, from the records before and after."""

from __future__ import annotations

from typing import Any

from fsgauge.record.machine import BELOW, Simulation
from fsgauge.record.records import EnvironmentRecord
from fsgauge.stats import Results, read_study
from fsgauge.stats.results import Finding
from tests.synthetic import make_study
from tests.synthetic.setting import with_machine, with_result

SMALL: dict[str, Any] = {
    "patterns": ("randread",),
    "block_sizes": (4096,),
    "queue_depths": (32,),
}


def read(before: dict[str, Any], after: dict[str, Any] | None = None) -> Results:
    study = make_study(**SMALL)
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
    study = make_study(**SMALL)
    guest = study.before.load.model_copy(update={"load_average": 1.9})
    below = guest.model_copy(update={"name": "below", "role": BELOW, "storage": None})
    both = EnvironmentRecord(machines=[guest, below])
    results = read_study(study.turns, study.runs, study.study, both, None)
    (busy,) = [each for each in results.findings if each.code == "machine.busy"]
    assert busy.sentence.startswith("host: ")


def test_a_clock_that_costs_gets_advice_for_its_source() -> None:
    study = make_study(**SMALL)
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
    study = make_study(**SMALL)
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
    study = make_study(**{**SMALL, "patterns": ("randwrite",)})
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
