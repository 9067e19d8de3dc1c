"""One device, claimed from the check to the end, so that nobody else makes a file system on it.

The claim is an exclusive open (O_EXCL): while it is held, mkfs, mount, LVM, RAID and swap refuse
the device. Our own mkfs, mount and engine need it themselves, so it is lent to them. What they
leave is remembered when it comes back; when the device has changed until it is lent again, somebody
else wrote to it, and it is left alone from then on.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from fsgauge.errors import FsgaugeError, InputError, RefusedError, RigError
from fsgauge.host.block_device import BlockDevice
from fsgauge.host.device_state import DeviceState, changes, state_of
from fsgauge.host.device_tree import contents_of, label_of
from fsgauge.host.other_ways import other_ways

_PATIENCE_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
_LEFT_ALONE = "what is on it now was left as it is"


class Claim:
    """As it is on storage of our own making: nobody has to be kept out."""

    def lent(self) -> AbstractContextManager[None]:
        """For those who need the claim themselves."""
        return nullcontext()

    def kept(self) -> AbstractContextManager[None]:
        """Held for a moment, while it is lent."""
        return nullcontext()

    def remember_label(self) -> None:
        """What was just made on it is ours."""

    def require_label(self) -> None:
        """RigError when it carries something else than what was remembered."""


class DeviceClaim(Claim):
    """A claim on a device that is not of our making; take it with `claimed`."""

    def __init__(self, device: BlockDevice) -> None:
        self.device = device
        self.is_lost = False
        self._descriptor: int | None = None
        self._state: DeviceState | None = None
        self._label: str | None = None

    @property
    def state(self) -> DeviceState:
        """As it was when it was last claimed; taken now if it was not taken yet."""
        if self._state is None:
            self._state = state_of(self.device)
        return self._state

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Given up for the body, which uses the device; claimed again when the body has ended."""
        self.require_unchanged()
        self.release()
        self._label = None
        try:
            yield
        except BaseException as first:
            self._back_after(first)
            raise
        self._back()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Held for the body while it is lent, where nothing of ours uses the device."""
        self._take_or_lose()
        try:
            yield
        finally:
            self.release()

    def require_unchanged(self) -> None:
        """RigError when anybody wrote to it since it was claimed, and from then on."""
        if self.is_lost:
            raise self._lost(())
        found = changes(self.state, state_of(self.device))
        if found:
            raise self._lost(tuple(found))

    def remember_label(self) -> None:
        """What was just made on it is ours."""
        self._label = label_of(self.device)

    def require_label(self) -> None:
        """RigError when it carries another file system than the one that was remembered."""
        found = label_of(self.device) if self._label is not None else None
        if found != self._label:
            raise self._lost((f"it carries {found or 'no signature'}, not {self._label}",))

    def take(self, seconds: float = 0.0) -> None:
        """Claim it; OSError (EBUSY) when another holds it for longer than `seconds`."""
        ends = time.monotonic() + seconds
        while self._descriptor is None:
            try:
                self._descriptor = _open_claim(self.device)
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() >= ends:
                    raise
                time.sleep(_PAUSE_SECONDS)

    def release(self) -> None:
        """Give it up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _back(self) -> None:
        """Claim it again and remember what it was left as."""
        self._take_or_lose()
        self.require_label()
        self._state = state_of(self.device)

    def _back_after(self, first: BaseException) -> None:
        """The same when the body failed: its error comes first, unless a stranger explains it."""
        if self.is_lost:
            return
        try:
            self._back()
        except FsgaugeError as second:
            if isinstance(first, InputError):
                raise second from first
            if isinstance(first, FsgaugeError):
                first.details = (*first.details, second.what, *second.details)

    def _take_or_lose(self) -> None:
        try:
            self.take(_PATIENCE_SECONDS)
        except OSError as error:
            raise self._lost(
                (f"it cannot be claimed: {error.strerror}", *_users(self.device))
            ) from error

    def _lost(self, details: tuple[str, ...]) -> RigError:
        self.is_lost = True
        found = label_of(self.device)
        return RigError(
            f"another program used {self.device.path} while it was this run's",
            details=(*details, *((f"it carries {found} now",) if found else ())),
            cause=f"somebody took it for an empty device; {_LEFT_ALONE}",
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
                f"{device.path} cannot be opened: {error.strerror}", next="dmesg | tail"
            ) from error
        raise RefusedError(
            f"{device.path} is in use, so it is left alone",
            details=tuple(_users(device)),
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
        raise OSError(errno.ENODEV, f"{device.path} is another device now")
    return descriptor
