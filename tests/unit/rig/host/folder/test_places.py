"""Places to compare with are on other file systems, and none of them is memory."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from fsgauge.rig.host.folder import places
from fsgauge.rig.host.machine.mounts import parse_mountinfo


@pytest.mark.parametrize(("file_system", "fits"), [("ext4", True), ("tmpfs", False)])
def test_memory_has_no_direct_io_to_compare(
    file_system: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the kernel would open a file on it with O_DIRECT."""
    found = parse_mountinfo(f"30 1 0:26 / {tmp_path} rw - {file_system} none rw\n")
    monkeypatch.setattr("fsgauge.rig.host.machine.mounts.mounts", lambda: found)
    opened = SimpleNamespace(
        statvfs=os.statvfs, open=lambda *_: 0, close=lambda _: None, O_RDWR=0, O_DIRECT=0
    )
    monkeypatch.setattr(places, "os", opened)
    assert places._fit(tmp_path, 4096) is fits
