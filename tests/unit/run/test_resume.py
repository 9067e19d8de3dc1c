"""A study that was cut short ends as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import FsgaugeError, InputError, Interrupted, RigError
from fsgauge.plain_files import PlainFolder
from fsgauge.record.machine import StorageFacts
from fsgauge.run import resuming as again
from fsgauge.stats import read_study
from fsgauge.store import ResultsFolder, StoredStudy, read_results
from fsgauge.store.journal import read_journal
from tests.laboratory import FACTS, NoDiskEngine, resume, run

KILLS = 50
UNMADE = "runs.interrupted"


def results_of(stored: StoredStudy) -> dict[str, Any]:
    """What report.json holds."""
    found = read_study(
        stored.turns,
        stored.runs,
        stored.study,
        stored.before,
        stored.after,
        ended_by=stored.ended_by,
    )
    sure = found.sureness.model_copy(update={"under_load_percent": None})  # of the wall's clock
    return json.loads(found.model_copy(update={"sureness": sure}).model_dump_json())


def runs_of(stored: StoredStudy) -> Counter[tuple[int, int, str]]:
    return Counter((run.block, run.turn, run.cell.id) for run in stored.runs)


def lines_of(directory: Path) -> list[dict[str, object]]:
    with PlainFolder.opened(directory) as folder:
        return read_journal(folder)


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def stop_after(runs: int, error: BaseException) -> NoDiskEngine:
    """An engine that fails the run after so many."""
    count = 0

    def before(_job: object) -> None:
        nonlocal count
        count += 1
        if count > runs:
            raise error

    return NoDiskEngine(0, before)


def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    """kill -9 of the whole process group, at any moment, also of what resumes."""
    whole = read_results(run(tmp_path / "whole").directory)
    subprocess.run(
        [sys.executable, "-m", "tests.laboratory", str(tmp_path / "killed"), str(KILLS), "4"],
        cwd=Path(__file__).parents[3],
        check=True,
        timeout=250,
    )
    studies = [path.parent for path in sorted((tmp_path / "killed").glob("*/*/study.json"))]
    resumed = 0
    for directory in studies:
        stored = read_results(directory)
        assert runs_of(stored) == runs_of(whole)
        assert max(runs_of(stored).values()) == 1
        assert stored.study.plan == whole.study.plan
        assert results_of(stored) == results_of(whole)
        resumed += sum(line["event"] == "resumed" for line in lines_of(directory))
    assert resumed >= KILLS // 2, "most kills came before a study began: nothing was tested"
    assert any((directory / "records-abandoned").is_dir() for directory in studies)


def test_what_was_cut_short_is_set_aside_unchanged(tmp_path: Path) -> None:
    outcome = run(tmp_path, stop_after(22, Interrupted("ended by SIGINT")))
    directory = outcome.directory
    assert isinstance(outcome.ended_by, Interrupted)
    before = {path.name: bytes_below(path) for path in (directory / "records").glob("001-*")}
    assert len(before) == 2
    assert resume(directory) is not None
    aside = directory / "records-abandoned" / "001"
    assert {path.name: bytes_below(path) for path in aside.iterdir()} == before
    assert len(read_results(directory).runs) == 64


def test_whole_blocks_are_not_touched(tmp_path: Path) -> None:
    directory = run(tmp_path, stop_after(22, RigError("the machine stood still"))).directory
    before = {path.name: bytes_below(path) for path in (directory / "records").glob("000-*")}
    resume(directory)
    after = {path.name: bytes_below(path) for path in (directory / "records").glob("000-*")}
    assert before == after


def test_a_complete_study_is_left_alone(tmp_path: Path) -> None:
    directory = run(tmp_path).directory
    before = bytes_below(directory)
    assert resume(directory) is None
    assert bytes_below(directory) == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernel": "Linux 6.19.0 #1"}, "kernel: Linux 6.18.0 #1 then, Linux 6.19.0 #1 now"),
        ({"processor_count": 4}, "processor count: 2 then, 4 now"),
        ({"governor": "powersave"}, "governor: none then, powersave now"),
    ],
)
def test_another_machine_is_refused_with_the_difference(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    directory = run(tmp_path, stop_after(22, RigError("the machine stood still"))).directory
    before = bytes_below(directory)
    with pytest.raises(InputError) as refused:
        resume(directory, **change)
    assert words in refused.value.details
    assert bytes_below(directory) == before


def test_memory_mounted_under_another_name_is_no_other_machine(tmp_path: Path) -> None:
    """`resume` of a study with --storage ram: each start mounts its memory at a new place."""

    def mounted(token: str) -> StorageFacts:
        place = f"/run/fsgauge/fsgauge-{token}-ram"
        link = {"kind": "file_system", "file_system": "tmpfs", "mount_point": place}
        return FACTS.model_copy(update={"kind": "ram", "device_chain": [link]})

    cut = stop_after(22, RigError("the machine stood still"))
    directory = run(tmp_path, cut, storage=mounted("0123456789ab")).directory
    assert resume(directory, storage=mounted("ba9876543210")) is not None
    assert len(read_results(directory).runs) == 64


def test_another_fsgauge_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = run(tmp_path, stop_after(22, RigError("the machine stood still"))).directory
    monkeypatch.setattr(again, "__version__", "9.9.9")
    with pytest.raises(InputError) as refused:
        resume(directory)
    assert "fsgauge version" in refused.value.details[0]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    directory = run(tmp_path, stop_after(22, RigError("the machine stood still"))).directory
    with ResultsFolder.opened(directory), pytest.raises(RigError) as refused:
        resume(directory)
    assert "in use by another fsgauge" in refused.value.what
    assert resume(directory) is not None


def test_a_study_in_which_nothing_was_measured_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        run(tmp_path, stop_after(0, Interrupted("ended by SIGINT")))
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_study_that_measures_nothing_keeps_what_it_had(tmp_path: Path) -> None:
    """The folder of a new study without runs is taken away; that of a resumed one never."""
    directory = run(tmp_path, stop_after(3, RigError("the machine stood still"))).directory
    resume(directory, stop_after(0, RigError("it still does")))
    assert resume(directory) is not None
    assert len(read_results(directory).runs) == 64


def test_what_is_refused_once_runs_are_recorded_is_the_rigs_failure(tmp_path: Path) -> None:
    """A disk that another program filled ended with 2, "nothing was touched", and fewer clients."""
    refused = InputError("20 clients write 32 MiB", cause="too full", next="set clients to 1")
    outcome = run(tmp_path, stop_after(21, refused))
    assert outcome.ended_by is not None and outcome.ended_by.exit_code == 3
    assert "was not refused when the study began" in outcome.ended_by.cause
    assert "set clients" not in outcome.ended_by.next
    with pytest.raises(InputError):  # before the first run it is what it was
        run(tmp_path / "other", stop_after(0, refused))


def test_the_report_says_what_ended_the_study_until_it_is_whole(tmp_path: Path) -> None:
    outcome = run(tmp_path, stop_after(21, RigError("the machine stood still")))
    stored = read_results(outcome.directory)
    (told,) = [each for each in results_of(stored)["findings"] if each["code"] == UNMADE]
    assert told["sentence"].startswith("The study ended early (the machine stood still): 43 of 64")
    assert resume(outcome.directory) is not None
    assert read_results(outcome.directory).ended_by == ""


def test_a_run_that_failed_is_a_record_and_not_repeated(tmp_path: Path) -> None:
    from fsgauge.engine.client import EngineFaultError
    from fsgauge.engine.wire import EngineFault

    fault = EngineFaultError(EngineFault(what="EIO", cause="", next="", code="io.read"))
    directory = run(tmp_path, stop_after(50, fault)).directory
    assert sum(run.fault is not None for run in read_results(directory).runs) == 14
    assert resume(directory) is None


def test_a_clock_that_jumps_changes_labels_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wall time goes back an hour with each look; durations come from the monotonic clock."""
    import time

    now = time.time_ns()

    def backwards() -> int:
        nonlocal now
        now -= 3600 * 10**9
        return now

    whole = read_results(run(tmp_path / "still").directory)
    monkeypatch.setattr(time, "time_ns", backwards)
    directory = run(tmp_path / "jumps", stop_after(22, RigError("cut"))).directory
    resume(directory)
    stored = read_results(directory)
    assert all(turn.prepare_ns >= 0 for turn in stored.turns)
    found = results_of(stored)
    told = [each for each in found["findings"] if each["code"] == "clock.set"]
    assert len(told) == 1, "that it was set is said"
    found["findings"].remove(told[0])
    assert found == results_of(whole)


@pytest.mark.parametrize(("name", "code"), [("study.json", 2), ("environment-before.json", 3)])
def test_a_folder_without_its_beginning_is_refused(tmp_path: Path, name: str, code: int) -> None:
    directory = run(tmp_path, stop_after(22, RigError("cut"))).directory
    (directory / name).unlink()
    with pytest.raises(FsgaugeError) as refused:
        resume(directory)
    assert refused.value.exit_code == code
    assert name in refused.value.render()
