"""A user who can write the folder that root measures in, and puts links where root works.

    python swapper.py SHARED ROOTS HOW SECONDS

Runs as user 65534 in SHARED for so long. ROOTS is a folder of root's, to which the links lead. HOW:
`links`, a folder of links in place of each of root's folders; `link`, a link; `pipe`, a pipe;
`parent`, SHARED itself is renamed and a link to ROOTS put in its place; `inside`, folders as they
were, and a link to ROOTS in place of what root makes in them next.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

USER = 65534
NAMES = ["file", "image", *(f"fsgauge-{number:04d}" for number in range(8))]
FOLDERS = ["files", "backup", "tree", "written", "aged", "rate", "command"]
_PAUSE_SECONDS = 0.0005


@contextmanager
def swapping(shared: Path, roots: Path, how: str, seconds: float) -> Iterator[None]:
    """The user is at it while the body runs, and no longer than that."""
    words = [sys.executable, __file__, str(shared), str(roots), how, str(seconds)]
    process = subprocess.Popen(words, cwd="/")
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _swap_all(shared: Path, roots: Path, how: str, number: int) -> int:
    for place in list(shared.iterdir()):
        with suppress(OSError):
            if place.name.startswith("old") or place.lstat().st_uid != 0:
                continue
            place.rename(shared / f"old{number}")
            number += 1
            _put(place, roots, how)
    return number


def _put(place: Path, roots: Path, how: str) -> None:
    if how == "link":
        place.symlink_to(roots)
    elif how == "pipe":
        os.mkfifo(place)
    elif how == "inside":
        for name in FOLDERS:
            (place / name).mkdir(parents=True)
    else:
        place.mkdir()
        for name in NAMES:
            (place / name).symlink_to(roots / "secret")
        for name in FOLDERS:
            (place / name).symlink_to(roots)


def _swap_inside(shared: Path, roots: Path) -> None:
    """What root has made in folders that this user put there."""
    for place in shared.glob("fsgauge-*/*/*"):
        with suppress(OSError):
            if not place.is_symlink() and place.lstat().st_uid == 0:
                place.rename(place.with_name(f"old-{place.name}-{time.monotonic_ns()}"))
                place.symlink_to(roots)


def _swap_parent(shared: Path, roots: Path) -> None:
    """Once root has begun to work in it."""
    if any(shared.glob("fsgauge-*")):
        shared.rename(shared.with_name("moved"))
        shared.symlink_to(roots)


def main(shared: Path, roots: Path, how: str, seconds: float) -> None:
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    ends, number = time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        with suppress(OSError):
            if how == "parent":
                _swap_parent(shared, roots)
            else:
                number = _swap_all(shared, roots, how, number)
            if how == "inside":
                _swap_inside(shared, roots)
        time.sleep(_PAUSE_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
