"""The supervisor times one program, reads its numbers, and outlives nothing that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from fsgauge.programs import interpreter
from fsgauge.programs.supervisor import Looks

SECONDS = 30.0


class Asked:
    """A supervisor in a folder."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process, self.folder = process, folder

    def ask(self, **order: object) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        usual = {"folder": str(self.folder), "seconds": SECONDS, "numbers": []}
        line = json.dumps({**usual, "written_back": False, **order})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def shell(self, line: str, **order: object) -> dict[str, Any]:
        return self.ask(program=["sh", "-c", line], **order)


@contextmanager
def supervisor(folder: Path) -> Iterator[Asked]:
    with subprocess.Popen(
        interpreter("fsgauge.programs.supervisor"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield Asked(process, folder)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(SECONDS)


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    with supervisor(tmp_path) as found:
        yield found


def is_gone(pid: int) -> bool:
    """Whether it ended, after a moment."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def pid_in(path: Path) -> int:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with suppress(FileNotFoundError, ValueError):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def test_a_program_is_timed_in_its_folder(asked: Asked) -> None:
    said = asked.shell("pwd; echo wrong >&2; sleep 0.2; exit 7")
    assert said["exit_code"] == 7
    assert said["elapsed_ns"] >= 200_000_000
    assert said["output"] == [str(asked.folder)]
    assert said["errors"] == ["wrong"]
    assert said["left"] == []


def test_processor_time_of_children_counts(asked: Asked) -> None:
    said = asked.shell("(i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done)")
    assert said["user_ns"] > said["elapsed_ns"] / 10
    assert said["peak_memory_bytes"] > 0


def test_a_program_that_computes_waits_for_nothing(asked: Asked) -> None:
    said = asked.shell("i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done")
    assert said["looks"] > 0
    assert said["waiting"] == 0


def test_what_is_written_back_in_its_time_is_waiting() -> None:
    """The time of tar x had the write-back in it, and the share of waiting had not."""
    looks = Looks(count=50, waiting=0)
    looks.add_waiting(1_000_000_000)
    assert (looks.count, looks.waiting) in ((100, 50), (101, 51))
    few = [Looks() for _ in range(400)]
    for each in few:
        each.add_waiting(5_000_000)
    assert 40 < sum(each.count for each in few) < 200, "a quarter of a look each"


def test_a_program_of_many_threads_is_written_back_at_its_own_pace_of_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A look took 2 ms, one came each 200 ms, and a second of write-back counted as 50 of them."""
    clock, looks = iter(range(1000)), Looks()
    with monkeypatch.context() as patched:
        patched.setattr("fsgauge.programs.supervisor.descendants", set)
        patched.setattr(time, "monotonic", lambda: next(clock) * 0.002)
        pauses = [looks.look() for _ in range(10)]
    assert pauses == pytest.approx([0.2] * 10)
    looks.add_waiting(1_000_000_000)
    assert looks.count in (14, 15, 16)


def test_the_looks_reach_to_the_end_of_the_write_back(asked: Asked) -> None:
    said = asked.shell("head -c 200000000 /dev/urandom > f", written_back=True)
    assert said["looks"] >= said["elapsed_ns"] / 20e6 / 4 - 2
    assert said["exit_code"] == 0


def test_a_program_that_is_not_there(asked: Asked) -> None:
    assert "No such file" in asked.ask(program=["./none"])["not_started"]
    assert asked.shell("true")["exit_code"] == 0, "and the next one starts"


def test_a_signal_is_told(asked: Asked) -> None:
    assert asked.shell("kill -9 $$")["exit_code"] == -signal.SIGKILL


def test_a_program_that_never_ends_is_killed_with_its_children(asked: Asked) -> None:
    said = asked.shell("sleep 1000 & echo $! > pid; echo working; wait", seconds=0.5)
    assert said["exit_code"] is None
    assert said["output"] == ["working"]
    assert is_gone(int((asked.folder / "pid").read_text()))


def test_a_daemon_is_named_and_killed(asked: Asked) -> None:
    """It has a session of its own and an orphan's parent, and holds the pipes open."""
    said = asked.shell("setsid sh -c 'sleep 1000 & echo $! > pid' &")
    assert said["exit_code"] == 0
    assert said["left"] == ["sleep"]
    assert said["elapsed_ns"] < SECONDS * 1e9
    assert is_gone(pid_in(asked.folder / "pid"))


def test_a_child_that_ends_soon_after_is_no_daemon(asked: Asked) -> None:
    assert asked.shell("sleep 0.05 &")["left"] == []


def test_a_server_of_a_step_lasts_for_the_program(asked: Asked) -> None:
    assert asked.ask(steps=["sleep 1000 & echo $! > pid"])["failed"] is None
    pid = pid_in(asked.folder / "pid")
    assert asked.shell("kill -0 $(cat pid)")["exit_code"] == 0
    assert not asked.shell("true")["left"]
    assert asked.process.stdin is not None
    asked.process.stdin.close()
    assert is_gone(pid), "and not longer than the run"


def test_nothing_is_left_when_fsgauge_goes_away_meanwhile(tmp_path: Path) -> None:
    with supervisor(tmp_path) as asked:
        assert asked.process.stdin is not None
        order = {
            "program": ["sh", "-c", "setsid sleep 1000 & echo $! > pid; sleep 1000"],
            "folder": str(tmp_path),
            "seconds": SECONDS * 10,
            "written_back": False,
            "numbers": [],
        }
        asked.process.stdin.write(json.dumps(order).encode() + b"\n")
        asked.process.stdin.flush()
        pid = pid_in(tmp_path / "pid")
    assert is_gone(pid)


def test_signals_for_the_supervisor_do_not_reach_its_program_ignored(asked: Asked) -> None:
    assert asked.shell("true")["exit_code"] == 0
    os.kill(asked.process.pid, signal.SIGTERM)
    assert asked.shell("kill -TERM $$; exit 0")["exit_code"] == -signal.SIGTERM


def test_a_step_that_fails_stops_those_behind_it(asked: Asked) -> None:
    failed = asked.ask(steps=["echo no room; exit 3", "touch second"])["failed"]
    assert failed == "echo no room; exit 3 ended with exit code 3\nno room"
    assert not (asked.folder / "second").exists()


def test_however_much_a_program_prints_little_of_it_is_kept(asked: Asked) -> None:
    """A ring of the last MiB of each output: 1 GiB, or ten, takes no more memory than 64 MiB, and
    no disk."""
    printed = 256 << 20
    write = f"yes 0123456789abcde | head -c {printed}"
    before = peak_bytes(asked.process.pid)
    said = asked.shell(f"({write}) & {write} >&2; wait; echo tps = 7; echo end >&2",
                       numbers=[NUMBER])  # fmt: skip
    assert said["exit_code"] == 0 and said["values"] == {"tps": 7.0}
    assert (said["output"][-1], said["errors"][-1]) == ("tps = 7", "end")
    assert peak_bytes(asked.process.pid) - before < printed / 8
    assert list(asked.folder.iterdir()) == []


def peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


NUMBER = {"name": "tps", "pattern": r"^tps = (\S+)", "json_path": None}


def test_a_step_that_never_ends(asked: Asked) -> None:
    assert "did not end in time" in asked.ask(steps=["sleep 1000"], seconds=0.3)["failed"]


def test_a_step_that_prints_without_end_is_no_memory_without_end(asked: Asked) -> None:
    """All that it printed was kept until its half hour was over."""
    begin = time.monotonic()
    said = asked.ask(steps=["echo $$ > pid; exec yes"])["failed"]
    assert said.startswith("echo $$ > pid; exec yes printed more than 16 MiB\ny\n")
    assert time.monotonic() - begin < SECONDS / 2
    assert is_gone(pid_in(asked.folder / "pid"))


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_what_a_program_mounts_is_gone_with_it(tmp_path: Path) -> None:
    with supervisor(tmp_path) as asked:
        said = asked.shell("mkdir m && mount -t tmpfs none m && touch m/there && ls m")
    assert (said["exit_code"], said["output"]) == (0, ["there"]), said["errors"]
    assert not (tmp_path / "m").is_mount()
    (tmp_path / "m").rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_what_another_run_has_mounted_is_not_held(tmp_path: Path) -> None:
    """Where mounts are private, its device stayed busy after it had been unmounted."""
    image, private = tmp_path / "image", Path(f"/run/fsgauge/test-{os.getpid()}")
    other = private / "mounted"

    def run(*words: str | Path) -> None:
        subprocess.run(words, check=True, timeout=SECONDS)

    image.write_bytes(bytes(16 << 20))
    private.mkdir(parents=True)
    run("mkfs.ext4", "-q", image)
    run("mount", "--bind", private, private)
    run("mount", "--make-private", private)
    other.mkdir()
    run("mount", "-o", "loop", image, other)
    with supervisor(tmp_path) as asked:
        try:
            asked.shell("true")
        finally:
            run("umount", other)
            other.rmdir()
            run("umount", private)
            private.rmdir()
        assert subprocess.check_output(("losetup", "--associated", image)) == b""


def test_a_program_that_removes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with supervisor(folder) as asked:
        said = asked.shell('rm -r "$PWD"', written_back=True)
        assert said["exit_code"] == 0
        failed = asked.ask(steps=["touch after"])["failed"]
        assert failed == f"touch after could not start in {folder}: No such file or directory"
        # Of one that is not there nothing can be written back.
        assert "No such file" in asked.shell("true", written_back=True)["not_started"]


def test_a_program_cannot_hold_up_its_run_by_what_it_reads_or_leaves_open(asked: Asked) -> None:
    assert asked.shell("cat; echo done")["output"] == ["done"]
    said = asked.shell("(trap '' TERM HUP INT; exec sleep 1000) & echo $! >pid; exit 0")
    assert (said["exit_code"], said["left"]) == (0, ["sleep"])
    assert is_gone(pid_in(asked.folder / "pid"))


def test_output_without_end_is_no_memory_without_end(asked: Asked) -> None:
    said = asked.shell("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert said["output"][-1] == "last"
