"""Traces: what a run makes on the host, and how each is undone.

`undo` may be repeated, does nothing to what is not ours, gives a sentence when something was
there, and raises RigError with the holder's name when it cannot be undone in bounded time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, PrivateAttr

from fsgauge.errors import RigError, quoted
from fsgauge.machine.device import loop_devices
from fsgauge.machine.facts.mounts import mount_at, mounts_everywhere
from fsgauge.machine.facts.setting import write_setting
from fsgauge.machine.folder.marked_folder import owner_of, remove_left, remove_made
from fsgauge.machine.folder.open_folder import OpenFolder, Which
from fsgauge.machine.folder.shares import clear_shares, silent_servers
from fsgauge.machine.process.processes import holders_of
from fsgauge.machine.process.servers import end_server
from fsgauge.machine.process.tool import Said, run_tool
from fsgauge.plain_files import cause_of
from fsgauge.plain_files.kept import Kept

_PATIENCE_SECONDS = 15.0
_PAUSE_SECONDS = 0.05


class Trace(Kept):
    outlives_a_boot: ClassVar[bool] = False
    may_be_forgotten: ClassVar[bool] = False
    """Whether nothing of this machine is left when it is never undone."""
    stays: ClassVar[bool] = False
    """Whether it is no trace of ours to undo, but what the next commands have to know."""

    def undo(self) -> str | None:
        """Undo it; a sentence of what was undone, None where nothing was there."""
        raise NotImplementedError

    def undo_for_the_dead(self) -> str | None:
        return self.undo()

    def undo_after_a_boot(self) -> str | None:
        """The same where the machine was started since."""
        return self.undo_for_the_dead()


class FolderTrace(Trace):
    """A marked folder with everything in it; `which` tells it from others once it is made."""

    outlives_a_boot = True

    kind: Literal["folder"] = "folder"
    path: str
    token: str
    which: Which | None = None
    _folder: OpenFolder | None = PrivateAttr(default=None)

    def made_as(self, folder: OpenFolder) -> FolderTrace:
        """The same trace of a folder that is open, and used and removed by its descriptor alone."""
        trace = self.model_copy(update={"which": folder.which})
        trace._folder = folder
        return trace

    def undo(self) -> str | None:
        if self._folder is None:
            return self.undo_for_the_dead()
        try:
            remove_made(self._folder)
        except OSError as error:
            raise RigError(
                f"{self.path} cannot be removed: {error.strerror}",
                cause=cause_of(error),
                next="fsgauge doctor",
            ) from error
        self._folder.close()
        return f"removed {self.path}"

    def undo_for_the_dead(self) -> str | None:
        return self._removed(same_boot=True)

    def undo_after_a_boot(self) -> str | None:
        """The same, by its inode alone: devices may have other numbers."""
        return self._removed(same_boot=False)

    def _removed(self, *, same_boot: bool) -> str | None:
        there = remove_left(Path(self.path), self.token, self.which, same_boot=same_boot)
        return f"removed {self.path}" if there else None


class MountTrace(Trace):
    kind: Literal["mount"] = "mount"
    path: str
    _unmount: Callable[[list[str]], Said] | None = PrivateAttr(default=None)

    def unmounted_by(self, unmount: Callable[[list[str]], Said]) -> MountTrace:
        """It is undone by `unmount` while its owner lives, which then has the device."""
        self._unmount = unmount
        return self

    def undo(self) -> str | None:
        found = mount_at(self.path)
        if found is None:
            return None
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while mount_at(self.path) is not None:
            said = (self._unmount or run_tool)(["umount", self.path])
            if said.exit_code != 0 and mount_at(self.path) is not None:
                if time.monotonic() > deadline:
                    raise _still_mounted(self.path, said.words)
                time.sleep(_PAUSE_SECONDS)
        return f"unmounted {found.file_system} from {self.path}"


class ServerTrace(Trace):
    """A server of ours: the run's processes that were started with a file of its private folder."""

    kind: Literal["server"] = "server"
    folder: str
    name: str
    token: str = ""
    """Empty in a ledger of an older version, whose run's processes are ended by the run's token."""

    def undo(self) -> str | None:
        """Ask it to end, then kill what is left of it."""
        ended, left = end_server(self.folder, self.token)
        if left:
            raise RigError(
                f"{self.name} does not exit: {', '.join(str(process) for process in left)}",
                cause="the process is stuck in the kernel; its storage may have stopped responding",
                next="dmesg | tail",
            )
        return f"ended the server {self.name} of {self.folder}" if ended else None


