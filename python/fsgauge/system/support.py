"""Whether a file system can be used here: its driver in the kernel, its mkfs on the machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.system.kind import FileSystem

_FILE_SYSTEMS = Path("/proc/filesystems")


@dataclass(frozen=True)
class Support:
    """Usable with both; `install` is the command that installs a missing mkfs."""

    driver: bool
    mkfs: bool
    install: str

    @property
    def usable(self) -> bool:
        """Whether it can be made and mounted here."""
        return self.driver and self.mkfs


def support_of(kind: FileSystem, *, load_module: bool) -> Support:
    """Look at kernel and tools; with `load_module` ask the kernel for the driver if need be."""
    return Support(
        driver=_has_driver(kind.driver, load_module=load_module),
        mkfs=find_tool(kind.mkfs) is not None,
        install=f"apt-get install {kind.package}",
    )


def _has_driver(driver: str, *, load_module: bool) -> bool:
    if driver in _drivers():
        return True
    if find_tool("modprobe") is None:
        return False
    options = ["--quiet"] if load_module else ["--quiet", "--dry-run"]
    loaded = run_tool(["modprobe", *options, f"fs-{driver}"]).exit_code == 0
    return driver in _drivers() if load_module else loaded


def _drivers() -> set[str]:
    try:
        lines = _FILE_SYSTEMS.read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[-1] for line in lines if line.split()}
