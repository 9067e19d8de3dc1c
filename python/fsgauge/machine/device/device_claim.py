"""One device, claimed from the check to the end, so that no other program formats it.

The claim is an exclusive open (O_EXCL): while it is held, mkfs, mount, LVM, RAID and swap refuse
the device. Our engine inherits it, and our mkfs is given the device when it asks for it. A mount
alone has to take the claim itself: ours is given up in the call before mount(2) and taken in the
call after umount2(2). Whatever another program does in these moments is seen: by the device's
counters, since file systems that write nothing while they are mounted read-only are mounted so
first, and are read-only before they go; for the others by what is on it; and for all by who writes
through the device's node. The device is left alone from then on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from fsgauge.engine.wire import Held
from fsgauge.errors import RefusedError, RigError
from fsgauge.machine.device.block_device import BlockDevice, numbers_of
from fsgauge.machine.device.device_bytes import DeviceState, changes, state_of, watched_node
from fsgauge.machine.device.device_tree import contents_of, label_of
from fsgauge.machine.device.safety import other_ways
from fsgauge.machine.facts.mounts import OF_WHAT_IS_MOUNTED, READ_ONLY, REMOUNT, mount, umount
from fsgauge.machine.process.answered_calls import SET_BLOCK_SIZE, AskedCall, Given
from fsgauge.machine.process.tool import Said, run_tool

_PAUSE_SECONDS = 0.05
_FAILING = {errno.EIO, errno.ENXIO, errno.ENOMEDIUM}
"""An open of a device that is broken or gone, which is no other program's doing."""
_OF_AN_OPEN = ~(os.O_EXCL | os.O_NOFOLLOW)
_TRIES = 5
_FORK_SECONDS = 0.5
"""How long a child of ours, between its fork and its exec, may have the claim as well."""
_PATIENCE_SECONDS = 60.0
"""How long the mount may live on in another namespace: that of a container or service which was
started meanwhile, with a copy of it."""
UNMOUNT_SECONDS = 60.0 + 2 * _PATIENCE_SECONDS
"""The unmount itself, and then the wait for other namespaces."""


class Claim:
    """Of storage that we made: no other program has to be kept out."""

    is_exclusive = False
    held: tuple[Held, ...] = ()
    """The device as an entry of a job's `held`."""

    def used(self) -> AbstractContextManager[None]:
        """While something of ours changes the device."""
        return nullcontext()

    def run(self, command: list[str], *, seconds: float) -> Said:
        """A tool that asks for the claim itself: mkfs."""
        return run_tool(command, seconds=seconds)

    def mount(self, command: list[str], *, seconds: float, is_quiet: bool) -> Said:  # noqa: ARG002
        """mount(8); `is_quiet`: mounted read-only, the file system writes nothing."""
        return run_tool(command, seconds=seconds)

    def unmount(self, command: list[str]) -> Said:
        return run_tool(command)

    def require_not_lost(self) -> None:
        """RigError when it did not come back after the unmount."""


