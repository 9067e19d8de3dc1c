"""An ext4 made for one run, on a sparse file in memory: gone with its loop device afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scratch import MEMORY, Scratch, run
from side_by_side import Skipped


@contextmanager
def fresh_ext4(scratch: Scratch, size_bytes: int) -> Iterator[Path]:
    """Give its empty folder; nothing of its structures is written in the background."""
    if os.geteuid() != 0:
        raise Skipped("mounting needs root: sudo python3 bench/run.py --only age-churn-python")
    MEMORY.mkdir(exist_ok=True)
    image, mounted = MEMORY / "to-age.img", scratch.directory / "ext4-to-age"
    mounted.mkdir(exist_ok=True)
    with image.open("wb") as file:
        file.truncate(size_bytes)
    try:
        later = "lazy_itable_init=1,lazy_journal_init=1"
        run(["mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-E", later, str(image)])
        run(["mount", "-o", "loop,noinit_itable", str(image), str(mounted)])
        try:
            folder = mounted / "aged"
            folder.mkdir()
            yield folder
        finally:
            run(["umount", str(mounted)])
    finally:
        image.unlink()
