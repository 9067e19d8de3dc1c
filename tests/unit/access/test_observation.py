"""What a server's log says of a run: aborts since it began, in few lines; and the fault of them."""

from __future__ import annotations

from pathlib import Path

from fsgauge.access.ganesha import GANESHA
from fsgauge.access.kind import Account, Clients, Serving, explained
from fsgauge.access.observation import LAST_LINES, ServerLog
from fsgauge.access.samba import SAMBA
from fsgauge.engine.wire import EngineFault
from fsgauge.record.parts import ServerRun
from fsgauge.study.access import AccessKeys

PANIC = """\
[2026/11/23 00:34:20.573028,  0] ../../lib/util/fault.c:184(smb_panic_log)
  PANIC (pid 15): lock order violation in 4.17.12-Debian
[2026/11/23 00:34:20.573306,  0] ../../lib/util/fault.c:292(log_stack_trace)
  BACKTRACE: 28 stack frames:
   #0 /usr/lib/libgenrand-samba4.so.0(log_stack_trace+0x2e) [0x7fe4f132b55e]
"""
FAULT = EngineFault(
    what="write of 8192 bytes failed: Connection reset by peer",
    cause="",
    next="",
    errno=104,
    code="io.failed",
)


def log_in(folder: Path) -> ServerLog:
    clients = Clients(AccessKeys(), 2)
    return ServerLog(SAMBA, Serving(folder, folder / "shared", clients, Account(0, 0, "")))


def used(**changes: object) -> ServerRun:
    fields = dict.fromkeys(
        ("user_ns", "system_ns", "memory_bytes", "memory_processes", "listen_overflows")
    )
    numbers = {"tick_ns": 1, "processes": 1, "memory_samples": 0, "sampling_ns": 0}
    rest = {"listen_drops": 0, "restarts": 0}
    return ServerRun.model_validate({**fields, **numbers, **rest, **changes})


def test_only_what_was_said_since_the_run_began_counts(tmp_path: Path) -> None:
    log, path = log_in(tmp_path), tmp_path / "log.smbd"
    path.write_text(PANIC)
    log.begin()
    assert log.aborts() == [] and log.last_words() == []
    with path.open("a") as file:
        file.write(PANIC.replace("lock order violation", "Could not store share mode data"))
        file.write(PANIC * 2)
    assert log.aborts() == ["Could not store share mode data", "lock order violation"]


def test_a_log_that_was_full_and_begun_anew_is_read_from_its_start(tmp_path: Path) -> None:
    log, path = log_in(tmp_path), tmp_path / "log.smbd"
    path.write_text("long ago\n" * 1000)
    log.begin()
    path.rename(tmp_path / "log.smbd.old")
    path.write_text(PANIC)
    assert log.aborts() == ["lock order violation"]


def test_last_words_are_few_and_name_no_folder_and_no_frame(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.begin()
    (tmp_path / "log.smbd").write_text(f"dumping core in {tmp_path}/cores\n" * 40 + PANIC)
    words = log.last_words()
    assert len(words) == LAST_LINES
    assert words[0] == "dumping core in FOLDER/cores"
    assert words[-1] == "BACKTRACE: 28 stack frames:"
    assert "PANIC (pid 15): lock order violation in 4.17.12-Debian" in words


def test_the_fault_is_the_server_s_where_it_aborted_or_died() -> None:
    aborted = explained(FAULT, SAMBA, used(aborts=["lock order violation"]))
    assert aborted.what == "Samba's smbd aborted: lock order violation"
    assert aborted.cause.startswith(FAULT.what) and "--serve ganesha" in aborted.next
    assert (aborted.code, aborted.errno) == (FAULT.code, FAULT.errno)
    died = explained(FAULT, GANESHA, used(restarts=1))
    assert died.what == "NFS-Ganesha's ganesha.nfsd exited or was killed"
    assert explained(FAULT, SAMBA, used()) is FAULT
