"""The files of a machine, opened here and inherited by QEMU, which opens none by its own name.

So its user needs no right to any folder, and no name can be replaced before QEMU opens it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from fsgauge.rig.vm.qemu import Disk, Files, MachineSpec

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
_FOR_ALL = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


@contextmanager
def opened(spec: MachineSpec, console: Path) -> Iterator[tuple[Files, tuple[int, ...]]]:
    """Its files as QEMU is to name them, and their descriptors, which are closed with the context.

    Raises OSError where one is missing or is a link.
    """
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
