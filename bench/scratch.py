"""Scratch files and loop devices: gone after a bench, and swept up after one that was killed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from side_by_side import Skipped

SPARSE_BYTES = 4 << 30
FILLED_BYTES = 512 << 20
# Memory that no cache drop takes away.
MEMORY = Path("/dev/shm/fsgauge-bench")
CHUNK_BYTES = 1 << 20


class Scratch:
    """A directory of its own under target/."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __enter__(self) -> Self:
        self.sweep()
        self.directory.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.sweep()

    def sweep(self) -> None:
        """Detach every loop device on our files, then remove the files."""
        if os.geteuid() == 0 and shutil.which("losetup"):
            listing = subprocess.run(
                ["losetup", "--list", "--json"], capture_output=True, text=True, check=False
            ).stdout
            for loop in json.loads(listing or '{"loopdevices": []}')["loopdevices"]:
                if Path(loop["back-file"]).is_relative_to(MEMORY):
                    subprocess.run(["losetup", "--detach", loop["name"]], check=False)
        shutil.rmtree(MEMORY, ignore_errors=True)
        shutil.rmtree(self.directory, ignore_errors=True)

    def sparse_file(self) -> Path:
        """Give a file of 4 GiB without a single block: reads cost the kernel's path and no disk."""
        path = self.directory / "sparse"
        with path.open("wb") as file:
            file.truncate(SPARSE_BYTES)
        return path

    def filled_file(self) -> Path:
        """Give a file of random bytes that is on disk."""
        return fill(self.directory / "filled")

    def file_in_memory(self) -> Path:
        """Give a file of random bytes in memory."""
        if not MEMORY.parent.is_dir():
            raise Skipped(f"{MEMORY.parent} is missing: mount -t tmpfs tmpfs {MEMORY.parent}")
        MEMORY.mkdir(exist_ok=True)
        return fill(MEMORY / "filled")

    def loop_device(self) -> str:
        """Give a loop device on a file in memory: no disk is read."""
        if os.geteuid() != 0:
            raise Skipped(
                "a loop device needs root: sudo python3 bench/run.py --only loop-depth-32"
            )
        if shutil.which("losetup") is None:
            raise Skipped("losetup is missing: apt-get install mount")
        path = self.file_in_memory()
        made = subprocess.run(
            ["losetup", "--find", "--show", str(path)], capture_output=True, text=True, check=False
        )
        if made.returncode != 0:
            raise Skipped(f"no loop device: {made.stderr.strip()}")
        return made.stdout.strip()


def fill(path: Path) -> Path:
    """Make a file of random bytes unless it is there."""
    if not path.exists():
        with path.open("wb") as file:
            for _ in range(FILLED_BYTES // CHUNK_BYTES):
                file.write(os.urandom(CHUNK_BYTES))
            os.fsync(file.fileno())
    return path
