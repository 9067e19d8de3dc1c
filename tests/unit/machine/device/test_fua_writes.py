"""Why writes with FUA are not counted, where they need no counting, and what a counter asks for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsgauge.machine.device import fua_writes
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.fua_writes import fua_counted
from tests.unit.machine.device.fake_devices import made_of, whole_disk


def counted(device: BlockDevice) -> dict[str, int | str]:
    with fua_counted(device) as now:
        return now()


@pytest.fixture(autouse=True)
def tracefs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Not mounted."""
    folder = tmp_path / "tracing"
    folder.mkdir()
    monkeypatch.setattr(fua_writes, "_TRACEFS", folder)
    yield folder


def test_a_disk_that_takes_no_fua_is_given_none(tmp_path: Path) -> None:
    without = whole_disk(tmp_path, "sda", 0, fua="0")
    uncached = whole_disk(tmp_path, "sdb", 1, cache="write through")
    for each in (without, uncached, made_of(tmp_path, "dm-0", without, uncached)):
        assert counted(each) == {"fua_requests": 0}


def test_why_they_are_not_counted_is_said(tmp_path: Path, tracefs: Path) -> None:
    disk = whole_disk(tmp_path, "nvme0n1", 0)
    assert counted(disk) == {"fua_not_counted": f"tracefs is not mounted at {tracefs}"}
    pmem = whole_disk(tmp_path, "pmem0", 1, has_queue=False)
    assert counted(pmem) == {"fua_not_counted": "/dev/pmem0 has no request queue"}
    (tracefs / "events/block").mkdir(parents=True)
    (tracefs / "events/block/block_rq_issue").touch(mode=0o644)
    found = counted(disk)["fua_not_counted"]
    assert found == f"{tracefs} cannot be read: Not a directory"


def test_counters_are_closed_where_one_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def opened(_disks: list[BlockDevice], processor: int) -> int:
        if processor == 2:
            raise OSError(24, "too many open files")
        made.append(os.open("/dev/zero", os.O_RDONLY))
        return made[-1]

    monkeypatch.setattr(fua_writes, "_opened", opened)
    monkeypatch.setattr(fua_writes, "_processors", lambda: [0, 1, 2])
    disk = whole_disk(tmp_path, "nvme0n1", 0)
    assert counted(disk) == {"fua_not_counted": "too many open files"}
    assert len(made) == 2
    for each in made:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(each)
    monkeypatch.setattr(fua_writes, "_processors", lambda: [0, 1])
    assert counted(disk) == {"fua_requests": 0}


def test_a_counter_asks_for_the_disks_by_number(tmp_path: Path) -> None:
    disks = [whole_disk(tmp_path, "sda", 3), whole_disk(tmp_path, "sdb", 300)]
    asked = fua_writes._filter(disks)
    assert asked == '(dev == 271581187 || dev == 271581484) && rwbs ~ "*WF*"'


def test_a_list_of_processors_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    online = tmp_path / "online"
    monkeypatch.setattr(fua_writes, "_ONLINE", str(online))
    for text, found in {"0": [0], "0-3,5": [0, 1, 2, 3, 5]}.items():
        online.write_text(f"{text}\n")
        assert fua_writes._processors() == found
