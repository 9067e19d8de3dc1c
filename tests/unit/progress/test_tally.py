"""A run in a few words, while a study is measured."""

from __future__ import annotations

import sys

import pytest

from fsgauge.engine.wire import Rate
from fsgauge.kinds.connections.factors import ConnectionsFactors
from fsgauge.progress.tally import Tally, operations_per_second, outcome
from fsgauge.record.command import OwnNumber
from fsgauge.record.modes import RaceRules
from fsgauge.study.parse import load_study
from tests.synthetic import make_study
from tests.synthetic.setting import with_result
from tests.synthetic_commands import make_commands
from tests.synthetic_commits import make_commits
from tests.synthetic_connections import BASELINE, OTHER, make_connections


def test_a_plain_load_has_its_rate() -> None:
    run = make_study(blocks=2).runs[0]
    assert outcome(run).endswith("IOPS")
    commits = make_commits({"ext4": 500.0}, blocks=2)
    assert outcome(commits.runs[0]).endswith(" commits/s")


def test_large_operations_are_told_in_bytes() -> None:
    """ "444 IOPS" of 1 MiB each said nothing of a disk that moves 444 MiB/s."""
    made = make_study(blocks=2, patterns=("read",), block_sizes=(1 << 20,))
    assert outcome(made.runs[0]).endswith("iB/s")


def test_clients_have_files_and_time_and_what_went_wrong() -> None:
    run = next(
        run
        for run in make_connections(blocks=2).runs
        if ConnectionsFactors.of(run.cell).test == "write"
    )
    assert run.result is not None and run.result.clients is not None
    clients = run.result.clients
    assert outcome(run).startswith(f"{clients.files:,} files in ")
    assert "gave up" not in outcome(run)
    timed = [each for each in clients.operations if each.operation != "connect"]
    assert len(timed) < len(clients.operations)
    operations = sum(each.operations for each in timed)
    assert operations_per_second(run) == operations * 1e9 / run.result.elapsed_ns
    wrong = clients.model_copy(update={"files_given_up": 3, "bad_records": 2})
    result = run.result.model_copy(update={"clients": wrong})
    said = outcome(with_result(run, result))
    assert said.endswith(", 3 files given up, 2 bad records")
    one = clients.model_copy(update={"files": 1})
    alone = run.result.model_copy(update={"clients": one})
    assert outcome(with_result(run, alone)).startswith("1 file in ")


def test_connecting_is_not_in_the_rate() -> None:
    run = make_connections(blocks=2).runs[0]
    assert run.result is not None and run.result.clients is not None
    clients = run.result.clients
    connect = clients.operations[0].model_copy(update={"operation": "connect"})
    connected = clients.model_copy(update={"operations": [connect, *clients.operations]})
    result = run.result.model_copy(update={"clients": connected})
    assert operations_per_second(with_result(run, result)) == (operations_per_second(run))


def test_where_a_number_of_the_program_is_compared_nothing_is_said_of_its_time() -> None:
    """ "so far 1.00 of ext4", "ext4 differs from itself by 0.1 %": of pgbench -T."""
    made = make_connections(blocks=2)
    last = [run for run in made.runs if run.system == OTHER][-1]
    plain = Tally(made.study.plan, runs=list(made.runs))
    assert plain.so_far(last)
    other = Tally(made.study.plan, load_study("command-pgbench"), list(made.runs))
    assert other.so_far(last) == ""
    assert other.noise(made.runs[-1]) is None


def test_where_a_number_of_the_program_is_compared_it_is_said() -> None:
    """ "5.03 s" on every system, of pgbench -T 5."""
    asked = load_study("command-pgbench")
    run = make_commands(blocks=2).runs[0]
    assert run.command is not None and run.result is not None
    (number,) = (each for each in asked.workload.number if each.name == asked.workload.primary)
    job = run.job.model_copy(update={"numbers": [OwnNumber(name=number.name, better="higher")]})
    done = run.command.model_copy(update={"values": {number.name: 1810.4}})
    told = run.model_copy(update={"job": job, "command": done})
    tally = Tally(make_commands(blocks=2).study.plan, asked)
    assert tally.outcome(told) == f"{number.name}: 1,810"
    unread = told.model_copy(update={"command": done.model_copy(update={"values": {}})})
    assert tally.outcome(unread) == outcome(told) == outcome(run)


