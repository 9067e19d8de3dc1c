"""Programs on real file systems: the shipped examples, and every way in which one goes wrong."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.report import write_report
from fsgauge.rig.host.rig import HostRig
from fsgauge.stats.read import read_stored
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.rigs.conftest import MEBIBYTE
from tests.rigs.measured import measured

pytestmark = pytest.mark.root

EXAMPLES = {
    "command": "python3",
    "command-git-clone": "git",
    "command-git-status": "git",
    "command-compile": "make",
    "command-tar": "tar",
    "command-rsync": "rsync",
    "command-pgbench": "pg_ctlcluster",
}


def study_of(program: list[str], **keys: object) -> Study:
    return Study.model_validate(
        {
            "format": 1,
            "name": "command",
            "question": "How long does it take?",
            "storage": {"kind": "ram", "size": 320 * MEBIBYTE},
            "system": [{"name": "ext4"}, {"name": "xfs"}],
            "workload": {"kind": "command", "program": program} | keys,
            "plan": {"seed": 1, "blocks": 2},
        }
    )


def run(study: Study, results: Path, rig: HostRig) -> tuple[StoredStudy, Results]:
    _, stored = measured(study, rig, results)
    return stored, read_stored(stored)


def codes(results: Results) -> set[str]:
    return {each.code for each in results.findings}


def running(word: str) -> list[Path]:
    """Processes whose command line has the word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word in path.read_bytes().decode(errors="replace"):
                found.append(path)
        except OSError:
            continue
    return found


@pytest.mark.parametrize(("name", "needs"), EXAMPLES.items())
def test_the_shipped_examples(name: str, needs: str, rig: HostRig, tmp_path: Path) -> None:
    """In the shape in which they are shipped; without the program, its package is named."""
    short = ['workload.parameters.seconds=["1"]'] if name == "command-pgbench" else []
    study = load_study(name, ["plan.blocks=2", *short], storage="ram:512MiB", seed=1)
    if shutil.which(needs) is None:
        with pytest.raises(FsgaugeError) as refusal:
            rig.check(study, None)
        assert "apt-get install" in refusal.value.render()
        return
    stored, results = run(study, tmp_path, rig)
    assert [each.fault for each in stored.runs] == [None] * 6
    assert not {code for code in codes(results) if code.startswith("command.")}
    assert (" takes " in results.answer) == (name != "command-pgbench")
    assert "storage" in results.answer
    # On a busy machine, runs that stood still are said first.
    assert name != "command" or "SQLite " in results.answer
    for number in study.workload.model_dump().get("number", []):
        assert f"Its {number['name']}: " in results.answer
    assert write_report(stored.directory).exists()


def test_the_folder_is_empty_each_time(tmp_path: Path, rig: HostRig) -> None:
    program = ["sh", "-c", 'test -z "$(ls -A)" && mkdir a && echo {n} > a/b']
    stored, _ = run(study_of(program, parameters={"n": ["1", "2"]}), tmp_path, rig)
    assert [each.fault for each in stored.runs] == [None] * 12
    assert {run.cell.name for run in stored.runs} == {"n=1", "n=2"}
    assert all(run.device is not None and run.command is not None for run in stored.runs)


def test_it_waits_where_it_syncs_and_the_flushes_are_counted(tmp_path: Path, rig: HostRig) -> None:
    program = ["dd", "if=/dev/zero", "of=f", "bs=4096", "count=200", "oflag=dsync"]
    stored, _ = run(study_of(program), tmp_path, rig)
    for each in stored.runs:
        assert each.command is not None and each.device is not None
        assert each.device.flush_requests is not None
        assert each.device.flush_requests >= 200
        assert each.device.write_bytes >= 200 * 4096


@pytest.mark.parametrize(
    ("program", "keys", "code", "words"),
    [
        (["sh", "-c", "echo no >&2; exit 3"], {}, "command.failed", 'exit code 3: "no"'),
        (["dd", "if=/dev/zero", "of=f", "bs=1M"], {}, "command.full", "file system is full"),
        (["true"], {"prepare": ["echo gone; false"]}, "command.prepare", "gone"),
        (["true"], {"finish": ["exit 9"]}, "command.finish", "exit code 9"),
        (["true"], {"prepare": ["yes"]}, "command.prepare", "> /dev/null"),
        (["tty"], {}, "command.failed", "it wants a terminal"),
        (["./none{n}"], {"parameters": {"n": ["1"]}}, "command.not_started", "No such file"),
    ],
)
def test_what_goes_wrong_is_what_the_run_gave(
    program: list[str], keys: dict[str, Any], code: str, words: str, tmp_path: Path, rig: HostRig
) -> None:
    stored, results = run(study_of(program, **keys), tmp_path, rig)
    faults = [each.fault for each in stored.runs]
    assert [each.code for each in faults if each] == [code] * 6
    assert words in str(faults[0])
    assert "runs.failed" in codes(results)


