"""What is planted is told, with its level and advice; honest studies are left in peace."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import ClientsJob
from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.record.machine import Simulation
from fsgauge.record.records import Cell, Turn
from fsgauge.stats import read_study
from fsgauge.stats.client_errors import ERRORS
from fsgauge.stats.lost_data import GONE
from fsgauge.stats.metrics import client_paces
from fsgauge.stats.results import Finding, Results
from tests.synthetic.setting import with_machine
from tests.synthetic_connections import OTHER, make_connections

SMALL: dict[str, Any] = {"clients": 20, "blocks": 3}


def results(**changes: Any) -> Results:
    return make_connections(**{**SMALL, **changes}).results()


def connections_of(errors: Any, lost: Any) -> Connections:
    found = results(errors=errors, lost=lost).own
    assert found is not None
    return found


def told(code: str, **changes: Any) -> Finding:
    (finding,) = [each for each in results(**changes).findings if each.code == code]
    return finding


def on_other(test: str) -> Any:
    def chosen(turn: Turn, cell: Cell) -> bool:
        return turn.system == OTHER and ConnectionsFactors.of(cell).test == test

    return chosen


def test_an_honest_study_has_notes_alone() -> None:
    found = results(blocks=6, seed=1).findings
    assert {each.level for each in found} == {"note"}
    assert "clients.dispatch" in {each.code for each in found}


def test_simulated_clients_have_no_event_loop() -> None:
    """The page of a simulation warned of how clients had been carried: none were."""
    made = make_connections(**SMALL)
    models = Simulation(
        model_version=3, policies={}, proofs={}, device="disk-2012", device_words="", numbers=[]
    )
    before = with_machine(made.before, simulation=models)
    found = read_study(made.turns, made.runs, made.study, before, made.after)
    assert "clients.dispatch" not in {each.code for each in found.findings}


def test_bad_records_make_a_study_invalid() -> None:
    here = on_other("read")
    found = results(bad=lambda turn, cell: 3 if here(turn, cell) else 0)
    assert not found.sureness.valid and found.answer.startswith("Not valid: ext4 delalloc did not")
    finding = found.findings[0]
    assert finding.code == "clients.bad_records" and "9 bad records in 3 of" in finding.sentence
    assert "c00012/c00012-f000003, byte 4100" in finding.sentence


def test_errors_are_told_by_kind_with_the_first_place_and_advice() -> None:
    here = on_other("write")
    finding = told(
        "clients.no_space",
        errors=lambda turn, cell: [("write", "no_space", 40)] if here(turn, cell) else (),
    )
    assert finding.level == "warning" and "120 operations failed because the storage was full" in (
        finding.sentence
    )
    assert "c00012-f000003" in finding.sentence and "No space left" in finding.sentence
    assert "workload.fill" in finding.advice and finding.count == 1


def test_files_that_writing_gave_up_are_no_loss_of_the_file_system() -> None:
    def errors(turn: Any, cell: Any) -> Any:
        kinds = {"write": ("write", "connection_lost", 5), "read": ("read", "short", 5)}
        return (
            [kinds[ConnectionsFactors.of(cell).test]]
            if ConnectionsFactors.of(cell).test in kinds and turn.block == 0
            else ()
        )

    def lost(turn: Any, cell: Any) -> tuple[int, int]:
        return (5, 0) if ConnectionsFactors.of(cell).test == "write" and turn.block == 0 else (0, 0)

    known = told("clients.short", errors=errors, lost=lost)
    assert "gave up while they wrote them" in known.sentence
    assert "write errors" in known.advice and "dmesg" not in known.advice
    elsewhere = told("clients.lost_files", errors=errors)
    assert "gone or too short" in elsewhere.sentence and "dmesg" in elsewhere.advice


@pytest.mark.parametrize("kind", GONE)
def test_a_file_is_not_both_lost_and_an_error_of_its_own(kind: Any) -> None:
    """One file was "lost" in one finding and "removed by something else" in the next."""

    def errors(turn: Any, cell: Any) -> Any:
        return (
            [("open", kind, 1)]
            if ConnectionsFactors.of(cell).test == "read" and turn.block == 0
            else ()
        )

    def gave_up(turn: Any, cell: Any) -> tuple[int, int]:
        return (1, 0) if ConnectionsFactors.of(cell).test == "write" and turn.block == 1 else (0, 0)

    def again(turn: Any, cell: Any) -> Any:
        return (
            [("open", kind, 1)]
            if ConnectionsFactors.of(cell).test == "read" and turn.block < 2
            else ()
        )

    codes = {each.code for each in results(errors=errors).findings}
    assert "clients.lost_files" in codes and f"clients.{kind}" not in codes
    lost = told("clients.lost_files", errors=again, lost=gave_up)
    rest = told(f"clients.{kind}", errors=again, lost=gave_up)
    whole = sum(each.count for each in connections_of(again, gave_up).errors)
    counted = [int(each.sentence.split(" operation")[0].split()[-1]) for each in (lost, rest)]
    assert sum(counted) == whole and min(counted) > 0


@pytest.mark.parametrize("kind", [each for each in ERRORS if each not in GONE])
def test_every_kind_has_words_and_advice(kind: Any) -> None:
    finding = told(
        f"clients.{kind}",
        errors=lambda turn, cell: (
            [("open", kind, 1)] if ConnectionsFactors.of(cell).test == "read" else ()
        ),
    )
    assert ERRORS[kind].because in finding.sentence and finding.advice


@pytest.mark.parametrize(
    ("lost", "level"), [(1, "warning"), (40, "invalid")], ids=["half a percent", "a fifth"]
)
def test_systems_that_did_less_work_are_not_compared(lost: int, level: str) -> None:
    here = on_other("write")
    found = results(lost=lambda turn, cell: (lost, 0) if here(turn, cell) else (0, 0))
    (finding,) = [each for each in found.findings if each.code == "clients.gave_up"]
    assert finding.level == level and f"{3 * lost} of 600 files" in finding.sentence
    assert found.sureness.valid == (level == "warning")


def test_clients_that_gave_up_leave_their_files_undone_and_no_time_to_complete() -> None:
    here = on_other("write")
    found = results(lost=lambda turn, cell: (60, 6) if here(turn, cell) else (0, 0))
    (finding,) = [each for each in found.findings if each.code == "clients.gave_up"]
    assert "18 clients gave up" in finding.sentence
    assert found.comparison("write", OTHER, "complete") is None
    assert found.comparison("read", OTHER, "complete") is not None


def test_the_time_limit_is_told() -> None:
    finding = told("clients.cut", cut=on_other("read"))
    assert finding.count == 3 and "time limit" in finding.sentence


def test_times_that_do_not_add_up_are_told_from_two_percent_on() -> None:
    finding = told(
        "clients.little",
        unaccounted=lambda t, c: 0.03 if ConnectionsFactors.of(c).test == "read" else 0.0,
    )
    assert finding.count == 9 and "up to 3.0 %" in finding.sentence
    codes = {each.code for each in results(unaccounted=lambda turn, cell: 0.015).findings}
    assert "clients.little" not in codes


def test_a_client_that_was_held_back_is_told() -> None:
    here = on_other("read")
    finding = told("idle.worker", slowest=lambda turn, cell: 0.3 if here(turn, cell) else 0.9)
    assert finding.count == 3 and "at worst 30 %: client 1 of " in finding.sentence


def test_few_operations_say_nothing_of_fairness() -> None:
    made = make_connections(**SMALL, tests=("write", "stat"), slowest=lambda turn, cell: 0.3)
    (finding,) = [each for each in made.results().findings if each.code == "idle.worker"]
    assert all(", write:" in place for place in finding.where)  # ten calls of stat a client


def test_rests_of_random_length_hide_a_clients_pace() -> None:
    made = make_connections(**SMALL, think_ns=5_000_000, slowest=lambda turn, cell: 0.3)
    assert "idle.worker" in {each.code for each in made.results().findings}  # rests are constant
    run = next(run for run in made.runs if ConnectionsFactors.of(run.cell).test == "write")
    assert isinstance(run.job, ClientsJob) and run.job.think is not None
    drawn = run.job.think.model_copy(update={"spread": "exponential"})
    assert len(client_paces(run)) == 20
    job = run.job.model_copy(update={"think": drawn})
    assert client_paces(run.model_copy(update={"job": job})) == []
    several = run.job.model_copy(update={"outstanding": 4})
    assert client_paces(run.model_copy(update={"job": several})) == []


def test_different_dispatches_are_not_compared() -> None:
    finding = told(
        "clients.dispatches_differ",
        dispatch=lambda turn: "threads" if turn.system == OTHER else "event_loop",
    )
    assert finding.level == "invalid" and "event loop and threads" in finding.sentence


def test_the_dispatch_is_named_with_the_reasons_of_plain_calls() -> None:
    finding = told("clients.dispatch")
    assert finding.level == "note" and finding.sentence.startswith("20 clients on 2 event loops")
    assert "write by pwrite" in finding.sentence and "thread of the kernel" in finding.sentence
    threads = told("clients.dispatch", dispatch=lambda turn: "threads")
    assert threads.sentence.startswith("20 clients, a thread each")


def test_memory_says_little_of_disks() -> None:
    assert told("storage.no_seeks", storage_kind="ram").level == "note"
    assert "storage.no_seeks" not in {each.code for each in results().findings}