class DeviceClaim(Claim):
    """A claim on a device that is not of our making; take it with `claimed`. `when_lost` is called
    once, when another program has used the device."""

    is_exclusive = True

    def __init__(self, device: BlockDevice) -> None:
        self.device = device
        self.is_lost = False
        self.when_lost: Callable[[], None] = lambda: None
        self._open = _opened(device, os.O_RDONLY)
        """Not exclusive, and open to the end: letting the claim go costs no flush then."""
        self._claim = -1
        self._is_held = False
        self._state: DeviceState | None = None
        self._mount: ClaimedMount | None = None
        self._loss: RigError | None = None

    @property
    def held(self) -> tuple[Held, ...]:  # type: ignore[override]
        """The claim's descriptor, whose number stays the same."""
        return (Held(path=self.device.path, descriptor=self._claim),)

    @property
    def node(self) -> int:
        return self._open

    @property
    def state(self) -> DeviceState:
        """As it was when something of ours last changed it; taken now if it was not taken yet."""
        if self._state is None:
            self._state = state_of(self.device)
        return self._state

    @state.setter
    def state(self, found: DeviceState) -> None:
        self._state = found

    def require_not_lost(self) -> None:
        """RigError when another program used the device, or it failed, as far as is known."""
        if self._loss is not None:
            raise self._loss

    def require_unchanged(self) -> None:
        """RigError when anybody wrote to it since it was claimed, and from then on."""
        self.require_not_lost()
        if not self._is_held:
            raise self.lost(("it is not claimed any more",))
        self.require_none(changes(self.state, state_of(self.device)))

    @contextmanager
    def used(self) -> Iterator[None]:
        """Held while the body changes the device; what the body leaves there is ours."""
        self.require_unchanged()
        before = self.state
        try:
            yield
        finally:
            self._state = state_of(self.device)
            self.require_none(changes(before, self._state, of_itself=True))

    def run(self, command: list[str], *, seconds: float) -> Said:
        """A tool that asks for the claim gets the device without it, as a descriptor of ours."""
        return run_tool(command, seconds=seconds, answer=self._given)

    def mount(self, command: list[str], *, seconds: float, is_quiet: bool) -> Said:
        """mount(8) finds out what is to be mounted, and this process does it for it."""
        self.require_not_lost()
        self._mount = ClaimedMount(self, label_of(self.device), is_quiet=is_quiet)
        return run_tool(command, seconds=seconds, answer=self._mount.mounted)

    def unmount(self, command: list[str]) -> Said:
        """umount(8); the loss of the claim is raised by `require_not_lost`."""
        if self._mount is None or self._loss is not None:
            return run_tool(command)
        return run_tool(command, seconds=UNMOUNT_SECONDS, answer=self._mount.unmounted)

    def take(self, seconds: float = 0.0) -> None:
        """Claim it; OSError (EBUSY) when another has it for longer."""
        ends = time.monotonic() + seconds
        while not self._is_held:
            try:
                claim = _opened(self.device, os.O_RDONLY | os.O_EXCL)
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() >= ends:
                    raise
                time.sleep(_PAUSE_SECONDS)
                continue
            if self._claim < 0:
                self._claim = claim
            else:
                os.dup2(claim, self._claim, inheritable=False)
                os.close(claim)
            self._is_held = True

    def close(self) -> None:
        for descriptor in {self._claim, self._open} - {-1}:
            os.close(descriptor)
        self._claim = self._open = -1
        self._is_held = False

    def let_go(self) -> None:
        """Give it up; its number stays taken."""
        os.dup2(self._open, self._claim, inheritable=False)
        self._is_held = False

    def _given(self, call: AskedCall) -> Given | int | None:
        """The answer to a tool that opens something exclusively, or sets a block size."""
        if not self.is_at(call.path):
            return None
        if call.name == "block size":
            fcntl.ioctl(self._claim, SET_BLOCK_SIZE, call.flags.to_bytes(8, sys.byteorder))
            return 0
        if call.name != "open":
            return None
        return Given(os.open(f"/proc/self/fd/{self._claim}", call.flags & _OF_AN_OPEN))

    def is_at(self, path: str) -> bool:
        try:
            found = Path(path).stat()
        except OSError:
            return False
        return stat.S_ISBLK(found.st_mode) and numbers_of(found.st_rdev) == self.device.numbers

    def take_back(self, seconds: float) -> None:
        """Claim it again; RigError when another has it, or where the device fails."""
        try:
            self.take(seconds)
        except OSError as error:
            if error.errno in _FAILING:
                raise self.failed(error) from error
            why = f"it cannot be claimed: {error.strerror}"
            raise self.lost((why, *_users(self.device))) from error

    def failed(self, error: OSError | RigError) -> RigError:
        """What is raised from now on of a device that cannot be read after something of ours
        changed it: what is on it is not known, and no other program's doing."""
        if self._loss is None:
            why = error.strerror if isinstance(error, OSError) else error.what
            self._loss = RigError(
                f"{self.device.path} cannot be read any more: {why}",
                cause="the device failed or is gone: an error of the disk, or unplugged",
                next="dmesg | tail",
            )
        return self._loss

    def require_none(self, found: list[str]) -> None:
        """RigError with what another program did, if anything."""
        if found:
            raise self.lost(tuple(found))

    def lost(self, details: tuple[str, ...]) -> RigError:
        """What is raised from now on; called for the first time, it is remembered for good."""
        found, path = label_of(self.device), self.device.path
        is_ours = found is None or (self._mount is not None and found == self._mount.label)
        self._loss = RigError(
            f"another program used {path} during this run",
            details=details if is_ours else (*details, f"it now has {found}"),
            cause="a program that does not ask whether a device is in use (dd, mkfs, lvextend), or"
            " was quicker than this run; the device is left as it is",
            next=f"wipefs --no-act {path}; fuser -v {path}",
        )
        if not self.is_lost:
            self.is_lost = True
            self.when_lost()
        return self._loss


