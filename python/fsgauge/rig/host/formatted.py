"""A file system made afresh on a device, discarded first, mounted and tuned, until the context
ends."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import FsgaugeError, InputError, RigError, quoted
from fsgauge.machine.device.device_bytes import discard, wipe
from fsgauge.machine.facts.mounts import kernel_log, mount_at
from fsgauge.machine.ledger.ledger import Ledger
from fsgauge.machine.ledger.traces import MountTrace
from fsgauge.machine.process.tool import Said, find_tool, run_tool
from fsgauge.plain_files.opening import closing
from fsgauge.rig.host.tunables import tuned
from fsgauge.storage import Base
from fsgauge.study.model import System
from fsgauge.system.kind import FileSystem, placed
from fsgauge.system.options import mkfs_words, mount_words
from fsgauge.units import format_size

_ASKED = re.compile(
    r"(?:^|\s)(?:-b|-s|--sectorsize)[ =]*(?:[a-z]+=[^\s,]*,)*?(?:size=)?(\d+)([kKmM]?)(?=[\s,]|$)"
)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}


def beyond_page_bytes(mkfs: str, page_bytes: int = os.sysconf("SC_PAGESIZE")) -> int | None:
    """The largest size of a block or sector that is larger than a page; None without any."""
    asked = [int(size) * _UNITS[unit.lower()] for size, unit in _ASKED.findall(mkfs)]
    return max((each for each in asked if each > page_bytes), default=None)


Runs = Callable[..., Said]
"""Runs a tool to its end: run_tool, or a claim for what asks for the device."""
MKFS_SECONDS = 1800.0
_MOUNT_SECONDS = 300.0


@dataclass(frozen=True)
class Formatted:
    directory: Path
    mkfs: Said
    mount_options: str
    tunables: dict[str, str]
    start_state: list[str]
    notes: list[str]


@contextmanager
def formatted(
    kind: FileSystem, system: System, base: Base, ledger: Ledger, seconds: float = MKFS_SECONDS
) -> Iterator[Formatted]:
    """Discard, mkfs, mount, tune; unmount after. InputError with the words of what refuses. mkfs
    may take `seconds`, and mount as long, but no more than five minutes."""
    if base.device is None:
        raise InputError(
            f'"{system.name}" needs a device, and the storage has none',
            next="--storage loop:8GiB, or a folder of a mounted file system as the system",
        )
    with base.claim.used():
        blank, notes = blank_of(base)
        keeps, run = base.keeps_blocks, base.claim.run
        made = make(kind, system, base.device, run, keeps_blocks=keeps, seconds=seconds)
    with ExitStack() as stack:
        begun = [blank, "made with " + " ".join(made.command), *allocate_below(base.refill)]
        directory = stack.enter_context(ledger.folder(ledger.mount_folder, f"mount{base.suffix}"))
        stack.callback(base.claim.require_not_lost)
        stack.callback(ask, placed(kind.forget_command, base.device, ""))
        trace = MountTrace(path=str(directory)).unmounted_by(base.claim.unmount)
        stack.enter_context(ledger.holding(trace))
        _mount(kind, system, base, directory, min(seconds, _MOUNT_SECONDS))
        values = stack.enter_context(tuned(system, base, ledger))
        options, doubts = _options_in_force(kind, system, directory)
        start = [*begun, f"mounted with {options}"]
        yield Formatted(directory, made, options, values, start, notes + doubts)


def ask(command: list[str]) -> str:
    """A tool's output for the record; empty when it is missing or fails."""
    if not command or find_tool(command[0]) is None:
        return ""
    try:
        said = run_tool(command)
    except RigError:
        return ""
    return said.output if said.exit_code == 0 else ""


def make(
    kind: FileSystem,
    system: System,
    device: str,
    run: Runs = run_tool,
    *,
    keeps_blocks: bool = False,
    seconds: float = MKFS_SECONDS,
) -> Said:
    """Run mkfs on a device or an image; InputError where it refuses the system's options."""
    ours = kind.mkfs_without_discard if keeps_blocks else ()
    words = [*ours, *mkfs_words(kind, system.mkfs, system.name)]
    said = run(kind.mkfs_command(words, device), seconds=seconds)
    if said.exit_code != 0:
        raise _refused(system, kind.mkfs, said, system.mkfs, [])
    return said


def _mount(kind: FileSystem, system: System, base: Base, directory: Path, seconds: float) -> None:
    options, device = mount_words(kind, system.mount, system.name), str(base.device)
    command = kind.mount_command(options, device, str(directory))
    with kernel_log() as log:
        said = base.claim.mount(
            command, seconds=seconds, is_quiet=kind.writes_nothing_when_read_only
        )
        if said.exit_code != 0:
            kernel = log.lines_about(Path(device).name, kind.driver)
            raise _beyond_page(system, said, kernel) or _refused(
                system, "mount", said, system.mount, kernel
            )


