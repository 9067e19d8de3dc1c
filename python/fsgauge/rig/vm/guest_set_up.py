"""What a guest does for systems over nodes: it joins the network, and makes, mounts and runs what
it is told."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fsgauge.errors import RigError
from fsgauge.machine.facts.environment import capture_machine
from fsgauge.machine.facts.mounts import mount_at
from fsgauge.machine.folder.open_folder import let_go_below
from fsgauge.machine.process.tool import NotInTime, must_run, run_tool, stretched
from fsgauge.record.machine import NO_STORAGE
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.host.formatted import make, make_blank
from fsgauge.rig.vm.arrangement.roles import FOLDER
from fsgauge.rig.vm.in_force import TEST_ALONE, shell
from fsgauge.rig.vm.messages import Do
from fsgauge.rig.vm.network import INTERFACE, Station, hosts_file
from fsgauge.rig.vm.qemu import device_of
from fsgauge.storage.base import free_bytes
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import mount_words

_HOSTS = Path("/etc/hosts")
_LAST_LINES = 8
_OF_BASH = re.compile(r"^(bash|/usr/lib/fsgauge/[a-z-]+): line [0-9]+: ")
_MOUNT_SECONDS = 300.0
_BUSY_SECONDS = 60.0
_RETRY_SECONDS = 0.5


def done(do: Do, words: dict[str, Any]) -> object:
    return ORDERS[do](**words)


def join(
    number: int,
    names: list[str],
    folders: list[str],
    delayed: Sequence[str] = (),
    delay_ns: int = 0,
) -> None:
    """Have an address on the network of these machines, this one being `number`, from 1; and
    disks that are `delayed`."""
    for serial in delayed:
        delay(serial, delay_ns)
    stations = [Station(name, at + 1) for at, name in enumerate(names)]
    _HOSTS.write_text(hosts_file(stations), encoding="utf-8")
    for folder in folders:
        Path(folder).mkdir(parents=True, exist_ok=True)
    if len(names) < 2:
        return
    address = f"{stations[number - 1].address}/24"
    for words in (
        ["ip", "addr", "add", address, "dev", INTERFACE],
        ["ip", "link", "set", INTERFACE, "up"],
    ):
        must_run(words, what="the machine cannot join the network")


def delay(serial: str, delay_ns: int) -> None:
    """Have requests to a disk take so long at least: whoever opens it by its name gets it delayed.
    The kernel counts in ticks, rounds up, and begins at the next one: one request at a time takes
    up to a tick longer."""
    link = Path(device_of(serial))
    disk, milliseconds = link.resolve(), -(-delay_ns // 1_000_000)
    sectors = must_run(["blockdev", "--getsz", str(disk)], what=f"{serial} has no size").output
    must_run(["modprobe", "dm-delay"], what=f"{serial} cannot be delayed")
    table = f"0 {sectors.strip()} delay {disk} 0 {milliseconds}"
    create = ["dmsetup", "create", serial, "--uuid", serial, "--table", table]
    must_run(["env", "DM_DISABLE_UDEV=1", *create], what=f"{serial} cannot be delayed")
    made = Path(f"/dev/mapper/{serial}").resolve()
    link.unlink()
    link.symlink_to(made)


def run(text: str, environment: dict[str, str], seconds: float) -> str:
    """A step of a system, in bash; gives what it printed. RigError with its exit code and the last
    line that it printed, or else the kernel's: its text is no one's sentence."""
    command = shell(text, environment, "-eu", "-o", "pipefail")
    try:
        said = run_tool(command, seconds=seconds, name="it")
    except NotInTime as late:
        raise RigError(
            late.what,
            details=late.details,
            cause="what it waits for does not answer, or is far slower than expected",
            next=TEST_ALONE,
        ) from late
    if said.exit_code != 0:
        lines = [*said.output.splitlines(), *said.error.splitlines()]
        lines = [line.strip() for line in lines if line.strip()]
        raise RigError(
            f"it ended with exit code {said.exit_code}",
            details=(_OF_BASH.sub("", lines[-1]) if lines else f"kernel: {_kernels_last()}",),
            next=TEST_ALONE,
        )
    return said.output


def _kernels_last() -> str:
    """The last line of the kernel's log that is not fsgauge's own doing."""
    lines = run_tool(["dmesg"]).output.splitlines()
    return next((line for line in reversed(lines) if "drop_caches" not in line), "says nothing")


def blank(device: str) -> None:
    make_blank(device)


def stand(system: str, device: str, folder: str, *, anew: bool = True) -> dict[str, Any]:
    """Make a file system on a device, discarded before, and mount it there; or mount the one that
    is on it."""
    wanted = System.model_validate_json(system)
    kind = find_kind(wanted.kind)
    if not isinstance(kind, FileSystem):
        raise RigError(
            f"{wanted.kind} is not made with mkfs",
            cause="it stands on another file system, which has to be named below it",
            next="fsgauge explain system.rig",
        )
    made = None
    if anew:
        make_blank(device)
        made = make(kind, wanted, device)
    options = mount_words(kind, wanted.mount, wanted.name)
    must_run(
        kind.mount_command(options, device, folder),
        what=f'mount failed for the system "{wanted.name}"',
        seconds=_MOUNT_SECONDS,
    )
    mount = mount_at(Path(folder))
    return {
        "mkfs_command": list(made.command) if made else [],
        "mkfs_output": made.output + made.error if made else "",
        "mount_options": mount.all_options if mount else "",
        "block_size_bytes": os.statvfs(folder).f_bsize,
    }


def seen(folder: str) -> dict[str, int]:
    found = [each for each in Path(folder).rglob("*") if each.is_file() and not each.is_symlink()]
    return {"files": len(found), "bytes": sum(each.stat().st_size for each in found)}


def fall(folder: str) -> None:
    """Unmount it again. A server keeps the files that it served open for a moment after they are
    no longer exported: while the folder is busy, that is waited for."""
    words = ["umount", folder]
    until = time.monotonic() + stretched(_BUSY_SECONDS)
    while True:
        said = run_tool(words, seconds=_MOUNT_SECONDS)
        if said.exit_code == 0:
            return
        if "busy" not in said.words or time.monotonic() >= until:
            raise RigError(
                f"{folder} cannot be unmounted",
                details=(" ".join(words), *said.words.splitlines()[-_LAST_LINES:]),
                cause="a program still has a file open there, or the server does not answer",
                next="fsgauge doctor",
            )
        time.sleep(_RETRY_SECONDS)


def room(folder: str) -> int:
    """The bytes that a program may write there; RigError where nothing is mounted."""
    if not os.path.ismount(folder):
        raise RigError(
            f"nothing is mounted at {folder}",
            cause="the steps of the system in rig/vm/systems did not mount it there",
            next=TEST_ALONE,
        )
    return free_bytes(folder)


def machine() -> dict[str, Any]:
    return capture_machine([], NO_STORAGE).model_dump(mode="json")


ORDERS: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (join, run, blank, stand, seen, fall, room, machine)
}
"""By the names of orders."""


class Remounting:
    """Does nothing until it is told how."""

    def __init__(self) -> None:
        self._orders: list[tuple[Do, dict[str, Any]]] = []
        self._done = ""

    def before_each_run(self, orders: list[tuple[Do, dict[str, Any]]], done: str) -> None:
        """From now on, these, as guest_set_up has them; none: nothing. `done` says in records what
        they do."""
        self._orders, self._done = orders, done

    def told(self, happening: Happening) -> Happening:
        """The happening. As a run begins it is done, and its record says so; RigError where the
        system does not go or come back."""
        if self._orders and isinstance(happening, RunStarted):
            with let_go_below(FOLDER):
                for do, words in self._orders:
                    done(do, words)
        if self._orders and isinstance(happening, RunRecord):
            caches = "; ".join(filter(None, (happening.caches, self._done)))
            return happening.model_copy(update={"caches": caches})
        return happening
