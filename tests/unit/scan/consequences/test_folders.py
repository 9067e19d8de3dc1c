"""Folders of ext: which take no more names, and which are far larger than theirs."""

from __future__ import annotations

from typing import Any

from fsgauge.scan.consequences import folders
from tests.unit.scan.consequences.test_no_space import MIB, said, scan


def folder(full: int, name: str = "/mail/new") -> dict[str, Any]:
    index = {"index_blocks": 123, "full_index_blocks": full}
    return {"name": name, "size_bytes": 9 * MIB} | index


def test_a_folder_whose_index_is_full() -> None:
    found = folders.folder_index(scan(full_folders=[folder(12), folder(1)]))
    assert said(found).startswith("stop: New names are refused in a folder, although there is room")
    assert "index of /mail/new has all its levels and a full root, and 12 of its 123" in said(found)
    assert "(it takes 9 MiB); 1 more folder like it" in said(found)
    assert found is not None and "tune2fs -O large_dir /dev/fake" in found.do and found.cost
    soon = folders.folder_index(scan(full_folders=[folder(0, "/a\n")]))
    assert said(soon).startswith("attention: New names will soon be refused")
    assert "\n" not in said(soon) and "like it" not in said(soon)
    assert folders.folder_index(scan()) is None


def test_a_folder_that_was_emptied_keeps_its_size() -> None:
    folder = {"name": "/srv/a spool", "size_bytes": 64 * MIB, "entries": 1}
    found = folders.emptied(scan(emptied_folders=[folder, folder, folder]))
    assert said(found) == (
        "attention: Listing a folder reads far more than its names: /srv/a spool takes 64 MiB and"
        " has 1 name, since ext4 gives no block of a folder back when names are deleted; 2 more"
        " folders like it"
    )
    assert found is not None and found.cost
    assert found.do.startswith("mkdir '/srv/a spool.new' && find '/srv/a spool' -mindepth 1 ")
    assert found.do.endswith("or, unmounted, e2fsck -fD /dev/fake")
    strange = folders.emptied(scan(emptied_folders=[folder | {"name": "/a\n"}]))
    assert "\n" not in said(strange) and "like it" not in said(strange)
    assert folders.emptied(scan()) is None
