"""What a scan is given by others: trees too deep, names that are no text, storage that goes away.

A tree of 12,000 folders in one another once took 1.5 GB: each kept its whole path. An XFS whose
device returned nothing was said to have no fragmented file.
"""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import InputError
from fsgauge.scan import document_of, read_scan
from fsgauge.scan.consequences import consequences
from tests.attack.test_images import is_damaged, scanned, tool
from tests.patience import patience
from tests.rigs import conftest as rigs
from tests.rigs.conftest import MEBIBYTE, MakeLoop
from tests.scan_example import example

make_loop = rigs.make_loop
_MEMORY_BYTES = 160 << 20
"""Of addresses: the engine, its threads, their stacks; a deep tree's paths would be 600 MB."""


def scan(path: Path | str, *, seconds: float = 60, **words: Any) -> ScanResult:
    """A scan in little memory."""
    found = scanned(path, _MEMORY_BYTES, seconds=seconds, threads=1, **words)
    return ScanResult.model_validate(found)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A folder, and how many lie in one another below it: a path of 480 KB."""
    depth, name = 8000, "d" * 60
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    file = os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=at)
    os.write(file, b"x" * 5000)
    os.fsync(file)
    os.close(file)
    os.close(at)
    yield tmp_path, depth
    subprocess.run(["rm", "-rf", str(tmp_path / name)], check=True, timeout=patience(60))


def test_a_tree_far_deeper_than_path_max_is_walked_in_little_memory(
    deep: tuple[Path, int],
) -> None:
    found = scan(deep[0], space=False, map_order=2, list_whole=True)
    if found.problems and found.problems[0].code == "open_files":
        pytest.skip("this user may not open so many files")
    assert (found.counts.files, found.counts.folders) == (1, deep[1] + 1)
    (file,) = found.top
    assert file.name.startswith("...") and file.name.endswith("/bottom") and len(file.name) < 5000


def test_names_that_are_no_text_take_no_memory_each(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    for number in range(20_000):
        name = b"\xff\xfe" * 60 + b"%d" % number
        file = os.open(name, os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=folder)
        if number < 50:
            os.write(file, b"x" * 4096)
        os.close(file)
    os.fsync(folder)
    os.close(folder)
    found = scan(tmp_path, space=False, map_order=6, list_whole=True)
    assert found.counts.files == 20_000
    assert all("\N{REPLACEMENT CHARACTER}" in file.name for file in found.top)
    assert read_back(found, tmp_path) == found


def read_back(found: ScanResult, folder: Path) -> ScanResult:
    (folder / "saved.json").write_text(document_of(found))
    return read_scan(folder / "saved.json")


def test_a_saved_scan_that_was_cut_anywhere_is_refused_by_name(tmp_path: Path) -> None:
    whole = document_of(example())
    place = tmp_path / "cut.json"
    for length in sorted(random.Random(41).sample(range(len(whole)), 60)):
        place.write_text(whole[:length])
        with pytest.raises(InputError, match="is not a saved scan"):
            read_scan(place)


def test_an_image_that_shrinks_while_it_is_read_ends_with_what_there_is(tmp_path: Path) -> None:
    image = tmp_path / "image"
    for pause in (0.0, 0.002, 0.01, 0.05):
        image.unlink(missing_ok=True)
        with image.open("wb") as file:
            file.truncate(512 * MEBIBYTE)
        tool("mke2fs", "-q", "-F", "-t", "ext4", "-N", "200000", str(image))

        def shrink(pause: float = pause) -> None:
            time.sleep(pause)
            os.truncate(image, 20 * MEBIBYTE)

        shrinking = threading.Thread(target=shrink)
        shrinking.start()
        found = scan(image)
        shrinking.join()
        assert {problem.code for problem in found.problems} <= {"truncated", "damaged"}
        if found.problems:
            assert consequences(found)[0][0].name == "unread"


@pytest.mark.root
@pytest.mark.parametrize("mkfs", ["mkfs.ext4", "mkfs.xfs"])
def test_of_a_device_that_is_gone_nothing_is_concluded(
    mkfs: str, make_loop: MakeLoop, tmp_path: Path
) -> None:
    device = make_loop(400 * MEBIBYTE)
    tool(mkfs, "-q", device)
    (file,) = tmp_path.glob("disk-*.img")
    os.truncate(file, 90 * MEBIBYTE)
    tool("losetup", "--set-capacity", device)
    found = scan(device)
    assert found.problems and not is_damaged(found.model_dump())
    rule, said = consequences(found)[0]
    assert rule.name == "unread" and said.do
    assert "fragmentation" not in {rule.name for rule, _ in consequences(found)}


@pytest.mark.root
@pytest.mark.long
def test_ten_million_names_that_are_no_text_take_no_memory_each(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    """Names of 160 files: ten million inodes would be 2.5 GB of tables. Mounted and as a device."""
    folders, names = 160, 62_500
    device, point = make_loop(1536 * MEBIBYTE), tmp_path / "at"
    tool("mkfs.ext4", "-q", "-m", "0", "-N", "4096", "-O", "^has_journal", device)
    point.mkdir()
    tool("mount", device, str(point))
    try:
        for number in range(folders):
            folder = os.open(_made(point / f"{number}"), os.O_RDONLY)
            with (point / f"{number}" / "file").open("wb") as file:
                file.write(b"x" * 4096)
            for name in range(names):
                os.link("file", b"\xff\xfe%d" % name, src_dir_fd=folder, dst_dir_fd=folder)
            os.close(folder)
        os.sync()
        found = scan(point, space=False, list_whole=True, seconds=1200)
    finally:
        tool("umount", str(point))
    assert found.counts.files == folders
    assert scan(device, seconds=600).counts.files == folders


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
