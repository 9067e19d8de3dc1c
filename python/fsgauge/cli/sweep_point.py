"""A point of a sweep, in a process of its own: `run` or `resume`, in a folder that it gets open.

The words name the folder by its path, which whoever owns a folder above it can give to another
one. So they are made relative to the folder itself; records keep them as they are.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Work in the folder of the first word, a descriptor, which is called by the second one."""
    descriptor, folder, *words = sys.argv[1:]
    os.fchdir(int(descriptor))
    os.close(int(descriptor))
    sys.argv = ["fsgauge", *words]
    from fsgauge.cli import main as run_command_line

    run_command_line([_below(each, folder) for each in words])


def _below(word: str, folder: str) -> str:
    if word == folder:
        return "."
    return word.removeprefix(f"{folder}/")


if __name__ == "__main__":
    main()
