"""Counters read before and after a run, and what a run's record gets of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import FilesTarget, LoadJob, RandomAccess
from fsgauge.machine.process.tool import NotInTime
from fsgauge.record.records import Cell, RunRecord, Turn
from fsgauge.rig.happenings import RunStarted
from fsgauge.rig.vm import guest_set_up, in_force
from fsgauge.rig.vm.guest_set_up import Remounting
from fsgauge.rig.vm.in_force import Counting, counts_in
from fsgauge.rig.vm.recipe import Counter, tables
from tests.unit.stats.one_run import one_run

CELL = Cell(id="c", name="c", kind="overhead", factors={})
TURN = Turn(block=0, turn=0, system="nfs", again=False, cells=["c"])


def record() -> RunRecord:
    job = LoadJob(
        target=FilesTarget(directory="/x", count=1, file_size_bytes=4096),
        interface="psync",
        direct=False,
        access=RandomAccess(),
        read_percent=100,
        block_sizes=[],
        queue_depth=1,
        jobs=1,
        duration_ns=1,
        seed=1,
    )
    return RunRecord(
        block=0,
        turn=0,
        position=0,
        system="nfs",
        again=False,
        cell=CELL,
        job=job,
        caches="",
        parts=[],
        fault=None,
        started_unix_ns=0,
    )


def counter(name: str, read: str) -> Counter:
    return Counter(name=name, title=name, unit="operations", read=read)


def test_a_run_gets_the_difference_part_by_part(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    file.write_text("READ 5\nWRITE 2\n")
    counting = Counting()
    counters = [counter("nfs", 'cat "$WHERE"'), counter("none", "exit 3")]
    counting.count(counters, {"WHERE": str(file)})
    counting.told(RunStarted(TURN, CELL))
    file.write_text("READ 12\nWRITE 2\nCOMMIT 1\n")
    told = counting.told(record())
    assert isinstance(told, RunRecord)
    (found,) = told.traffic
    assert found.parts == {"READ": 7, "WRITE": 0, "COMMIT": 1} and found.count == 8


def test_without_counters_and_without_a_beginning_nothing_is_added() -> None:
    counting = Counting()
    assert counting.told(record()) == record()
    counting.count([counter("nfs", "echo a 1")], {})
    assert counting.told(record()) == record()


@pytest.mark.parametrize("late_at", ["before", "after"])
def test_counters_that_are_late_cost_a_run_its_counts_and_nothing_else(
    late_at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter of fsgauge that was late was "ext3 failed (not set up in 1 turn)"."""
    counting = Counting()
    counting.count([counter("nfs", "echo a 1")], {})

    def late(*_: object, **__: object) -> None:
        raise NotInTime("the shell did not end within 30 s")

    with monkeypatch.context() as patched:
        if late_at == "before":
            patched.setattr(in_force, "run_tool", late)
        counting.told(RunStarted(TURN, CELL))
    if late_at == "after":
        monkeypatch.setattr(in_force, "run_tool", late)
    told = counting.told(record())
    assert isinstance(told, RunRecord) and told.fault is None and told.traffic == []
    assert told.not_read == ["what its layers count: the shell did not end within 30 s"]


def test_a_counter_that_begins_anew_is_no_negative_number(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    file.write_text("READ 50\n")
    counting = Counting()
    counting.count([counter("nfs", f"cat {file}")], {})
    counting.told(RunStarted(TURN, CELL))
    file.write_text("READ 3\n")
    told = counting.told(record())
    assert isinstance(told, RunRecord) and told.traffic[0].count == 0


def test_lines_that_are_no_counts_say_nothing() -> None:
    assert counts_in("a 1\nb\nc -4\nd 5 6\na 2\n\n") == {"a": 3}


def test_every_counter_of_the_package_is_bash_that_can_be_read() -> None:
    found = tables()
    layers = [*found.volume.values(), *found.file_system.values(), *found.reached_by.values()]
    counters = [*found.counter, *(each for layer in layers for each in layer.counter)]
    assert {each.name for each in counters} >= {
        *("network_bytes", "network_packets", "nfs_operations", "iscsi_requests"),
        *("lock_messages", "lock_requests", "cache_operations"),
    }
    counting = Counting()
    counting.count(counters, {"FOLDER": "/none"})
    counting.told(RunStarted(TURN, CELL))
    told = counting.told(record())
    assert isinstance(told, RunRecord)
    assert "network_bytes" in {each.name for each in told.traffic}


def test_it_is_done_as_a_run_begins_and_the_record_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    monkeypatch.setattr(guest_set_up, "done", lambda do, words: done.append((do, words)))
    remounting, run = Remounting(), one_run()
    begins: Any = RunStarted.__new__(RunStarted)
    assert remounting.told(begins) is begins and remounting.told(run) is run and not done
    orders: Any = [("run", {"text": "umount"}), ("run", {"text": "mount"})]
    remounting.before_each_run(orders, "mounted again")
    assert remounting.told(begins) is begins and done == orders
    told: Any = remounting.told(run)
    assert told.caches.endswith("; mounted again") and len(done) == 2
