"""A claim that cannot be taken back: another program's doing, or a device that fails."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace
from typing import cast

import pytest

from fsgauge.errors import RigError
from fsgauge.machine.device import device_claim
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.device_claim import DeviceClaim


@pytest.fixture
def claim(monkeypatch: pytest.MonkeyPatch) -> DeviceClaim:
    """Of a device that opens only once."""
    opened = iter([os.open(os.devnull, os.O_RDONLY)])
    monkeypatch.setattr(device_claim, "_opened", lambda *_: next(opened))
    monkeypatch.setattr(device_claim, "_users", lambda _: [])
    monkeypatch.setattr(device_claim, "label_of", lambda _: None)
    return DeviceClaim(cast("BlockDevice", SimpleNamespace(path="/dev/none")))


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO, errno.ENOMEDIUM, errno.EBUSY])
def test_a_device_that_fails_was_used_by_no_other_program(
    claim: DeviceClaim, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_: object) -> int:
        raise OSError(number, os.strerror(number), "/dev/none")

    monkeypatch.setattr(device_claim, "_opened", fails)
    with pytest.raises(RigError) as raised:
        claim.take_back(0.0)
    assert ("another program" in raised.value.what) is (number == errno.EBUSY)
    with pytest.raises(RigError, match=raised.value.what):
        claim.require_unchanged()
    assert claim.is_lost is (number == errno.EBUSY)
    claim.close()


def test_what_cannot_be_read_after_an_unmount_was_changed_by_no_other_program(
    claim: DeviceClaim,
) -> None:
    """The state of before the mount stayed, so our own writes were another program's."""
    claim.failed(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/dev/none"))
    for ask in (claim.require_not_lost, claim.require_unchanged):
        with pytest.raises(RigError, match="cannot be read any more: No space left") as raised:
            ask()
        assert "the device failed" in raised.value.cause
    assert not claim.is_lost
    claim.close()