def test_the_ratio_so_far_is_to_both_turns_of_the_baseline() -> None:
    made = make_connections(blocks=2, noise=0.3, seed=7)
    last = [run for run in made.runs if run.system == OTHER and run.cell.id == "write"][-1]
    tally = Tally(made.study.plan, runs=list(made.runs))
    rates = {
        (run.system, run.block, run.again): operations_per_second(run)
        for run in made.runs
        if run.cell.id == "write"
    }
    product = 1.0
    for block in (0, 1):
        twice = rates[BASELINE, block, False] * rates[BASELINE, block, True]
        product *= rates[OTHER, block, False] / twice**0.5
    assert tally.so_far(last) == f"so far {product**0.5:.2f} of {BASELINE} (2 blocks)"


def test_of_times_it_is_the_ratio_of_the_answer() -> None:
    """ "so far 1.11 of ext4" stood beside a time, where the answer said 0.9 times."""
    commands = make_commands({"ext4": 10e9, "xfs": 9e9}, blocks=2, noise=0.0)
    last = [run for run in commands.runs if run.system == "xfs"][-1]
    tally = Tally(commands.study.plan, runs=list(commands.runs))
    assert tally.so_far(last) == "so far 0.90 of ext4's time (2 blocks)"
    commits = make_commits({"ext4": 900.0, "xfs": 1000.0}, blocks=2, noise=0.0)
    last = [run for run in commits.runs if run.system == "xfs"][-1]
    tally = Tally(commits.study.plan, runs=list(commits.runs))
    assert tally.so_far(last) == "so far 0.90 of ext4's time of a commit (2 blocks)"


def test_under_a_pace_it_is_of_the_latency() -> None:
    made = make_study(systems={"ext4": "ext4", "xfs": "xfs"}, blocks=2, patterns=("randread",))
    pace = Rate(operations_per_second=100.0, arrival="constant")
    runs = [
        run.model_copy(update={"job": run.job.model_copy(update={"rate": pace})})
        for run in made.runs
        if run.job is not None
    ]
    last = [run for run in runs if run.system == "xfs"][-1]
    said = Tally(made.study.plan, runs=runs).so_far(last)
    assert said.endswith(" of ext4's read p99 latency (2 blocks)")


def test_a_race_has_no_more_time_left_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_study(patterns=("randread",), block_sizes=(4096,), queue_depths=(1,), blocks=40)
    rules = RaceRules(blocks=32, confirm=8, margin_percent=2.0, budget_seconds=60.0)
    plan = made.study.plan.model_copy(update={"expected_seconds": 3600.0, "race": rules})
    monkeypatch.setattr("fsgauge.progress.tally.time.monotonic", lambda: 15.0)
    for runs in ([], made.runs[:1]):  # by the plan, and by what the runs took
        assert Tally(plan, started=0.0, runs=list(runs)).left() == "45 s left"
    monkeypatch.setattr("fsgauge.progress.tally.time.monotonic", lambda: 75.0)
    assert Tally(plan, started=0.0, runs=[]).left() == "", "it was: 0 ns left"
    monkeypatch.setattr("fsgauge.progress.tally.time.monotonic", lambda: 15.0)
    without = plan.model_copy(update={"race": None})
    assert Tally(without, started=0.0).left() not in ("", "45 s left")


def test_a_line_costs_alike_however_many_came_before_it() -> None:
    """Each went through all runs so far: 37 ms a line at the end of 200 systems in 30 blocks."""
    names = [f"system {number}" for number in range(40)]
    made = make_study(
        systems=dict.fromkeys(names, "ext4"),
        patterns=("randread",),
        block_sizes=(4096,),
        queue_depths=(1,),
        blocks=6,
    )
    tally, calls = Tally(made.study.plan), list[int]()

    def count(_: object, event: str, __: object) -> None:
        calls[-1] += event in ("call", "c_call")

    for run in made.runs:
        tally.runs.append(run)
        calls.append(0)
        sys.setprofile(count)
        try:
            tally.so_far(run)
            tally.under_load()
        finally:
            sys.setprofile(None)
    assert max(calls[-40:]) < 5 * max(calls[:40])
