"""What a run of a program that failed says, and what it advises."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fsgauge.engine.wire import EngineFault
from fsgauge.record.command import CommandJob
from fsgauge.rig.host.command_faults import fault_of, fault_of_folder, fault_of_step
from fsgauge.study.storage import PathStorage, RamStorage, Storage

STORAGE = RamStorage(size=320 << 20)


def job(folder: Path, **changes: Any) -> CommandJob:
    usual = {"program": ["/opt/bin/tool"], "time_limit_ns": 600_000_000_000}
    return CommandJob.model_validate({"folder": str(folder / "run"), **usual, **changes})


def failure(
    job: CommandJob, said: dict[str, Any], storage: Storage = STORAGE
) -> EngineFault | None:
    return fault_of(job, said, storage)


def said(exit_code: int | None, **lines: list[str]) -> dict[str, Any]:
    return {"exit_code": exit_code, "not_written": 0, "output": [], "errors": [], **lines}


def test_known_codes_are_no_failure(tmp_path: Path) -> None:
    assert failure(job(tmp_path), said(0)) is None
    assert failure(job(tmp_path, exit_codes=[0, 24]), said(24)) is None


def test_another_code_is_told_with_the_key_that_allows_it(tmp_path: Path) -> None:
    found = failure(job(tmp_path, exit_codes=[0, 24]), said(3, errors=["a", "b", "c", "d"]))
    assert found is not None and found.code == "command.failed"
    assert found.what == 'tool ended with exit code 3: "b / c / d"'
    assert found.next.endswith("--set 'workload.exit_codes=[0, 24, 3]'")


def test_a_program_without_its_server_is_told_how_it_gets_one(tmp_path: Path) -> None:
    """`-- pgbench -i`: that it may be tried by hand led nowhere, and an answer that quotes a
    quotation ended in the middle of it."""
    words = 'error: connection to server on socket "/run/s" failed: No such file or directory'
    lines = said(1, errors=[words, "\tIs the server running locally?"])
    found = failure(job(tmp_path, program=["pgbench", "-i"]), lines)
    assert found is not None and found.next.startswith("fsgauge run command-pgbench")
    assert found.what.count('"') == 2 and "\t" not in found.what
    other = failure(job(tmp_path), said(2, errors=["curl: (7) Connection refused"]))
    assert other is not None and other.next.startswith("--prepare ")


def test_a_signal_has_no_key(tmp_path: Path) -> None:
    found = failure(job(tmp_path), said(-9, output=["so far"]))
    assert found is not None and found.what == 'tool ended with signal SIGKILL: "so far"'
    assert "out of memory" in found.cause and "exit_codes" not in found.next


def test_a_longer_limit_is_proposed(tmp_path: Path) -> None:
    found = failure(job(tmp_path, time_limit_ns=300_000_000), said(None))
    assert found is not None and "within 0.3 s, and was killed" in found.what
    assert found.next.endswith("--set workload.time_limit=3s")


@pytest.mark.parametrize(
    "line",
    [
        "not a tty",
        "open terminal failed: not a terminal",
        "the input device is not a TTY",
        "sh: 1: cannot open /dev/tty: No such device or address",
        f"stty: 'standard input': {os.strerror(errno.ENOTTY)}",
    ],
)
def test_who_wants_a_terminal_is_given_one(line: str, tmp_path: Path) -> None:
    """It was to be tried by hand, where it works."""
    asked = job(tmp_path, program=["top", "-d", "a b"])
    for code in (1, None):
        found = failure(asked, said(code, errors=[line]))
        assert found is not None and "it wants a terminal" in str(found.cause)
        assert found.next.endswith("""-- script -qec 'top -d '"'"'a b'"'"'' /dev/null""")


@pytest.mark.parametrize(
    ("code", "lines", "cause"),
    [
        (1, ["determined to fail", "ttys"], "it failed"),
        (1, ["the terminal velocity is 3", "opened tty 1"], "it failed"),
        (1, ["not a tty", "a", "b", "assertion failed"], "it failed"),
        (-11, ["not a tty"], "it crashed"),
        (1, ["not a tty", os.strerror(errno.EIO)], "its device failed"),
        (None, ["waiting for terminal 5"], "it hangs"),
    ],
)
def test_a_word_of_terminals_is_no_cause_before_a_better_one(
    code: int | None, lines: list[str], cause: str, tmp_path: Path
) -> None:
    found = failure(job(tmp_path), said(code, errors=lines))
    assert found is not None and cause in str(found.cause)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOEXEC, "-- sh /opt/bin/tool"),
        (errno.ENOENT, ": /opt/bin/tool"),
        (errno.EIO, "dmesg | tail"),
    ],
)
def test_what_could_not_start_says_how_it_could(number: int, words: str, tmp_path: Path) -> None:
    found = failure(job(tmp_path), {"not_started": f"/opt/bin/tool: {os.strerror(number)}"})
    assert found is not None and found.cause
    assert found.next.endswith(words)


def test_a_hundredth_of_a_large_disk_is_not_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """35 GiB of 4 TiB were left, and every program that failed had "found the file system full"."""

    def with_room(free_bytes: int) -> str:
        room = SimpleNamespace(
            f_files=1, f_ffree=1, f_frsize=4096, f_blocks=1 << 30, f_bavail=free_bytes // 4096
        )
        monkeypatch.setattr(os, "statvfs", lambda _: room)
        found = failure(job(tmp_path), said(1))
        assert found is not None
        return found.code

    assert with_room(35 << 30) == "command.failed"
    assert with_room(8 << 20) == "command.full"


def test_a_full_file_system_is_told_as_such(tmp_path: Path) -> None:
    full = os.strerror(errno.ENOSPC)
    for found in (
        failure(job(tmp_path), said(1, errors=[f"dd: {full}"])),
        fault_of_step("prepare", f"cp ended: {full}", str(tmp_path / "run"), STORAGE),
    ):
        assert found is not None and (found.code, found.errno) == ("command.full", errno.ENOSPC)
        assert found.next == "--set storage.size=1280MiB"
    found = failure(job(tmp_path), said(1, errors=[full]), PathStorage(path="/mnt"))
    assert found is not None and found.next.startswith("df -h; df -i")


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS])
def test_storage_that_fails_is_no_code_of_the_program(tmp_path: Path, number: int) -> None:
    """The advice was to allow the exit code."""
    found = failure(job(tmp_path), said(1, errors=[f"dd: x: {os.strerror(number)}"]))
    assert found is not None and (found.code, found.next) == ("command.failed", "dmesg | tail")
    assert "its device failed" in found.cause


def test_what_could_not_be_written_back_is_what_the_run_gave(tmp_path: Path) -> None:
    """It ended the study: "the kernel refused what a run needs"."""
    found = failure(job(tmp_path), said(0) | {"not_written": errno.EIO})
    assert found is not None and (found.code, found.errno) == ("command.write_back", errno.EIO)
    assert "could not be written back: Input/output error" in found.what
    full = failure(job(tmp_path), said(0) | {"not_written": errno.EDQUOT})
    assert full is not None and full.code == "command.full"


def test_a_folder_that_is_not_made_is_what_the_run_gave() -> None:
    found = fault_of_folder(OSError(errno.EROFS, os.strerror(errno.EROFS)))
    assert (found.code, found.errno) == ("command.folder", errno.EROFS)
    assert found.what.endswith("could not be made: Read-only file system")


def test_what_an_earlier_run_made_immutable_is_no_failed_device() -> None:
    """ "The file system is full, read-only after an error, or its device failed" was said of it."""
    found = fault_of_folder(OSError(errno.EEXIST, os.strerror(errno.EEXIST)))
    assert found.what == "an earlier run left files that could not be removed"
    assert "immutable" in str(found.cause) and "workload.finish" in str(found.next)


def test_a_step_is_named(tmp_path: Path) -> None:
    found = fault_of_step("finish", "false ended with exit code 1", str(tmp_path / "run"), STORAGE)
    assert (found.code, found.errno) == ("command.finish", None)
    assert found.what == "a step of finish failed: false ended with exit code 1"
    found = fault_of_step("finish", "x ended with exit code 1\na: b\nc", str(tmp_path), STORAGE)
    assert found.what == 'a step of finish failed: x ended with exit code 1: "a: b / c"'


def test_a_step_that_prints_too_much_is_told_where_to(tmp_path: Path) -> None:
    words = "tar xvf a printed more than 16 MiB\na/b"
    found = fault_of_step("prepare", words, str(tmp_path / "run"), STORAGE)
    assert (found.code, found.next) == ("command.prepare", "> /dev/null behind the step")
