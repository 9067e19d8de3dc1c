"""What is done to caches is what the record says."""

import errno
import os
from types import SimpleNamespace

import pytest

from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said, must_run
from fsgauge.rig.host import before_runs
from fsgauge.rig.host.before_runs import KEEP_CACHES, keep_code_in_memory, settle_caches
from fsgauge.workload.folders import ClientFolders


def test_the_machines_caches_stay_where_that_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "fsgauge-0000").write_bytes(bytes(4096))
    monkeypatch.setenv(KEEP_CACHES, "1")
    (said,) = settle_caches(FilesTarget(directory=str(tmp_path), count=1, file_size_bytes=4096))
    assert said.endswith("dentry and inode caches kept (FSGAUGE_KEEP_CACHES=1)")


def test_files_of_clients_are_let_go_wherever_they_lie(tmp_path, monkeypatch):
    monkeypatch.setenv(KEEP_CACHES, "1")
    asked = []
    monkeypatch.setattr(os, "posix_fadvise", lambda *words: asked.append(words))
    for name in ("files/c00000", "backup/d000/d001"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "c00000-f000000").write_bytes(bytes(4096))
    folders = ClientFolders(directory=str(tmp_path), files_per_client=1, backup_files_per_client=1)
    assert settle_caches(folders)[0].startswith("synced; the kernel was asked")
    assert len(asked) == 2


def test_of_several_systems_each_is_synced_and_the_machines_caches_are_dropped_once(
    tmp_path, monkeypatch
):
    """A demo dropped them for each system of a cell: what it then executed came from the disk."""
    done = []
    monkeypatch.delenv(KEEP_CACHES, raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(before_runs, "keep_code_in_memory", lambda: ())
    monkeypatch.setattr(before_runs, "sync_file_system", lambda directory: done.append(directory))
    drop = SimpleNamespace(write_text=lambda text: done.append(f"drop {text.strip()}"))
    monkeypatch.setattr(before_runs, "_DROP", drop)
    targets = [FilesTarget(directory=name, count=1, file_size_bytes=1) for name in ("/a", "/b")]
    assert settle_caches(*targets) == ["synced; page, dentry and inode caches dropped"] * 2
    assert done == ["/a", "/b", "drop 3"]


_PAGES = 256


def _pages_in_memory(path):
    words = ["fincore", "--noheadings", "--output", "PAGES", str(path)]
    return int(must_run(words, what="fincore").words)


def _let_go(path):
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def test_the_engines_code_stays_in_memory_where_caches_are_dropped(tmp_path, monkeypatch):
    """An emulated machine read its engine again after each drop, while it was timed: one write of
    8 MiB took 0.11 s or 0.5 s, by chance."""
    engine, other = tmp_path / "engine", tmp_path / "other"
    for file in (engine, other):
        file.write_bytes(os.urandom(_PAGES * 4096))
        file.chmod(0o755)
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine))
    kept = keep_code_in_memory.__wrapped__()
    for file in (engine, other):
        _let_go(file)
    if _pages_in_memory(other):
        pytest.skip("this file system keeps pages that may go")
    assert _pages_in_memory(engine) == _PAGES
    assert len(kept) > 1


def test_a_file_that_cannot_be_mapped_is_left_out(tmp_path, monkeypatch):
    engine = tmp_path / "engine"
    engine.touch(mode=0o755)
    monkeypatch.setenv("FSGAUGE_ENGINE", str(engine))
    sizes = [len(each) for each in keep_code_in_memory.__wrapped__()]
    assert sizes
    assert all(sizes)


def test_a_file_system_that_fails_is_named_by_its_path(tmp_path, monkeypatch):
    """The folder was "/proc/26447/fd/11", and the cause "fsgauge doctor"."""
    refused = f"/usr/bin/sync: error syncing 'x': {os.strerror(errno.EIO)}"
    monkeypatch.setattr(before_runs, "run_tool", lambda *_, **__: Said((), 1, "", refused))
    held = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(RigError) as failed:
            before_runs.sync_file_system(f"/proc/{os.getpid()}/fd/{held}")
    finally:
        os.close(held)
    assert (
        failed.value.what
        == f"the file system at {tmp_path} could not be synced: Input/output error"
    )
    assert failed.value.next == "dmesg | tail"