class ShareTrace(Trace):
    """Folders of ours on somebody's server; `jobs` are the engine's that clear them.

    They hold no password, only where one is found, and no engine: it is looked for when it is
    needed, since root runs it. What else older ledgers hold is passed over.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    outlives_a_boot = True
    may_be_forgotten = True

    kind: Literal["share"] = "share"
    place: str
    jobs: list[dict[str, Any]]

    def undo(self) -> str | None:
        """Clear them through the server; RigError says what stays there."""
        why = clear_shares(self.jobs)
        if why:
            raise RigError(
                f"cannot remove what was written to {self.place}",
                details=(f"still there: {self._stays()}", *why),
                cause="the server does not answer, or does not take the password",
                next="run fsgauge doctor when the server answers, with the password set",
            )
        return f"cleared {self._stays()} on {self.place}"

    def undo_for_the_dead(self) -> str | None:
        """A server that does not answer at once is skipped, since every command starts here."""
        silent = silent_servers(self.jobs)
        if silent:
            raise RigError(
                f"{self._stays()} on {self.place} could not be removed",
                details=silent,
                cause="the server does not answer",
                next="run fsgauge doctor when the server answers",
            )
        return self.undo()

    def _stays(self) -> str:
        return " and ".join(str(job["target"]["directory"]) for job in self.jobs)


class LoopTrace(Trace):
    kind: Literal["loop"] = "loop"
    file: str
    token: str

    def undo(self) -> str | None:
        folder = Path(self.file).parent
        devices = loop_devices.loops_of(self.file)
        if not devices and folder.is_symlink():
            self._refuse_where_a_link_leads(folder)
        if not devices:
            return None
        owner = owner_of(folder)
        if folder.exists() and (owner is None or owner.token != self.token):
            raise RigError(
                f"{self.file} is not this run's file, so {devices[0]} stays attached",
                cause=f"{folder} no longer has this run's marker",
                next=f"if no other program uses {devices[0]}: losetup --detach {devices[0]};"
                " fsgauge doctor",
            )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while devices:
            for device in devices:
                loop_devices.detach(device, Path(self.file))
            devices = loop_devices.loops_of(self.file)
            if devices and time.monotonic() > deadline:
                raise _still_attached(devices[0], self.file)
            if devices:
                time.sleep(_PAUSE_SECONDS)
        return f"detached the loop device of {self.file}"

    def _refuse_where_a_link_leads(self, folder: Path) -> None:
        """The kernel names a file by where it lies: this one was made through the link."""
        file = Path(self.file).resolve()
        devices = loop_devices.loops_of(file)
        if devices:
            raise RigError(
                f"{folder} is now a link, so {devices[0]} stays attached to {file}",
                cause=f"a user who can write in {folder.parent} put the link there",
                next=f"if no other program uses {devices[0]}: losetup --detach {devices[0]};"
                f" rm {quoted(folder)}; fsgauge doctor",
            )


class SettingTrace(Trace):
    """A setting below /sys or /proc that was changed; `file` is the loop's it belongs to. `lock` is
    the file that keeps other runs from it (machine/facts/setting.py)."""

    kind: Literal["setting"] = "setting"
    path: str
    value: str
    device: str | None = None
    file: str | None = None
    lock: str | None = None

    def undo(self) -> str | None:
        """Write the former value; then other runs may have it."""
        sentence = self._set_back()
        if self.lock:
            Path(self.lock).unlink(missing_ok=True)
        return sentence

    def _set_back(self) -> str | None:
        if self.device and self.file and loop_devices.backing_file(self.device) != self.file:
            return None
        try:
            write_setting(Path(self.path), self.value)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RigError(
                f"{self.path} could not be set back to {self.value}: {error}",
                cause="fsgauge is not root any more, or the kernel refuses the value now",
                next=f"echo {quoted(self.value)} | sudo tee {self.path}",
            ) from error
        return f"set {self.path} back to {self.value}"


class DeviceTrace(Trace):
    """A device that was taken with consent: the run that holds its claim gives it back. After a
    kill the device is left alone: its owner may have used it since."""

    kind: Literal["device"] = "device"
    device: str
    _give_back: Callable[[], None] | None = PrivateAttr(default=None)

    def undone_by(self, give_back: Callable[[], None]) -> DeviceTrace:
        """The same trace, which calls `give_back` when it is undone in this process."""
        self._give_back = give_back
        return self

    def undo(self) -> str | None:
        if self._give_back is not None:
            self._give_back()
        return None

    def undo_for_the_dead(self) -> str | None:
        """Name the device, which is left alone, and how to clear it."""
        return (
            f"{self.device} may still have a file system and test data of an earlier run:"
            f" check with wipefs --no-act {self.device}; if nothing else is on it, clear it with"
            f" blkdiscard {self.device} (or wipefs --all {self.device}, and then"
            " --discard-unknown-data)"
        )


class LostDeviceTrace(Trace):
    """A device that another program used while a run had it: it stays here until a person decides.
    `names` are those that last (fsgauge.machine.device.consent)."""

    outlives_a_boot = True
    may_be_forgotten = True
    stays = True

    kind: Literal["lost device"] = "lost device"
    device: str
    names: list[str]

    def undo(self) -> str | None:
        """Raises RigError that says that the device is left alone."""
        raise RigError(
            f"{self.device} was used by another program during a run, so it is left alone",
            details=tuple(f"known as {name}" for name in self.names),
            cause="what is on it now may be the other program's",
            next=f"wipefs --no-act {self.device}",
        )


AnyTrace = Annotated[
    FolderTrace
    | MountTrace
    | ServerTrace
    | ShareTrace
    | LoopTrace
    | SettingTrace
    | DeviceTrace
    | LostDeviceTrace,
    Field(discriminator="kind"),
]


def _still_mounted(path: str, words: str) -> RigError:
    holders = ", ".join(str(process) for process in holders_of(path))
    return RigError(
        f"{path} cannot be unmounted",
        details=tuple(words.splitlines()[-2:]),
        cause=f"in use by {holders}" if holders else "in use by a process that is not visible",
        next="end that process, then: fsgauge doctor",
    )


def _still_attached(device: str, file: str) -> RigError:
    name = Path(device).name
    numbers = Path(f"/sys/block/{name}/dev").read_text().strip()
    where = [
        f"mounted at {mount.mount_point} (seen by process {process})"
        for process, mount in mounts_everywhere()
        if mount.device == numbers
    ]
    where += [f"open in {process}" for process in holders_of(device)]
    return RigError(
        f"{device} (of {file}) cannot be detached",
        details=tuple(where[:5]),
        cause="another process or mount namespace still uses it",
        next="end that process, then: fsgauge doctor",
    )