class ClaimedMount:
    """Answers the calls of mount(8) and umount(8) on the device of `claim`. `label` is what the
    device carries; `is_quiet`: mounted read-only, that writes nothing."""

    def __init__(self, claim: DeviceClaim, label: str | None, *, is_quiet: bool) -> None:
        self._claim = claim
        self.label = label
        self._is_quiet = is_quiet

    def mounted(self, call: AskedCall) -> int | None:
        """What mount(2) says; None for a call that is not about the device."""
        is_ours = call.name == "mount" and not call.flags & OF_WHAT_IS_MOUNTED
        if not is_ours or not self._claim.is_at(call.path):
            return None
        number = self._mount(call, read_only_first=True) if self._is_quiet else errno.EINVAL
        if number:  # some options are for a read-write mount alone
            number = self._mount(call, read_only_first=False)
        return number

    def _mount(self, call: AskedCall, *, read_only_first: bool) -> int:
        claim, flags = self._claim, call.flags | (READ_ONLY if read_only_first else 0)
        for _ in range(_TRIES):
            with watched_node(claim.node) as writes:
                claim.let_go()
                number = mount(call.path, call.directory, call.file_system, flags, call.options)
                if number == 0:
                    try:
                        self._require_as_left(writes(), exact=read_only_first)
                    except BaseException:  # mount(8) says that it failed, so nothing may stay
                        umount(call.directory)
                        with suppress(RigError):  # it is lost, or the device fails: that is raised
                            claim.take_back(_FORK_SECONDS)
                        raise
                    if read_only_first:
                        number = self._remount(call)
                    if number == 0:
                        return 0
                    umount(call.directory)
                claim.take_back(_FORK_SECONDS)
                self._require_as_left(writes(), exact=read_only_first or number == errno.EBUSY)
            if number != errno.EBUSY:
                return number
        raise claim.lost((f"it cannot be mounted: {os.strerror(errno.EBUSY)}",))

    def _remount(self, call: AskedCall) -> int:
        """Make it read-write, with the options of the call; gives the error number."""
        flags = call.flags | REMOUNT
        return mount(call.path, call.directory, call.file_system, flags, call.options)

    def unmounted(self, call: AskedCall) -> int | None:
        """What umount2(2) says. `claim.require_not_lost` raises what is found out after it."""
        if call.name != "umount":
            return None
        claim, is_exact = self._claim, False
        if self._is_quiet:
            number = mount("none", call.path, "none", REMOUNT | READ_ONLY, "")
            if number == errno.EBUSY:
                return number
            is_exact = number == 0
        before = claim.state
        if is_exact:
            try:
                claim.state = state_of(claim.device)
            except (RigError, OSError):  # a device that fails is unmounted all the same
                is_exact = False
        with watched_node(claim.node) as writes:
            number = umount(call.path, call.flags)
            if number == 0:
                try:
                    claim.take_back(_PATIENCE_SECONDS)
                    self._require_as_left(writes(), exact=is_exact)
                    claim.require_none(changes(before, claim.state, of_itself=True))
                except (RigError, OSError) as error:  # it is unmounted, whatever else is found
                    claim.failed(error)
        return number

    def _require_as_left(self, found: list[str], *, exact: bool) -> None:
        """RigError unless it is as it was left, or without `exact` as a file system leaves it.
        `found` are writes through its node, in words."""
        claim = self._claim
        now = state_of(claim.device)
        if exact:
            found += changes(claim.state, now)
        else:
            found += changes(claim.state, now, of_itself=True)
            if label_of(claim.device) != self.label:
                found.append("another file system is on it")
        claim.require_none(found)
        claim.state = now


@contextmanager
def claimed(device: BlockDevice) -> Iterator[DeviceClaim]:
    """Hold the device; RefusedError with what is on it when another holds it."""
    claim = None
    try:
        claim = DeviceClaim(device)
        claim.take()
    except OSError as error:
        if claim is not None:
            claim.close()
        if error.errno != errno.EBUSY:
            raise RigError(
                f"{device.path} cannot be opened: {error.strerror}",
                details=tuple(contents_of(device)),
                cause="the device is gone or failed, or only root may write it",
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
        claim.close()


def _users(device: BlockDevice) -> list[str]:
    found = [*contents_of(device), *other_ways(device)]
    return found or [f"{device.path}  in use by another program or kernel driver"]


def _opened(device: BlockDevice, flags: int) -> int:
    """An open of this very device; its node may be another's by now."""
    descriptor = os.open(device.path, flags | os.O_CLOEXEC)
    if numbers_of(os.fstat(descriptor).st_rdev) != device.numbers:
        os.close(descriptor)
        raise OSError(errno.ENODEV, f"{device.path} is now a different device")
    return descriptor
