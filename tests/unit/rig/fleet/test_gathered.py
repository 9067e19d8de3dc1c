"""What hosts told, put together: the same bytes, in whatever order they told it."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.errors import RigError
from fsgauge.record.factors import factors_of
from fsgauge.record.preconditioning import CellPreconditioning
from fsgauge.record.records import Plan, RunRecord, ScanRecord, TurnRecord
from fsgauge.rig.fleet.gathered import Gathered, records_of, together
from fsgauge.rig.fleet.messages import HappeningMessage
from fsgauge.rig.happenings import Happening, RunStarted, StepStarted, TurnStarted
from tests.over_hosts_example import on_hosts
from tests.synthetic import make_study
from tests.synthetic_connections import make_connections

HOSTS = ["a", "b", "c"]


def told_of(block: int = 0) -> tuple[Plan, dict[str, list[HappeningMessage]]]:
    """One turn of each of three hosts, each with times of its own."""
    study = make_study(blocks=2)
    turn = next(each for each in study.study.plan.turns if each.block == block)
    made = next(each for each in study.turns if (each.block, each.turn) == (block, turn.turn))
    runs = [run for run in study.runs if (run.block, run.turn) == (block, turn.turn)]
    found: dict[str, list[HappeningMessage]] = {}
    for number, host in enumerate(HOSTS):
        happenings: list[Happening] = [TurnStarted(turn), made]
        for run in runs:
            happenings += [RunStarted(turn, run.cell), slower(run, number)]
        found[host] = [each for each in map(HappeningMessage.of, happenings) if each is not None]
    return study.study.plan, found


def slower(run: RunRecord, number: int) -> RunRecord:
    """The same run, a little longer and later."""
    (part,) = run.parts
    (only,) = part.slices
    result = only.result.model_copy(update={"elapsed_ns": only.result.elapsed_ns + number})
    part = part.model_copy(update={"slices": [only.model_copy(update={"result": result})]})
    return run.model_copy(
        update={"parts": [part], "started_unix_ns": run.started_unix_ns + 10 - number}
    )


def put_together(
    plan: Plan, told: dict[str, list[HappeningMessage]], pieces: list[str]
) -> list[bytes]:
    """The records in the order in which they come to be, hosts telling one after the other."""
    gathered = Gathered(plan, 0, HOSTS)
    left = {host: list(each) for host, each in told.items()}
    made: list[bytes] = []
    for host in pieces:
        gathered.add(host, [left[host].pop(0)])
        for each in gathered.ready():
            if gathered.begun(each) is None:
                made += [
                    repr(one).encode()
                    if not hasattr(one, "model_dump_json")
                    else one.model_dump_json().encode()
                    for one in together(records_of(each))
                ]
    assert gathered.is_complete
    return made


def test_any_order_gives_the_same_bytes() -> None:
    plan, told = told_of()
    length = len(told["a"])
    orders = [[host for host in order for _ in range(length)] for order in permutations(HOSTS)]
    for seed in range(20):
        pieces = HOSTS * length
        random.Random(seed).shuffle(pieces)
        orders.append(pieces)
    first, *others = [put_together(plan, told, order) for order in orders]
    assert first and all(other == first for other in others)


def test_scans_of_hosts_that_rested_are_left_out() -> None:
    """They have written nothing, and may have no folder for it."""
    made = make_connections(clients=4, tests=("write",), blocks=2)
    study = on_hosts(made, (1, 2), {})
    (scan, *_), turn = made.scans, study.study.plan.turns[0]
    cell = next(c for c in study.study.plan.cells if factors_of(c).host_count == 2)
    gathered = Gathered(study.study.plan, 0, HOSTS)
    told = {}
    for host in HOSTS:
        fault = EngineFault(what="it is not there", cause="", next="", code="scan.not_told")
        update = {"turn": turn.turn, "cell": cell.id}
        if host == "c":
            update |= {"result": None, "fault": fault}
        told[host] = HappeningMessage.of(scan.model_copy(update=update))
    records = gathered.records({host: each for host, each in told.items() if each})
    assert list(records) == ["a", "b"]
    whole = together(records)[-1]
    assert isinstance(whole, ScanRecord) and whole.fault is None and whole.result is not None
    assert scan.result is not None
    assert whole.result.counts.extents == 2 * scan.result.counts.extents


def first_records(kind: str) -> dict[str, Any]:
    """By host, the first record of that kind."""
    _, told = told_of()
    number = next(at for at, each in enumerate(told["a"]) if each.kind == kind)
    return dict(records_of({host: each[number] for host, each in told.items()}))


def test_a_run_of_three_hosts_is_their_sum() -> None:
    records = first_records("run")
    *own, whole = together(records)
    assert [each.machine for each in own] == HOSTS
    assert isinstance(whole, RunRecord) and whole.result is not None
    side = whole.result.read or whole.result.write
    assert side is not None
    each = [part.slices[0].result for part in whole.parts]
    assert side.operations == sum((one.read or one.write).operations for one in each)
    assert [part.machine for part in whole.parts] == HOSTS


def test_a_fault_of_one_host_is_the_run_s_and_names_it() -> None:
    records = first_records("run")
    run = records["b"]
    assert isinstance(run, RunRecord)
    fault = EngineFault(what="no space", cause="", next="", errno=28, code="io.write")
    records["b"] = run.model_copy(update={"fault": fault, "parts": []})
    whole = together(records)[-1]
    assert isinstance(whole, RunRecord) and whole.fault is not None
    assert whole.fault.what == "b: no space" and whole.parts == []
    records["c"] = records["b"]
    both = together(records)[-1]
    assert isinstance(both, RunRecord) and both.fault is not None
    assert both.fault.what == "b and 1 more of 3 hosts: no space"


def test_hosts_that_make_different_systems_are_told_apart() -> None:
    records = first_records("turn")
    turn = records["c"]
    assert isinstance(turn, TurnRecord)
    facts = turn.facts.model_copy(update={"mount_options": "sync"})
    records["c"] = turn.model_copy(update={"facts": facts})
    whole = together(records)[-1]
    assert isinstance(whole, TurnRecord)
    assert "not made alike: c differs from a" in whole.notes


def test_rounds_until_steady_may_differ() -> None:
    """Steps that begin are told of the first host, and only in turns that all hosts are in."""
    plan, told = told_of()
    gathered = Gathered(plan, 0, HOSTS)
    turn = next(each for each in plan.turns if each.block == 0)
    rounds = [HappeningMessage.of(StepStarted(turn, f"round {number}")) for number in range(4)]
    steps = [each for each in rounds if each is not None]
    gathered.add("a", [told["a"][0], *steps[:2], *told["a"][1:]])
    gathered.add("b", [told["b"][0], *steps, *told["b"][1:]])
    assert gathered.steps() == []
    gathered.add("c", told["c"])
    for each in gathered.ready():
        gathered.begun(each)
    assert gathered.is_complete
    assert [each.what for each in gathered.steps() if isinstance(each, StepStarted)] == [
        *("round 0", "round 1")
    ]
    assert gathered.steps() == []


def test_the_device_that_was_not_steady_is_told_of() -> None:
    records = first_records("run")
    for host, reached in (("a", True), ("b", False), ("c", True)):
        steady = CellPreconditioning(rounds=[1.0], reached=reached)
        records[host] = records[host].model_copy(update={"preconditioning": steady})
    whole = together(records)[-1]
    assert isinstance(whole, RunRecord) and whole.preconditioning is not None
    assert not whole.preconditioning.reached


def test_hosts_that_do_different_things_are_an_error() -> None:
    plan, told = told_of()
    gathered = Gathered(plan, 0, ["a", "b"])
    gathered.add("a", told["a"][:1])
    gathered.add("b", told["b"][1:2])
    (ready,) = gathered.ready()
    with pytest.raises(RigError, match="do not do the same any more"):
        gathered.begun(ready)
