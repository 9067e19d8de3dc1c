"""What is refused before a device is touched: none there, in use, read-only, too small."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RefusedError
from fsgauge.machine.device import safety
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.safety import (
    find_device,
    require_unused,
    require_writable,
    sole_use,
)

SIZE_BYTES = 8 << 20


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BlockDevice:
    """One of 8 MiB as /sys would describe it, on which nothing is and which nobody uses."""
    (tmp_path / "size").write_text(f"{SIZE_BYTES // 512}\n")
    (tmp_path / "ro").write_text("0\n")
    monkeypatch.setattr(safety, "contents_of", lambda _: [])
    monkeypatch.setattr(safety, "other_ways", lambda _: [])
    return BlockDevice(name="none0", numbers="0:0", folder=tmp_path)


def test_an_empty_device_that_nobody_uses_passes(device: BlockDevice) -> None:
    require_unused(device)
    require_writable(device, SIZE_BYTES)


def test_what_is_on_it_is_listed(device: BlockDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety, "contents_of", lambda _: ["/dev/none0  ext4"])
    with pytest.raises(RefusedError, match="holds data") as raised:
        require_unused(device)
    assert raised.value.details == ("/dev/none0  ext4",)


def test_who_uses_it_is_listed(device: BlockDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety, "other_ways", lambda _: ["/dev/none0  open for writing in dd"])
    with pytest.raises(RefusedError, match="is in use") as raised:
        require_unused(device)
    assert raised.value.details == ("/dev/none0  open for writing in dd",)


def test_who_is_gone_an_instant_later_does_not_use_it(
    device: BlockDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`losetup --find` of another program opened a free loop device, and the device was refused."""
    seen = [["/dev/none0  open for writing in losetup"], []]
    monkeypatch.setattr(safety, "other_ways", lambda _: seen.pop(0))
    require_unused(device)
    assert seen == []


@pytest.mark.parametrize("missing_bytes", [1, 512, SIZE_BYTES])
def test_one_that_is_too_small_by_any_amount_is_refused(
    device: BlockDevice, missing_bytes: int
) -> None:
    with pytest.raises(InputError, match=r"/dev/none0 has 8 MiB, and the systems need"):
        require_writable(device, SIZE_BYTES + missing_bytes)


def test_one_without_any_capacity_is_too_small(device: BlockDevice) -> None:
    (device.folder / "size").unlink()
    with pytest.raises(InputError, match="at least"):
        require_writable(device, 1)


def test_a_read_only_one_is_refused_whatever_its_size(device: BlockDevice) -> None:
    (device.folder / "ro").write_text("1\n")
    with pytest.raises(InputError, match="read-only"):
        require_writable(device, 0)


def test_only_one_at_a_time_holds_its_lock(
    device: BlockDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "node"
    node.touch()
    monkeypatch.setattr(BlockDevice, "path", property(lambda _: str(node)))
    with sole_use(device), pytest.raises(RefusedError, match="holds the lock"), sole_use(device):
        raise AssertionError("it was given twice")
    with sole_use(device):
        pass
    descriptor = os.open(node, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/dev/there-is-none", "there is no device"),
        ("no-such-serial", "there is no device"),
        ("/dev/null", "is not a block device"),
        ("/", "is not a block device"),
    ],
)
def test_what_is_no_device_is_said_to_be_none(name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        find_device(name)


def test_a_folder_in_its_place_is_led_to_a_comparison_of_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        find_device(str(tmp_path))
    assert raised.value.next is not None and f"--system {tmp_path}" in raised.value.next
