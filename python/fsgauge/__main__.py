"""`python -m fsgauge` and the installed launcher."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the working folder first, which may be another user's. The
    # launcher starts Python with -P; here it is too late for a folder `fsgauge` that is planted.
    del sys.path[0]

# Not `signal`, whose own imports take some milliseconds, in which Ctrl-C is a traceback.
import _signal  # type: ignore[import-not-found]
import gc
import os


def _end_at_once(_number: int, _frame: object) -> None:
    """Ctrl-C while Python still imports: nothing was begun, so nothing is to be undone."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _end_at_once)


def main() -> None:
    # What is imported stays: to look through it for garbage 220 times is a twelfth of a command.
    gc.set_threshold(50_000)
    from fsgauge.programs.streams import open_standard_streams

    open_standard_streams()
    from fsgauge.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
