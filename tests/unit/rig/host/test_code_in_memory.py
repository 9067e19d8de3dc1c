"""What is executed while a run is timed is in memory before it."""

import os

import pytest

from fsgauge.machine.process.tool import must_run
from fsgauge.rig.host.caches import keep_code_in_memory

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
