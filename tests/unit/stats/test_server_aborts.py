"""A server that aborted under a load is said in the answer and as a finding, with a way around."""

from __future__ import annotations

from fsgauge.engine.wire import EngineFault
from fsgauge.record.private_server import ServerRun
from fsgauge.record.records import RunRecord
from fsgauge.stats import Results, read_study
from tests.synthetic_writers import make_writers

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


def read(*, aborting: int, writers: tuple[int, ...] = (2,)) -> Results:
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
    results = read(aborting=1)
    assert results.answer.endswith("smbd aborted in 1 of 3 runs with two writers of one file.")
    (found,) = [each for each in results.findings if each.code == "server.aborted"]
    assert found.sentence.endswith("two writers of one file: lock order violation.")
    assert "--serve ganesha" in found.advice and "own files" in found.advice
    assert found.count == 1


def test_only_runs_of_that_load_are_counted_against() -> None:
    """Three runs of one writer went well, and say nothing of two."""
    results = read(aborting=2, writers=(1, 2))
    assert "smbd aborted in 2 of 3 runs with two writers of one file." in results.answer


def test_nothing_is_said_where_none_did() -> None:
    results = read(aborting=0)
    assert "aborted" not in results.answer
    assert not [each for each in results.findings if each.code == "server.aborted"]
