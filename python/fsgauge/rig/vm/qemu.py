"""QEMU's command line for one machine, and which QEMU there is.

It inherits what it works with, sockets (the port, the monitor, the prompt, its network) and files,
opened here: it starts nothing, becomes no other user, and needs no right to any folder. No name can
be replaced before it opens a file, since it opens none by its own name.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said, find_tool, run_tool
from fsgauge.rig.vm.cache import Guest, Kernel
from fsgauge.rig.vm.messages import PORT
from fsgauge.rig.vm.network import Station

KVM = Path("/dev/kvm")
_GROUP = stat.S_IRGRP | stat.S_IWGRP
_OTHERS = stat.S_IROTH | stat.S_IWOTH


def has_kvm() -> bool:
    if os.geteuid() != 0:
        return os.access(KVM, os.R_OK | os.W_OK)
    try:
        mode = KVM.stat().st_mode
    except OSError:
        return False
    return mode & _OTHERS == _OTHERS or (mode & _GROUP == _GROUP and bool(kvm_groups()))


def kvm_groups() -> tuple[int, ...]:
    """The group that machines of root need; never root's own."""
    try:
        group = KVM.stat().st_gid
    except OSError:
        return ()
    return (group,) if group else ()


PROGRAM = "qemu-system-x86_64"
_PACKAGE = "qemu-system-x86"
_OLDEST = (6, 1)
Accelerator = Literal["kvm", "tcg"]


LOG_SECTOR_BYTES = 512
_NEVER = (1 << 32) - 1
"""Entries between updates of the log's head, which then stands at the last flush."""
_UNFLUSHED: dict[str, object] = {"cache": {"no-flush": True}, "discard": "unmap"}


def device_of(serial: str) -> str:
    return f"/dev/disk/by-id/virtio-{serial}"


@dataclass(frozen=True)
class Disk:
    """A disk of a machine; `serial` names it in the guest. One that is shared has an image that
    other machines write as well; `log` is where all that is written to it is kept as well, in its
    order, for one that loses what was not flushed."""

    serial: str
    image: Path
    is_shared: bool = False
    log: Path | None = None

    @property
    def chain(self) -> list[dict[str, object]]:
        """QEMU's nodes of it, the lowest first.

        Nothing is flushed to the file: a flush returns at once, as on a disk whose cache survives a
        power failure. What one machine has written to a shared disk another one reads: both images
        are one file in the page cache of this machine, QEMU itself caches none of it, and does not
        lock it.
        """
        file: dict[str, object] = {
            "driver": "file",
            "node-name": f"{self.serial}-file",
            "filename": str(self.image),
            **_UNFLUSHED,
        }
        if self.is_shared:
            file["locking"] = "off"
        if self.log is None:
            return [file, self.top()]
        kept = {"driver": "file", "node-name": f"{self.serial}-kept", "filename": str(self.log)}
        logged = {
            "driver": "blklogwrites",
            "node-name": self.below,
            "file": f"{self.serial}-file",
            "log": f"{self.serial}-kept",
            "log-sector-size": LOG_SECTOR_BYTES,
            "log-super-update-interval": _NEVER,
            "discard": "unmap",
        }
        return [file, kept | _UNFLUSHED, logged, self.top()]

    @property
    def below(self) -> str:
        """The node below the one that the machine has."""
        return f"{self.serial}-file" if self.log is None else f"{self.serial}-log"

    def top(self, below: str = "") -> dict[str, object]:
        """The node that the machine has, over another one than usual if that is named."""
        over = below or self.below
        flushed = {"discard": "unmap"} if self.log is not None else _UNFLUSHED
        return {"driver": "raw", "node-name": self.serial, "file": over, **flushed}

    @property
    def device(self) -> str:
        return f"/machine/peripheral/{self.serial}/virtio-backend"


@dataclass(frozen=True)
class MachineSpec:
    name: str
    guest: Guest
    kernel: Kernel
    lab: Path
    memory_bytes: int
    disks: tuple[Disk, ...] = ()
    station: Station | None = None
    """Its place on a network, if it is on one."""


@dataclass(frozen=True)
class Files:
    """The files of a machine by the names that QEMU opens them by; `kernel` is without its modules,
    and `console` is written."""

    kernel: Path
    initramfs: Path
    root: Path
    modules: Path
    lab: Path
    console: Path
    disks: tuple[Disk, ...]
    words: tuple[str, ...]
    """Arguments that give them those names."""


@dataclass(frozen=True)
class Descriptors:
    """Sockets that QEMU inherits; `prompt` is None where no one is at the machine's prompt, and
    `network` where the machine is on none."""

    port: int
    monitor: int
    prompt: int | None = None
    network: int | None = None

    @property
    def all(self) -> tuple[int, ...]:
        found = (self.port, self.monitor, self.prompt, self.network)
        return tuple(each for each in found if each is not None)


@dataclass(frozen=True)
class Qemu:
    program: str
    version: str = field(default="")


_DENIED = ("obsolete", "elevateprivileges", "spawn", "resourcecontrol")
_SANDBOX = ("-sandbox", ",".join(["on", *(f"{each}=deny" for each in _DENIED)]))


