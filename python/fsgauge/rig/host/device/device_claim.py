"""One device, claimed from the check to the end, so that no other program formats it.

The claim is an exclusive open (O_EXCL): while it is held, mkfs, mount, LVM, RAID and swap refuse
the device. Our own mkfs, mount and engine need it themselves, so it is lent to them and taken back.
The state they leave is remembered; if the device has changed since, or has another file system,
another program wrote to it, and it is left alone from then on.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from fsgauge.errors import FsgaugeError, InputError, Interrupted, RefusedError, RigError
from fsgauge.rig.host.device.block_device import BlockDevice
from fsgauge.rig.host.device.device_state import DeviceState, changes, state_of
from fsgauge.rig.host.device.device_tree import contents_of, label_of
from fsgauge.rig.host.device.other_writers import other_ways

_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.05


class Claim:
    """Of storage that we made: no other program has to be kept out."""

    is_exclusive = False

    def used(self) -> AbstractContextManager[None]:
        """For what is done to the device without a claim of its own."""
        return nullcontext()

    def lent(self) -> AbstractContextManager[None]:
        """For those who need the claim themselves."""
        return nullcontext()

    def kept(self) -> AbstractContextManager[None]:
        """Held for a moment, while it is lent."""
        return nullcontext()

    def signed(self) -> AbstractContextManager[None]:
        """The same, right after a file system was made on it."""
        return nullcontext()

    def require_signed(self) -> None:
        """RigError when it carries another file system than that."""


class DeviceClaim(Claim):
    """A claim on a device that is not of our making; take it with `claimed`."""

    is_exclusive = True

    def __init__(self, device: BlockDevice) -> None:
        self.device = device
        self.is_lost = False
        self._descriptor: int | None = None
        self._state: DeviceState | None = None
        self._before: str | None = None
        self._made: str | None = None

    @property
    def state(self) -> DeviceState:
        """As it was when it was last claimed; taken now if it was not taken yet."""
        if self._state is None:
            self._state = state_of(self.device)
        return self._state

    def require_unchanged(self) -> None:
        """RigError when anybody wrote to it since it was claimed, and from then on."""
        if self.is_lost:
            raise self._lost(())
        found = changes(self.state, state_of(self.device))
        if found:
            raise self._lost(tuple(found))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Held while the body changes the device by tools that do not ask for the claim."""
        self.require_unchanged()
        try:
            yield
        finally:
            self._state = state_of(self.device)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Given up for the body, which uses the device; claimed again when the body has ended."""
        self.require_unchanged()
        self._before, self._made = label_of(self.device), None
        self.release()
        try:
            yield
        except BaseException as first:
            self._back_after(first)
            raise
        self._back(() if self._made is None else (self._made,))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Held for the body while it is lent, when nothing of ours uses the device."""
        if self._take_or_lose() and label_of(self.device):
            raise self._lost(())
        try:
            yield
        finally:
            self.release()

    @contextmanager
    def signed(self) -> Iterator[None]:
        """Held for the body, at once after our mkfs: what it carries now is ours."""
        self._take_or_lose(seconds=0)
        self._made = label_of(self.device)
        try:
            yield
        finally:
            self.release()

    def require_signed(self) -> None:
        """RigError when it carries another file system than the one that was signed."""
        if self._made is not None:
            self._require_label((self._made,))

    def take(self, seconds: float = 0.0) -> bool:
        """Claim it, and say whether that took patience; OSError (EBUSY) when it took too much."""
        ends, waited = time.monotonic() + seconds, False
        while self._descriptor is None:
            try:
                self._descriptor = _open_claim(self.device)
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() >= ends:
                    raise
                waited = True
                time.sleep(_PAUSE_SECONDS)
        return waited

    def release(self) -> None:
        """Give it up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _back(self, ours: tuple[str | None, ...]) -> None:
        """Claim it again and remember how it was left; `ours` is what it may carry, if known.

        Without that it is a bare device full of random bytes, which may look like anything: it is
        asked only when somebody else held the claim.
        """
        waited = self._take_or_lose()
        if ours or waited:
            self._require_label(ours or (None,))
        self._state = state_of(self.device)

    def _back_after(self, first: BaseException) -> None:
        """The same when the body failed: its error comes first, unless a stranger explains it.

        What an interrupted mkfs left is ours, whatever it is.
        """
        if self.is_lost:
            return
        ended = not isinstance(first, Exception) or isinstance(first, Interrupted)
        try:
            self._back((label_of(self.device),) if ended else (None, self._before, self._made))
        except RigError as second:
            if ended or not isinstance(first, FsgaugeError):
                return
            if self._descriptor is None and not isinstance(first, InputError):
                first.details = (*first.details, second.what, *second.details)
                return
            second.details = (*second.details, first.what, *first.details)
            raise second from first

    def _take_or_lose(self, seconds: float | None = None) -> bool:
        try:
            return self.take(_PATIENCE_SECONDS if seconds is None else seconds)
        except OSError as error:
            why = f"it cannot be claimed: {error.strerror}"
            raise self._lost((why, *_users(self.device))) from error

    def _require_label(self, ours: tuple[str | None, ...]) -> None:
        found = label_of(self.device)
        if found not in ours:
            raise self._lost(())

    def _lost(self, details: tuple[str, ...]) -> RigError:
        self.is_lost = True
        found, ours = label_of(self.device), (None, self._before, self._made)
        return RigError(
            f"another program used {self.device.path} during this run",
            details=(*details, *((f"it now has {found}",) if found not in ours else ())),
            cause="the other program found it empty; the device is left as it is",
            next=f"wipefs --no-act {self.device.path}; fuser -v {self.device.path}",
        )


@contextmanager
def claimed(device: BlockDevice) -> Iterator[DeviceClaim]:
    """Hold the device; RefusedError with what is on it when another holds it."""
    claim = DeviceClaim(device)
    try:
        claim.take()
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise RigError(
                f"{device.path} cannot be opened: {error.strerror}",
                details=tuple(contents_of(device)),
                next=f"lsblk {device.path}; dmesg | tail",
            ) from error
        raise RefusedError(
            f"{device.path} is in use, so it is left alone",
            details=tuple(_users(device)),
            cause="a mount, swap, RAID, LVM or another program has it open exclusively",
            next=f"lsblk {device.path}; fuser -v {device.path}",
        ) from error
    try:
        yield claim
    finally:
        claim.release()


def _users(device: BlockDevice) -> list[str]:
    """What is on it and who has it open, or that nothing of it shows."""
    found = [*contents_of(device), *other_ways(device)]
    return found or [f"{device.path}  in use by another program or kernel driver"]


def _open_claim(device: BlockDevice) -> int:
    """An exclusive open of this very device; its node may be another's by now."""
    descriptor = os.open(device.path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    found = os.fstat(descriptor).st_rdev
    if f"{os.major(found)}:{os.minor(found)}" != device.numbers:
        os.close(descriptor)
        raise OSError(errno.ENODEV, f"{device.path} is now a different device")
    return descriptor
