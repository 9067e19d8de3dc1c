"""mb_groups is the kernel's own text of a mounted ext4, and refused of anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.engine.wire import ScanSource
from fsgauge.errors import InputError
from fsgauge.scan import mb_groups

TEXT = "#group: free  frags first [ 2^0   2^1   ]\n#0    : 64    8     1788  [ 6     5     ]\n"


DUMP = """Block size:               4096
Group 0: (Blocks 0-32767) csum 0x1234 [ITABLE_ZEROED]
  6 free blocks, 8181 free inodes, 2 directories
  Free blocks: 9, 32763-32767
  Free inodes: 12-8192
Group 1: (Blocks 32768-40959) [INODE_UNINIT]
  Free blocks: 32768-40959
Group 2: (Blocks 40960-49151)
  Free blocks: \n"""
HEAD = "#group: free  frags first [ 2^0   2^1   2^2   2^3   2^4   2^5   2^6   2^7   2^8   2^9   "
"""As Linux 6.1 prints it."""


def source(
    mount_point: str | None, device: str = "/dev/sdx1", file_system: str = "xfs"
) -> ScanSource:
    return ScanSource.model_construct(
        path="/mnt/x",
        device=device,
        mount_point=mount_point,
        file_system=file_system,
        block_size_bytes=4096,
    )


def unasked(path: str) -> str:
    raise AssertionError(f"{path} is no image")


def test_of_an_image_it_is_made_of_what_dumpe2fs_lists() -> None:
    text = mb_groups.mb_groups(source(None, file_system="ext4"), lambda path: DUMP)
    head, *lines = text.splitlines()
    assert head.startswith(HEAD) and head.endswith("2^13  ]")
    fields = [line.replace("[", "").replace("]", "").split() for line in lines]
    assert [each[:5] for each in fields] == [
        ["#0", ":", "6", "2", "9"],
        ["#1", ":", "8192", "1", "0"],
        ["#2", ":", "0", "0", "8192"],
    ]
    assert fields[0][5:8] == ["2", "0", "1"], "9; and 32763, 32764 to 32767"
    assert fields[1][5:] == ["0"] * 13 + ["1"]


def test_what_dumpe2fs_cannot_list_is_refused() -> None:
    with pytest.raises(InputError, match="lists no groups"):
        mb_groups.text_of("Block size: 4096", 4096)


@pytest.mark.parametrize("kind", ["ext4", "ldiskfs"])
def test_it_is_the_kernels_text(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mb_groups, "PROC", tmp_path)
    (tmp_path / kind / "sdx1").mkdir(parents=True)
    (tmp_path / kind / "sdx1" / "mb_groups").write_text(TEXT)
    assert mb_groups.mb_groups(source("/mnt/x"), unasked) == TEXT


def test_what_is_not_mounted_or_has_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mb_groups, "PROC", tmp_path)
    for one in (source(None), source("/mnt/x"), source("/mnt/x", device="")):
        with pytest.raises(InputError, match="has no mb_groups"):
            mb_groups.mb_groups(one, unasked)
