"""Programs that the build runs out of the guest's packages, with the packages' own libraries.

They need not be installed, and are of the same version wherever a guest is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.machine.process.tool import Said, run_tool

_SECONDS = 900.0
_LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
"""The file itself: its usual name is a link to that of this machine."""


def run_packaged(tools: Path, program: str, words: Sequence[str], *, called: str = "") -> Said:
    """Run a program of the tools' folder, by its own loader; RigError where it fails.

    `called` is the name under which it is started, where that decides what it does (kmod).
    """
    libraries = ":".join(str(tools / each) for each in ("usr/lib/x86_64-linux-gnu", "usr/lib"))
    command = [
        *(str(tools / _LOADER), "--library-path", libraries),
        *("--argv0", called or program, str(tools / "usr" / "bin" / program), *words),
    ]
    said = run_tool(command, seconds=_SECONDS)
    if said.exit_code:
        raise RigError(
            f"{called or program} failed while the guest was built",
            details=tuple(said.words.splitlines()[-4:]),
            next="df -h ~/.cache",
        )
    return said


def squashed(tools: Path, folder: Path, image: Path) -> None:
    """A folder as a read-only image; equal folders give equal images."""
    run_packaged(
        tools,
        "mksquashfs",
        [
            *(str(folder), str(image), "-noappend", "-all-root", "-no-xattrs", "-quiet"),
            *("-no-progress", "-comp", "zstd", "-Xcompression-level", "6", "-b", "128K"),
            *("-mkfs-time", "0"),
        ],
    )
