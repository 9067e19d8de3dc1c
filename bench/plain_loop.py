"""The operations of a file, or the published layout, in a plain loop of system calls.

`plain_loop.py churn OPERATIONS DIRECTORY DIRECTORIES`: directories d0, d1, ... are there, and a
line is an operation: kind, stream, file, offset, size. `plain_loop.py layout DIRECTORY FILES
FILE_BYTES CHUNK_BYTES`: files that grow in turns. Prints operations, seconds and seconds of
processor time, which alone has the last syncfs, as the ager's has.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path

MAKE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW


def main(words: list[str]) -> None:
    """Prepare, run the loop, print."""
    if words[0] == "churn":
        folder = Path(words[2])
        done, begun = churn(Path(words[1]), folder, int(words[3]))
    else:
        folder = Path(words[1])
        done, begun = layout(folder, int(words[2]), int(words[3]), int(words[4]))
    wall, cpu = begun
    seconds = time.perf_counter() - wall
    ctypes.CDLL(None).syncfs(os.open(folder, os.O_RDONLY))
    print(done, seconds, time.process_time() - cpu)


def churn(operations: Path, directory: Path, directories: int) -> tuple[int, tuple[float, float]]:
    """Files are made with space and removed."""
    lines = [line.split() for line in operations.read_text().splitlines()]
    steps = [(kind, int(stream), int(file), int(size)) for kind, stream, file, _, size in lines]
    names = [directory / f"d{index}" for index in range(directories)]
    folders = [os.open(name, os.O_PATH | os.O_DIRECTORY) for name in names]
    begun = time.perf_counter(), time.process_time()
    for kind, stream, number, size in steps:
        if kind == "create":
            file = os.open(f"f{number:04}", MAKE, 0o644, dir_fd=folders[stream])
            os.posix_fallocate(file, 0, size)
            os.close(file)
        else:
            os.unlink(f"f{number:04}", dir_fd=folders[stream])
    return len(steps), begun


def layout(
    directory: Path, count: int, file_bytes: int, chunk_bytes: int
) -> tuple[int, tuple[float, float]]:
    """All files grow by a chunk in turns."""
    begun = time.perf_counter(), time.process_time()
    files = [os.open(directory / f"f{index}", MAKE, 0o644) for index in range(count)]
    for offset in range(0, file_bytes, chunk_bytes):
        for file in files:
            os.posix_fallocate(file, offset, chunk_bytes)
    return count * (1 + file_bytes // chunk_bytes), begun


if __name__ == "__main__":
    main(sys.argv[1:])