def _refused(
    system: System, tool: str, said: Said, options: str, kernel: list[str]
) -> FsgaugeError:
    """The user's options are to blame where there are any, the machine otherwise."""
    details = _said(said, kernel)
    if options:
        return InputError(
            f'{tool} refused the options of the system "{system.name}": {options}',
            details=details,
            cause="this version of it, or this kernel, does not have the option or its value",
            next=f"man {tool if tool != 'mount' else f'5 {system.kind}'}, or leave the option out",
        )
    return RigError(
        f'{tool} failed for the system "{system.name}"',
        details=details,
        cause="the storage failed or is too small for it, or the kernel lacks a feature of it",
        next="dmesg | tail",
    )


def _beyond_page(system: System, said: Said, kernel: list[str]) -> InputError | None:
    """The mount failed because blocks are larger than a page, which most kernels do not mount."""
    size_bytes, page_bytes = beyond_page_bytes(system.mkfs), os.sysconf("SC_PAGESIZE")
    if size_bytes is None:
        return None
    return InputError(
        f'mount failed for the system "{system.name}"',
        details=_said(said, kernel),
        cause=f"mkfs made blocks of {format_size(size_bytes)}, and this kernel has memory pages of"
        f" {format_size(page_bytes)}: few file systems mount with larger blocks than that",
        next=f"a block size of {page_bytes} at most in the system's mkfs, or none",
    )


def _said(said: Said, kernel: list[str]) -> tuple[str, ...]:
    return (
        " ".join(said.command),
        *_without_advice(said.words.splitlines())[:6],
        *(f"kernel: {line}" for line in kernel),
    )


def _without_advice(lines: list[str]) -> list[str]:
    """The complaint alone: mkfs.xfs goes on with its usage, mount points to dmesg."""
    usage = next((at for at, line in enumerate(lines) if line.startswith("Usage")), len(lines))
    return [line for line in lines[:usage] if "dmesg(1)" not in line]


def _options_in_force(kind: FileSystem, system: System, directory: Path) -> tuple[str, list[str]]:
    """Mount options as the kernel lists them, and asked ones that it does not list."""
    mount = mount_at(directory)
    if mount is None:
        raise RigError(
            f"{directory} is not in /proc/self/mountinfo after its mount",
            cause="another program unmounted it, such as an automounter",
            next=f"findmnt {quoted(directory)}; dmesg | tail",
        )
    listed = mount.all_options
    names = {option.partition("=")[0] for option in listed.split(",")}
    unseen = [
        option
        for option in mount_words(kind, system.mount, system.name)
        if option.partition("=")[0] not in names
    ]
    notes = [
        f'the mount option "{option}" is not among those that the kernel lists as in force'
        " (it lists no defaults)"
        for option in unseen
    ]
    return listed, notes


_DISCARD_SECONDS = 1800.0
_UNSUPPORTED = "not supported"
_BUSY = "resource busy"
_BUSY_SECONDS = 15.0
_PAUSE_SECONDS = 0.1


def make_blank(
    device: str, *, claimed: bool = False, keeps_blocks: bool = False, size_bytes: int | None = None
) -> tuple[str, list[str]]:
    """Discard all of `device`; gives what was done and notes on what could not be.

    `size_bytes` is how much of it is ours, where it might grow.
    `claimed`: this process holds the device's claim, so that the tools cannot have it.
    `keeps_blocks`: it is preconditioned, so only what it carries is wiped.
    """
    if keeps_blocks:
        wipe(device, claimed=claimed)
        return "signatures wiped, blocks in use as preconditioning left them", []
    said = _discarded(device, claimed, size_bytes)
    if said.exit_code == 0:
        return "whole device discarded", []
    if _UNSUPPORTED not in said.words:
        raise RigError(
            f"{device} could not be discarded",
            details=(said.words,),
            cause="the device failed, or another program has it open",
            next="dmesg | tail",
        )
    wipe(device, claimed=claimed)
    return "signatures wiped", [
        f"{device} cannot discard: to the device, blocks written in earlier turns are still in use"
    ]


def blank_of(base: Base) -> tuple[str, list[str]]:
    """The same of attached storage with a device, whose claim is in use."""
    return make_blank(
        str(base.device),
        claimed=base.claim.is_exclusive,
        keeps_blocks=base.keeps_blocks,
        size_bytes=base.size_bytes,
    )


def _discarded(device: str, claimed: bool, size_bytes: int | None) -> Said:
    """Discard the device; where another process has it open, wait up to 15 s. A process that copied
    the mount table while a system was mounted on it, as a server or container does, has it until
    that process ends or lets go."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        said = discard(device, claimed=claimed, seconds=_DISCARD_SECONDS, size_bytes=size_bytes)
        if said.exit_code == 0 or _BUSY not in said.words or time.monotonic() > deadline:
            return said
        time.sleep(_PAUSE_SECONDS)


def allocate_below(file: Path | None) -> list[str]:
    if file is None:
        return []
    size_bytes = file.stat().st_size
    with closing(os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)) as descriptor:
        os.posix_fallocate(descriptor, 0, size_bytes)
    return [f"{format_size(size_bytes)} allocated again below it"]