@pytest.mark.parametrize(
    ("program", "words"),
    [(["sleep", "1000.25"], "within 0.3 s"), (["yes"], '"y / y / y"')],
)
def test_a_program_that_ends_on_no_system_ends_the_study(
    program: list[str], words: str, tmp_path: Path, rig: HostRig
) -> None:
    """Each of 15 turns waited ten minutes for `tail -f` before anything was said."""
    study = study_of(program, time_limit=300_000_000)
    outcome, stored = measured(study, rig, tmp_path)
    assert outcome.ended_by is not None and words in outcome.ended_by.what
    assert "on every system" in outcome.ended_by.details[0]
    faults = [each.fault for each in stored.runs]
    assert [each.code for each in faults if each] == ["command.time_limit"] * len(faults)
    assert 2 <= len(faults) <= 3  # the baseline may come twice before the other
    assert not running("1000.25")


def test_a_program_that_ends_on_one_system_goes_on(tmp_path: Path, rig: HostRig) -> None:
    hangs = 'case "$(stat -f -c %T .)" in xfs) sleep 1000.25;; esac'
    stored, results = run(study_of(["sh", "-c", hangs], time_limit=300_000_000), tmp_path, rig)
    found = {(each.system, each.fault.code if each.fault else None) for each in stored.runs}
    assert found == {("ext4", None), ("xfs", "command.time_limit")}
    assert len(stored.runs) == 6 and "runs.failed" in codes(results)


def test_codes_that_are_no_failure(tmp_path: Path, rig: HostRig) -> None:
    stored, _ = run(study_of(["sh", "-c", "exit 24"], exit_codes=[0, 24]), tmp_path, rig)
    assert [each.fault for each in stored.runs] == [None] * 6


def test_a_daemon_is_a_finding_and_gone(tmp_path: Path, rig: HostRig) -> None:
    _, results = run(study_of(["sh", "-c", "setsid sleep 1000.5 &"]), tmp_path, rig)
    assert "command.left" in codes(results)
    assert not running("1000.5")


@pytest.mark.parametrize("code", [0, 3])
def test_a_program_may_remove_its_own_folder(code: int, tmp_path: Path, rig: HostRig) -> None:
    program = ["sh", "-c", f'rm -r "$PWD"; exit {code}']
    stored, _ = run(study_of(program, written_back=True), tmp_path, rig)
    faults = {each.fault.code if each.fault else None for each in stored.runs}
    assert faults == {"command.failed" if code else None}


SHUT_DOWN = """
import fcntl, os
open("f", "w").write("x" * 100_000)
fcntl.ioctl(os.open(".", os.O_RDONLY), 0x8004587D, (2).to_bytes(4, "little"))
"""
"""As after an error of its device: ext4 and XFS take no more. 2: without writing its log."""


def test_a_file_system_that_fails_under_the_program_is_what_the_run_gave(
    tmp_path: Path, rig: HostRig
) -> None:
    """The study ended, without a record of the run: "the kernel refused what a run needs"."""
    stored, _ = run(study_of(["python3", "-c", SHUT_DOWN], written_back=True), tmp_path, rig)
    assert [each.fault.code for each in stored.runs if each.fault] == ["command.write_back"] * 6


def test_a_step_that_never_ends_is_what_the_run_gave(
    tmp_path: Path, rig: HostRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsgauge.rig.host.command_run._STEP_SECONDS", 0.3)
    stored, _ = run(study_of(["true"], prepare=["sleep 1000.75"]), tmp_path, rig)
    assert {each.fault.code for each in stored.runs if each.fault} == {"command.prepare"}
    assert not running("1000.75")


def test_a_pattern_that_matches_nothing_is_a_finding(tmp_path: Path, rig: HostRig) -> None:
    number = {"name": "n", "better": "lower", "pattern": r"tps (\d)"}
    _, results = run(study_of(["echo", "1 2"], number=[number]), tmp_path, rig)
    assert "command.unread" in codes(results)


def test_a_pattern_that_matches_twice_is_a_finding(tmp_path: Path, rig: HostRig) -> None:
    number = {"name": "n", "better": "lower", "pattern": r"(\d)"}
    _, results = run(study_of(["echo", "1 2"], number=[number]), tmp_path, rig)
    assert "command.unread" in codes(results)


def test_steps_that_do_not_make_the_same_are_a_finding(tmp_path: Path, rig: HostRig) -> None:
    step = "touch a; case $(stat -f -c %T .) in xfs) touch b;; esac"
    _, results = run(study_of(["true"], prepare=[step]), tmp_path, rig)
    assert "command.prepared_otherwise" in codes(results)
    _, results = run(study_of(["true"], prepare=["touch a"]), tmp_path, rig)
    assert "command.prepared_otherwise" not in codes(results)


def test_a_program_that_is_not_here_is_refused_before_anything(rig: HostRig) -> None:
    with pytest.raises(InputError, match="no-such-program is not installed"):
        rig.check(study_of(["no-such-program"]), None)
