"""Unstable writes through a server: named, and not held against the bare device.

A server that aborted under a load is said in the answer and as a finding, with a way around.
"""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import DsyncSync, EngineFault, NoSync, ShareFilesTarget
from fsgauge.record.parts import ServerRun
from fsgauge.record.records import RunRecord, TurnRecord
from fsgauge.report import words
from fsgauge.stats import Results, read_study
from tests.synthetic_serving import FACTS, TARGET
from tests.synthetic_writers import make_writers


def through_server(run: RunRecord, sync: DsyncSync | NoSync) -> RunRecord:
    assert run.load is not None
    target = ShareFilesTarget(
        kind="share_files", share=TARGET, count=1, file_size_bytes=run.load.target.size_bytes
    )
    return run.model_copy(
        update={"job": run.load.model_copy(update={"target": target, "sync": sync})}
    )


def read(sync: DsyncSync | NoSync, writers: tuple[int, ...] = (2,)) -> Results:
    """ext4 through Samba does three times what the device does."""
    study = make_writers(
        systems={"raw": "raw", "ext4": "ext4"},
        writers=writers,
        seed=4,  # in which the baseline does not differ from itself
        rate=lambda system, count: 20_000.0 * (3 if system == "ext4" else 1),
    )
    runs = [through_server(run, sync) if run.system == "ext4" else run for run in study.runs]
    turns: list[TurnRecord] = [
        turn.model_copy(update={"server": FACTS}) if turn.system == "ext4" else turn
        for turn in study.turns
    ]
    return read_study(turns, runs, study.study, study.before, study.after)


@pytest.mark.parametrize("writers", [(2,), (1, 2)])
def test_the_answer_names_the_server_and_its_memory(writers: tuple[int, ...]) -> None:
    results = read(NoSync(), writers)
    assert results.answer.endswith(
        "Measured ext4 through Samba; unstable writes are in the server's memory."
    )
    assert "best case" not in results.answer


def test_unstable_writes_are_not_called_better() -> None:
    results = read(NoSync())
    entry = results.comparison(results.cells[0].id, "ext4", "iops")
    assert entry is not None and entry.ratio > 2 and entry.in_memory
    assert words.verdict(entry) == "none: in the server's memory"
    assert "better" not in results.answer


def test_the_cache_is_the_server_s() -> None:
    """Not that of the loop file's disk."""
    for sync in (NoSync(), DsyncSync()):
        found = {each.code: each for each in read(sync).findings}
        assert "loop file" not in found["faster_than_device"].advice
        assert "server" in found["faster_than_device"].sentence
    assert "server.memory" not in found
    memory = {each.code: each for each in read(NoSync()).findings}["server.memory"]
    assert memory.sentence.startswith("Unstable writes: on ext4 ")


def test_durable_writes_are_judged() -> None:
    results = read(DsyncSync())
    entry = results.comparison(results.cells[0].id, "ext4", "iops")
    assert entry is not None and not entry.in_memory and entry.verdict == "better"
    assert results.answer.endswith("Measured ext4 through Samba.")


FAULT = EngineFault(what="Samba's smbd aborted", cause="reset", next="", code="io.failed")


def served(run: RunRecord, aborts: list[str]) -> RunRecord:
    used = ServerRun(
        user_ns=1,
        system_ns=1,
        tick_ns=1,
        processes=1,
        memory_bytes=None,
        memory_processes=None,
        memory_samples=0,
        sampling_ns=0,
        listen_overflows=None,
        listen_drops=None,
        restarts=0,
        daemon="smbd",
        aborts=aborts,
    )
    failed = {"parts": [], "fault": FAULT} if aborts else {}
    return run.model_copy(update={"server": used, **failed})


def read_of_server_aborts(*, aborting: int, writers: tuple[int, ...] = (2,)) -> Results:
    study = make_writers(systems={"raw": "raw", "ext4": "ext4"}, blocks=3, writers=writers, seed=4)
    runs = []
    for run in study.runs:
        if run.system == "ext4":
            left = ["lock order violation"] if aborting and run.cell.factors["writers"] > 1 else []
            aborting -= bool(left)
            run = served(run, left)
        runs.append(run)
    return read_study(study.turns, runs, study.study, study.before, study.after)


def test_the_answer_and_a_finding_say_it() -> None:
    results = read_of_server_aborts(aborting=1)
    assert results.answer.endswith("smbd aborted in 1 of 3 runs with two writers of one file.")
    (found,) = [each for each in results.findings if each.code == "server.aborted"]
    assert found.sentence.endswith("two writers of one file: lock order violation.")
    assert "--serve ganesha" in found.advice and "own files" in found.advice
    assert found.count == 1


def test_only_runs_of_that_load_are_counted_against() -> None:
    """Three runs of one writer went well, and say nothing of two."""
    results = read_of_server_aborts(aborting=2, writers=(1, 2))
    assert "smbd aborted in 2 of 3 runs with two writers of one file." in results.answer


def test_nothing_is_said_where_none_did() -> None:
    results = read_of_server_aborts(aborting=0)
    assert "aborted" not in results.answer
    assert not [each for each in results.findings if each.code == "server.aborted"]
