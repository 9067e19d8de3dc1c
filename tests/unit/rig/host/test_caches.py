"""What is done to caches is what the record says."""

import os

from fsgauge.engine.wire import FilesTarget
from fsgauge.rig.host.caches import KEEP_CACHES, settle_caches
from fsgauge.workload.folders import ClientFolders


def test_the_machines_caches_stay_where_that_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "fsgauge-0000").write_bytes(bytes(4096))
    monkeypatch.setenv(KEEP_CACHES, "1")
    said = settle_caches(FilesTarget(directory=str(tmp_path), count=1, file_size_bytes=4096))
    assert said.endswith("dentry and inode caches kept (FSGAUGE_KEEP_CACHES=1)")


def test_files_of_clients_are_let_go_wherever_they_lie(tmp_path, monkeypatch):
    monkeypatch.setenv(KEEP_CACHES, "1")
    asked = []
    monkeypatch.setattr(os, "posix_fadvise", lambda *words: asked.append(words))
    for name in ("files/c00000", "backup/d000/d001"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "c00000-f000000").write_bytes(bytes(4096))
    folders = ClientFolders(directory=str(tmp_path), files_per_client=1, backup_files_per_client=1)
    assert settle_caches(folders).startswith("synced; the kernel was asked")
    assert len(asked) == 2
