"""What is done to caches is what the record says."""

from fsgauge.rig.caches import KEEP_CACHES, settle_caches
from fsgauge.wire import FilesTarget


def test_the_machines_caches_stay_where_that_is_asked_for(tmp_path, monkeypatch):
    (tmp_path / "fsgauge-0000").write_bytes(bytes(4096))
    monkeypatch.setenv(KEEP_CACHES, "1")
    said = settle_caches(FilesTarget(directory=str(tmp_path), count=1, file_size_bytes=4096))
    assert said.endswith("dentry and inode caches kept (FSGAUGE_KEEP_CACHES=1)")
