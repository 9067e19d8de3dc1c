"""Links of other hosts to the files that the first one has laid out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fsgauge.engine.wire import FilesTarget, LayoutResult
from fsgauge.errors import RigError
from fsgauge.machine.folder.open_folder import BELOW
from fsgauge.rig.fleet.files_of_all import offered, patience_seconds, taken
from tests.synthetic import ENGINE

SIZE = 8192


def target(folder: Path, count: int = 2) -> FilesTarget:
    folder.mkdir()
    return FilesTarget(directory=str(folder), count=count, file_size_bytes=SIZE)


def laid_out(of: FilesTarget) -> LayoutResult:
    for number in range(of.count):
        (Path(of.directory) / f"{of.prefix}{number:04d}").write_bytes(b"a" * SIZE)
    return LayoutResult(
        format=1,
        kind="layout",
        engine=ENGINE,
        files=of.count,
        size_bytes=of.count * SIZE,
        elapsed_ns=1000,
        fsync_ns=10,
        ended="size_limit",
        notes=[],
    )


def linked(offer: str, own: FilesTarget) -> LayoutResult:
    folder = os.open(own.directory, BELOW)
    try:
        return taken(offer, own, folder, 1)
    finally:
        os.close(folder)


def test_the_first_files_become_links(tmp_path: Path) -> None:
    """The others stay what this host has laid out itself, which all has names of its own too."""
    first, own = target(tmp_path / "first"), target(tmp_path / "own")
    offer = offered(first, laid_out(first))
    laid_out(own)
    found = linked(offer, own)
    names = [tmp_path / "own" / f"{own.prefix}000{number}" for number in range(2)]
    kept = [tmp_path / "own" / f"own-{own.prefix}000{number}" for number in range(2)]
    assert kept[1].samefile(names[1]) and not kept[0].samefile(names[0])
    assert names[0].samefile(tmp_path / "first" / names[0].name)
    assert not any(each.is_symlink() for each in (tmp_path / "own").iterdir())
    names[0].write_bytes(b"b" * SIZE)
    assert (tmp_path / "first" / names[0].name).read_bytes() == b"b" * SIZE
    assert kept[0].read_bytes() == b"a" * SIZE
    assert found.size_bytes == 2 * SIZE
    assert (
        found.notes[-1].text
        == f"its files are links to those of the first host, in {tmp_path}/first"
    )


@pytest.mark.parametrize("what", ["missing", "short"])
def test_files_that_are_not_there_are_told_at_once(tmp_path: Path, what: str) -> None:
    first, own = target(tmp_path / "first", 1), target(tmp_path / "own", 1)
    offer = offered(first, laid_out(first))
    file = tmp_path / "first" / f"{first.prefix}0000"
    if what == "missing":
        file.unlink()
    else:
        file.write_bytes(b"short")
    with pytest.raises(RigError, match="is not there: ") as caught:
        linked(offer, own)
    assert "is not the same file system on all hosts" in caught.value.cause
    assert list((tmp_path / "own").iterdir()) == []


@pytest.mark.parametrize("folder", ["..", ".", "", "a/b", "/etc", "../x", "x" * 300, ".x", "a\n"])
def test_a_first_host_s_folder_is_beside_the_own_one(tmp_path: Path, folder: str) -> None:
    """A hostile first host would have the others write elsewhere."""
    first, own = target(tmp_path / "first", 1), target(tmp_path / "own", 1)
    offer = json.loads(offered(first, laid_out(first)))
    with pytest.raises(RigError, match="the first host offered something other than a folder"):
        linked(json.dumps({**offer, "folder": folder}), own)
    assert list((tmp_path / "own").iterdir()) == []


def test_links_in_the_first_hosts_folder_lead_nowhere(tmp_path: Path) -> None:
    """Another user may have put a folder of links, or a link, in its place."""
    first, own = target(tmp_path / "first", 1), target(tmp_path / "own", 1)
    offer = offered(first, laid_out(first))
    file = tmp_path / "first" / f"{first.prefix}0000"
    file.rename(tmp_path / "roots")
    file.symlink_to(tmp_path / "roots")
    with pytest.raises(RigError, match="something else has its name"):
        linked(offer, own)
    (tmp_path / "first").rename(tmp_path / "moved")
    (tmp_path / "first").symlink_to(tmp_path / "moved")
    with pytest.raises(RigError, match="is not there"):
        linked(offer, own)
    assert list((tmp_path / "own").iterdir()) == []


def test_a_large_file_is_waited_for_longer(tmp_path: Path) -> None:
    small = target(tmp_path / "a", 1)
    large = small.model_copy(update={"file_size_bytes": 1 << 40})
    assert patience_seconds(small) < 1 < 3600 < patience_seconds(large)
