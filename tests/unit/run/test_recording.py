"""When most clients of a run gave up, the study ends and says what is needed."""

from __future__ import annotations

import json
import os
from typing import Any, get_args

import pytest

from fsgauge.engine.wire import ClientErrorKind, EngineFault, LoadResult
from fsgauge.errors import RigError
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.plan.turns import job_for, make_plan, with_seed
from fsgauge.progress import Progress
from fsgauge.record.parts import in_one
from fsgauge.record.records import RunRecord
from fsgauge.run.recording import Recording, require_clients, require_server
from fsgauge.stats.client_errors import ERRORS, needed
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.workload.folders import ClientFolders
from tests.laboratory import NoDiskEngine
from tests.synthetic.setting import with_result
from tests.synthetic_sharing import make_sharing

PLACE = ClientFolders(directory="/mnt", files_per_client=6, backup_files_per_client=2)


def record(monkeypatch: pytest.MonkeyPatch, gave_up: int, **first_error: Any) -> RunRecord:
    """A write of 590 clients on a full disk, of which so many gave up."""
    monkeypatch.setitem(os.environ, "FSGAUGE_FAKE_ENGINE_MODE", "full")
    study = with_seed(load_study("connections-full"), 7)
    plan = make_plan(study, size_bytes=4 << 30)
    turn, cell = plan.turns[0], plan.cells[0]
    job = job_for(study, plan, turn, cell, PLACE)
    result = json.loads(NoDiskEngine(0).load(job).model_dump_json())
    files = PLACE.files_per_client * (590 - gave_up)
    counts = {"clients_gave_up": gave_up, "files": files, "files_given_up": gave_up}
    result["clients"] |= counts
    if first_error:
        result["clients"]["errors"][0] |= first_error
    else:
        result["clients"]["errors"] = []
    return RunRecord.model_validate(
        {
            "block": 0,
            "turn": 0,
            "position": 0,
            "system": "ext4",
            "again": False,
            "cell": cell,
            "job": job,
            "caches": "",
            "parts": in_one("testbench", LoadResult.model_validate(result)),
            "fault": None,
            "started_unix_ns": 0,
        }
    )


def test_half_may_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    require_clients(record(monkeypatch, 295))
    with pytest.raises(RigError, match="296 of 590 clients gave up"):
        require_clients(record(monkeypatch, 296))


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ("no_space", "larger storage"),
        ("quota", "a larger quota"),
        ("too_many_open_files", "ulimit -Hn"),
        ("missing", "nothing else removes"),
        ("other", "dmesg"),
    ],
)
def test_what_is_needed_follows_from_the_error(
    monkeypatch: pytest.MonkeyPatch, kind: ClientErrorKind, needed: str
) -> None:
    with pytest.raises(RigError) as ended:
        require_clients(record(monkeypatch, 590, kind=kind, first_path="c1/f1", message="it is so"))
    assert needed in ended.value.next
    assert ended.value.cause == "it is so: c1/f1"
    assert ended.value.details == (f"590 x create: {ERRORS[kind].name}, the first at c1/f1",)
    assert ended.value.exit_code == 3


def test_files_that_the_time_limit_left_unwritten_were_removed_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A read after writers that were cut asked for a folder that nothing else removes."""
    given = record(monkeypatch, 590, kind="missing", first_path="c1/f1", message="no such file")
    with pytest.raises(RigError) as ended:
        require_clients(given, "write")
    assert ended.value.cause == 'the time limit ended "write" before all of the files were written'
    assert "workload.time_limit" in ended.value.next
    full = record(monkeypatch, 590, kind="no_space", first_path="c1/f1", message="it is full")
    with pytest.raises(RigError, match="gave up") as ended:
        require_clients(full, "write")
    assert "time limit" not in ended.value.cause


def test_writers_beside_a_tree_have_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    given = record(monkeypatch, 590, kind="no_space")
    aged = next(cell for cell in cells_of(ChurnWorkload(fills=[95])) if cell.id == "aged-95-write")
    with pytest.raises(RigError) as ended:
        require_clients(given.model_copy(update={"cell": aged}))
    assert "workload.write_fill" in ended.value.next


def test_files_to_back_up_have_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A smaller workload.fill would have left them as many."""
    given = record(monkeypatch, 590, kind="no_space")
    factors = {**given.cell.factors, "test": "backup fill"}
    backup = given.cell.model_copy(update={"factors": factors})
    with pytest.raises(RigError) as ended:
        require_clients(given.model_copy(update={"cell": backup}))
    assert "workload.backup_files_per_connection=N" in ended.value.next
    assert "workload.backup_fill" in ended.value.next
    assert "workload.fill" not in ended.value.next
    mixed = given.cell.model_copy(update={"factors": {**factors, "test": "mix"}})
    with pytest.raises(RigError) as ended:
        require_clients(given.model_copy(update={"cell": mixed}))
    assert "a shorter workload.mix_duration" in ended.value.next


