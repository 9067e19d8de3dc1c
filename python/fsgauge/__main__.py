"""`python -m fsgauge` and the installed launcher."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the working folder first, which may be another user's. The
    # launcher starts Python with -P; here it is too late for a folder `fsgauge` that is planted.
    del sys.path[0]

import os
import signal


def _end_at_once(_number: int, _frame: object) -> None:
    """Ctrl-C while Python still imports: nothing was begun, so nothing is to be undone."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end_at_once)


def main() -> None:
    """Run the command line."""
    from fsgauge.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
