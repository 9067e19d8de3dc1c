"""Direct I/O that is copied through the page cache is seen there while it is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.rig.host import direct as module
from fsgauge.rig.host.direct import CachedDirect, cached_direct


def test_memory_is_the_page_cache_and_its_direct_io_is_none() -> None:
    """tmpfs takes O_DIRECT since Linux 6.6, and ignores it."""
    found = cached_direct("/dev/shm")
    if found is None:
        pytest.skip("this kernel's tmpfs has no O_DIRECT")
    assert (found.written, found.read) == (found.pages, 0), "the pages of a file in memory stay"
    assert found.words == "1,024 of 1,024 pages of a direct write"


def test_nothing_is_left_and_what_cannot_be_tried_is_not_said(tmp_path: Path) -> None:
    cached_direct(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert cached_direct(str(tmp_path / "missing")) is None


def test_a_write_that_was_missed_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = iter([0, 0, 0, 0, 7])
    monkeypatch.setattr(module._Pages, "most_while", lambda self, work: next(seen))
    found = cached_direct("/dev/shm")
    if found is not None:
        assert found.written == 7


def test_words_say_which_of_both() -> None:
    assert CachedDirect(10, 0, 0).words == ""
    assert CachedDirect(10, 3, 4).words == (
        "3 of 10 pages of a direct write and 4 of 10 pages of a direct read"
    )
