"""mb_groups is the kernel's own text of a mounted ext4, and refused of anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.engine.wire import ScanSource
from fsgauge.errors import InputError
from fsgauge.scan import mb_groups

TEXT = "#group: free  frags first [ 2^0   2^1   ]\n#0    : 64    8     1788  [ 6     5     ]\n"


def source(mount_point: str | None, device: str = "/dev/sdx1") -> ScanSource:
    return ScanSource.model_construct(path="/mnt/x", device=device, mount_point=mount_point)


@pytest.mark.parametrize("kind", ["ext4", "ldiskfs"])
def test_it_is_the_kernels_text(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mb_groups, "PROC", tmp_path)
    (tmp_path / kind / "sdx1").mkdir(parents=True)
    (tmp_path / kind / "sdx1" / "mb_groups").write_text(TEXT)
    assert mb_groups.mb_groups(source("/mnt/x")) == TEXT


def test_what_is_not_mounted_or_has_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mb_groups, "PROC", tmp_path)
    for one in (source(None), source("/mnt/x"), source("/mnt/x", device="")):
        with pytest.raises(InputError, match="has no mb_groups"):
            mb_groups.mb_groups(one)