def find_qemu() -> Qemu:
    """RigError with the command that installs it."""
    program = find_tool(PROGRAM)
    install = f"apt-get install --no-install-recommends {_PACKAGE}   (as root)"
    if program is None:
        raise RigError(
            "QEMU is not installed",
            cause=f"the virtual rig starts machines with {PROGRAM}",
            next=install,
        )
    said = _started(program, Path(program).stat().st_mtime_ns)
    found = re.search(r"version (\d+)\.(\d+)(\.\d+)?", said.output)
    if found is None:
        raise RigError(
            f"{program} does not start",
            details=tuple(said.words.splitlines()[-2:]),
            cause="a library of it is missing, or it was built for another processor",
            next=install,
        )
    if (int(found[1]), int(found[2])) < _OLDEST:
        raise RigError(
            f"QEMU {found[1]}.{found[2]} is too old for the virtual rig",
            cause="it lacks options that the rig starts machines with",
            next="--rig host; or a distribution with QEMU 6.1 or newer",
        )
    return Qemu(program, found[0].removeprefix("version "))


@cache
def _started(program: str, changed_ns: int) -> Said:  # noqa: ARG001 - another file is asked anew
    """What it says of itself: a start takes 30 ms, and each study of virtual machines asks."""
    # One without a sandbox refuses the words.
    return run_tool([program, *_SANDBOX, "--version"])


def command(
    qemu: Qemu, accelerator: Accelerator, spec: MachineSpec, files: Files, sockets: Descriptors
) -> list[str]:
    """The arguments. A panic or a reboot of the guest ends QEMU; nothing starts by itself."""
    kernel_words = "console=ttyS0 panic=-1 random.trust_cpu=on quiet loglevel=5"
    kernel_words += " ipv6.disable_ipv6=1"  # it asks for routers by itself, which would be counted
    if accelerator == "tcg":
        # An emulated processor has nothing to mitigate. On a busy machine its timer seems to stand
        # still, at which a kernel that checks it panics, and its clock to jump, at which one that
        # compares it with another changes to that one: each reading of it then costs much more.
        kernel_words += " mitigations=off no_timer_check tsc=reliable"
    found = [
        *(qemu.program, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *(*_SANDBOX, *files.words),
        *("-machine", "q35", "-m", str(spec.memory_bytes >> 20), "-smp", "1"),
        *("-accel", "kvm" if accelerator == "kvm" else "tcg,thread=multi"),
        *("-cpu", "host" if accelerator == "kvm" else "max"),
        *("-kernel", str(files.kernel), "-initrd", str(files.initramfs)),
        *("-append", f"{kernel_words} fsgauge.name={spec.name}"),
        *("-serial", f"file:{files.console}"),
        *("-chardev", f"socket,id=monitor,fd={sockets.monitor}"),
        *("-mon", "chardev=monitor,mode=control"),
        *("-device", "virtio-serial-pci"),
        *("-chardev", f"socket,id=port,fd={sockets.port}"),
        *("-device", f"virtserialport,chardev=port,name={PORT}"),
        *("-object", "rng-random,id=random,filename=/dev/urandom"),
        *("-device", "virtio-rng-pci,rng=random"),
    ]
    if sockets.prompt is not None:
        found += ["-chardev", f"socket,id=prompt,fd={sockets.prompt}"]
        found += ["-device", "virtconsole,chardev=prompt"]
    if sockets.network is not None and spec.station is not None:
        found += ["-netdev", f"socket,id=network,fd={sockets.network}"]
        address = spec.station.hardware_address
        found += ["-device", f"virtio-net-pci,netdev=network,mac={address},romfile="]
    images = {"root": files.root, "modules": files.modules, "lab": files.lab}
    for serial, image in images.items():
        drive = f"file={image},format=raw,if=none,id={serial},readonly=on,file.locking=off"
        found += ["-drive", drive, "-device", f"virtio-blk-pci,drive={serial},serial={serial}"]
    for disk in files.disks:
        found += disk_words(disk)
    return found


def disk_words(disk: Disk) -> list[str]:
    device = f"virtio-blk-pci,id={disk.serial},drive={disk.serial},serial={disk.serial}"
    if disk.is_shared:
        device += ",share-rw=on"
    nodes = [word for node in disk.chain for word in ("-blockdev", json.dumps(node))]
    return [*nodes, "-device", device]


_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_FOR_ALL = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


@contextmanager
def opened(spec: MachineSpec, console: Path) -> Iterator[tuple[Files, tuple[int, ...]]]:
    """Its files as QEMU is to name them, and their descriptors, which are closed with the context.
    Raises OSError where one is missing or is a link."""
    with ExitStack() as stack:
        descriptors: list[int] = []
        words: list[str] = []

        def descriptor(path: Path, flags: int) -> int:
            found = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            stack.callback(os.close, found)
            descriptors.append(found)
            return found

        def image(path: Path, flags: int = os.O_RDONLY) -> Path:
            found = descriptor(path, flags)
            words.extend(("-add-fd", f"fd={found},set={found}"))
            return Path(f"/dev/fdset/{found}")

        def disk(given: Disk) -> Disk:
            log = None if given.log is None else image(given.log, os.O_RDWR)
            return replace(given, image=image(given.image, os.O_RDWR), log=log)

        def booted(path: Path) -> Path:
            """QEMU knows no sets of descriptors here; of this name only the file's mode counts."""
            found = descriptor(path, os.O_RDONLY)
            mode = stat.S_IMODE(os.fstat(found).st_mode)
            if os.geteuid() == 0 and mode & _FOR_ALL != _FOR_ALL:
                os.fchmod(found, mode | _FOR_ALL)
            return Path(f"/proc/self/fd/{found}")

        names = {
            "kernel": booted(spec.kernel.image),
            "initramfs": booted(spec.kernel.initramfs),
            "root": image(spec.guest.root),
            "modules": image(spec.kernel.modules),
            "lab": image(spec.lab),
            "console": image(console, _NEW),
        }
        disks = tuple(disk(each) for each in spec.disks)
        yield Files(**names, disks=disks, words=tuple(words)), tuple(descriptors)