def test_a_run_without_clients_is_none_of_this(monkeypatch: pytest.MonkeyPatch) -> None:
    given = record(monkeypatch, 590)
    assert given.most_gave_up
    assert not with_result(given, None).most_gave_up
    require_clients(with_result(given, None))


def test_most_files_may_not_be_given_up_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that refused every file let all blocks go on, as each client had few files."""
    refused = {"kind": "permission_denied", "first_path": "c1/f1", "message": "NFS4ERR_ACCESS"}
    given = record(monkeypatch, 0, **refused)
    assert given.result is not None and given.result.clients is not None

    def with_files(files: int, given_up: int) -> RunRecord:
        assert given.result is not None and given.result.clients is not None
        counts = {"files": files, "files_given_up": given_up}
        clients = given.result.clients.model_copy(update=counts)
        result = given.result.model_copy(update={"clients": clients})
        return with_result(given, result)

    require_clients(with_files(100, 100))
    require_clients(with_files(0, 0))
    with pytest.raises(RigError, match="101 of 201 files were given up in") as ended:
        require_clients(with_files(100, 101))
    assert ended.value.exit_code == 3 and ended.value.cause == "NFS4ERR_ACCESS: c1/f1"
    assert "may make directories" in ended.value.next


def with_fault(monkeypatch: pytest.MonkeyPatch, code: str) -> RunRecord:
    fault = EngineFault(what="nobody answers", cause="port closed", next="start it", code=code)
    return with_result(record(monkeypatch, 0), None, fault)


@pytest.mark.parametrize("code", ["network.refused", "network.login", "password.missing"])
def test_a_server_that_takes_nobody_ends_the_study(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    with pytest.raises(RigError) as end:
        require_server(with_fault(monkeypatch, code))
    assert (end.value.what, end.value.next) == ("nobody answers", "start it")
    assert end.value.exit_code == 3


def test_other_faults_are_what_a_run_gave(monkeypatch: pytest.MonkeyPatch) -> None:
    require_server(with_fault(monkeypatch, "io.eio"))
    require_server(record(monkeypatch, 0))


@pytest.mark.parametrize("kind", get_args(ClientErrorKind))
def test_every_kind_of_error_has_words_and_advice(
    monkeypatch: pytest.MonkeyPatch, kind: ClientErrorKind
) -> None:
    words, cell = ERRORS[kind], record(monkeypatch, 1).cell
    assert words.name and words.because and needed(kind, cell)


class Folder:
    """Of a results folder, the records of turns."""

    def __init__(self) -> None:
        self.written: list[Any] = []

    def write_of_turn(self, record: object) -> None:
        self.written.append(record)

    def journal(self, *_: object, **__: object) -> None:
        pass


def test_a_file_that_the_time_limit_cut_short_is_said_to_be_that() -> None:
    """ "It was not laid out, or with another size. Run a job of kind layout on this target." """
    folder: Any = Folder()
    plan = make_sharing(3).study.plan
    recording = Recording(folder, Progress(), plan, keeps_runs=False)
    runs = [run for run in make_sharing(3).runs if (run.block, run.turn) == (0, 0)]
    first, second = runs[0], runs[1]
    assert first.load is not None and first.result is not None
    fault = EngineFault(what="f0000 has 1 bytes", cause="", next="", code="target.size")
    short = second.model_copy(update={"fault": fault, "parts": []})
    cut = with_result(
        first.model_copy(update={"job": first.load.model_copy(update={"extend": True})}),
        first.result.model_copy(update={"ended": "duration"}),
    )
    for happening in (short, cut, short, short.model_copy(update={"turn": 1})):
        recording(happening)
    before, _, after, elsewhere = (record.fault for record in folder.written)
    assert before == elsewhere == fault
    assert after.what.startswith(f'the time limit ended "{first.cell.name}" before')
    assert (after.code, after.cause) == ("target.size", "f0000 has 1 bytes")
    assert "a longer workload.time_limit" in after.next
