"""The mount of a claimed device: what was left before it, and what is found after it.

The kernel's file system takes the claim itself, so ours is given up in the call before mount(2) and
taken in the call after umount2(2). Whatever another program does in these moments is seen: by the
device's counters, since file systems that write nothing while they are mounted read-only are
mounted so first, and are read-only before they go; for the others by what is on it; and for all by
who writes through the device's node.
"""

from __future__ import annotations

import ctypes
import errno
import os
from contextlib import suppress
from typing import Protocol, Self

from fsgauge.errors import RigError
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.device_state import DeviceState, changes, state_of
from fsgauge.machine.device.device_tree import label_of
from fsgauge.machine.facts.mounts import OF_WHAT_IS_MOUNTED, READ_ONLY, REMOUNT, mount, umount
from fsgauge.machine.process.answered_calls import AskedCall

_MODIFIED, _CLOSED_AFTER_WRITING = 0x2, 0x8
_LONGEST_BYTES = 1 << 16
_LIBC = ctypes.CDLL(None, use_errno=True)


class WrittenThroughNode:
    """Whether anybody wrote to a device through its node within a context (inotify(7)).

    The kernel's own users, a file system that is mounted, go past the node and are not seen.
    `descriptor` is an open one of the device.
    """

    def __init__(self, descriptor: int) -> None:
        self._node = f"/proc/self/fd/{descriptor}".encode()
        self._events = -1

    def __enter__(self) -> Self:
        self._events = _LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._events < 0:
            raise _failed()
        wanted = _MODIFIED | _CLOSED_AFTER_WRITING
        if _LIBC.inotify_add_watch(self._events, self._node, wanted) < 0:
            error = _failed()
            os.close(self._events)
            raise error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._events)

    def seen(self) -> list[str]:
        """In words, or empty."""
        try:
            os.read(self._events, _LONGEST_BYTES)
        except BlockingIOError:
            return []
        return ["a program had it open for writing"]


def _failed() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), "inotify")


_TRIES = 5
_FORK_SECONDS = 0.5
"""How long a child of ours, between its fork and its exec, may have the claim as well."""
_PATIENCE_SECONDS = 60.0
"""How long the mount may live on in another namespace: that of a container or service which was
started meanwhile, with a copy of it."""
UNMOUNT_SECONDS = 60.0 + 2 * _PATIENCE_SECONDS
"""The unmount itself, and then the wait for other namespaces."""


class MountedClaim(Protocol):
    """The part of DeviceClaim that mounting uses."""

    device: BlockDevice
    state: DeviceState

    @property
    def node(self) -> int:
        """A descriptor of the device that claims nothing."""
        ...

    def is_at(self, path: str) -> bool:
        """Whether a path leads to this device."""
        ...

    def let_go(self) -> None: ...

    def take_back(self, seconds: float) -> None:
        """Claim it again; RigError where another has it for longer."""
        ...

    def require_none(self, found: list[str]) -> None:
        """RigError, and the claim is lost, where anything was found."""
        ...

    def failed(self, error: OSError | RigError) -> RigError:
        """Remembers that the device cannot be read any more, unless more is known."""
        ...

    def lost(self, details: tuple[str, ...]) -> RigError:
        """The error that another program used the device."""
        ...


class ClaimedMount:
    """Answers the calls of mount(8) and umount(8) on the device of `claim`. `label` is what the
    device carries; `is_quiet`: mounted read-only, that writes nothing."""

    def __init__(self, claim: MountedClaim, label: str | None, *, is_quiet: bool) -> None:
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
            with WrittenThroughNode(claim.node) as written:
                claim.let_go()
                number = mount(call.path, call.directory, call.file_system, flags, call.options)
                if number == 0:
                    try:
                        self._require_as_left(written, exact=read_only_first)
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
                self._require_as_left(written, exact=read_only_first or number == errno.EBUSY)
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
        with WrittenThroughNode(claim.node) as written:
            number = umount(call.path, call.flags)
            if number == 0:
                try:
                    claim.take_back(_PATIENCE_SECONDS)
                    self._require_as_left(written, exact=is_exact)
                    claim.require_none(changes(before, claim.state, of_itself=True))
                except (RigError, OSError) as error:  # it is unmounted, whatever else is found
                    claim.failed(error)
        return number

    def _require_as_left(self, written: WrittenThroughNode, *, exact: bool) -> None:
        """RigError unless it is as it was left, or without `exact` as a file system leaves it."""
        claim, found = self._claim, written.seen()
        now = state_of(claim.device)
        if exact:
            found += changes(claim.state, now)
        else:
            found += changes(claim.state, now, of_itself=True)
            if label_of(claim.device) != self.label:
                found.append("another file system is on it")
        claim.require_none(found)
        claim.state = now
