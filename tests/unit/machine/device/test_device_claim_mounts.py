"""Mounts of a claimed device that fails as it is read: none stays, and the claim is taken back."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from fsgauge.machine.device import device_claim
from fsgauge.machine.device.device_claim import ClaimedMount, DeviceClaim
from fsgauge.machine.process.answered_calls import AskedCall


class _Claim:
    """What was done with it, in order."""

    device, state, node = SimpleNamespace(path="/dev/none"), "as it was", 0

    def __init__(self) -> None:
        self.done: list[str] = []

    def is_at(self, _path: str) -> bool:
        return True

    def let_go(self) -> None:
        self.done.append("let go")

    def take_back(self, _seconds: float) -> None:
        self.done.append("taken back")

    def failed(self, error: OSError) -> None:
        self.done.append(f"failed: {error.strerror}")


@pytest.fixture
def claim(monkeypatch: pytest.MonkeyPatch) -> _Claim:
    made = _Claim()

    def unreadable(_device: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), "/dev/none")

    def done(what: str) -> Callable[..., int]:
        def call(*_: object) -> int:
            made.done.append(what)
            return 0

        return call

    monkeypatch.setattr(device_claim, "state_of", unreadable)
    monkeypatch.setattr(device_claim, "mount", done("mount"))
    monkeypatch.setattr(device_claim, "umount", done("umount"))
    return made


def test_a_mount_goes_again_where_the_device_cannot_be_read_after_it(claim: _Claim) -> None:
    mount = ClaimedMount(cast("DeviceClaim", claim), None, is_quiet=True)
    with pytest.raises(OSError, match="Input/output error"):
        mount.mounted(AskedCall("mount", "/dev/none", 0, "/mnt", "ext4"))
    assert claim.done == ["let go", "mount", "umount", "taken back"]


def test_a_device_that_cannot_be_read_is_unmounted_all_the_same(claim: _Claim) -> None:
    mount = ClaimedMount(cast("DeviceClaim", claim), None, is_quiet=True)
    assert mount.unmounted(AskedCall("umount", "/mnt", 0)) == 0
    assert claim.done == ["mount", "umount", "taken back", "failed: Input/output error"]
