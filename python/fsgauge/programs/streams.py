"""The standard streams: open even where the caller closed them, and no name acts on a terminal.

All that this process prints goes through here, so that names from outside are escaped in one place,
and what cannot be printed any more is known in one place.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
from typing import TextIO, cast

from fsgauge.errors import escaped


class Outlet(io.TextIOWrapper):
    """Standard output or standard error; lines are its own, all else that acts is escaped.

    `failed` is why something could not be written. A failure of standard error cannot be reported,
    so it does not raise; a study goes on without it.
    """

    def __init__(self, descriptor: int, before: TextIO | None, *, raises: bool) -> None:
        super().__init__(
            open(descriptor, "wb", closefd=False),  # noqa: SIM115 - as long as this process
            encoding=before.encoding if before is not None else "utf-8",
            errors="backslashreplace",
            line_buffering=not raises or os.isatty(descriptor),
        )
        self._raises = raises
        self.failed: OSError | None = None

    def write(self, text: str) -> int:
        """Write it; raises OSError where that matters."""
        return self.write_as_is(escaped(text, "\n"))

    def write_as_is(self, text: str) -> int:
        """The same without escaping."""
        try:
            return super().write(text)
        except OSError as error:
            self._fail(error)
        return len(text)

    def flush(self) -> None:
        """Raises OSError where that matters."""
        try:
            super().flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.failed = self.failed or error
        if self._raises:
            raise error
        # What is still buffered, also by what Python flushes at its end.
        discard(self.fileno())


class _AsIs:
    """An outlet for what moves the cursor on purpose; the names in it are escaped before."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self.write = outlet.write_as_is

    def __getattr__(self, name: str) -> object:
        return getattr(self._outlet, name)


def json_line(value: object) -> str:
    """A value as one line of JSON; a number that JSON does not have (infinite, none) is null, and
    what is no value of JSON is text."""
    return json.dumps(_finite(value), default=str, allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value


def display(stream: TextIO) -> TextIO:
    """Where what is redrawn in place is written."""
    return cast("TextIO", _AsIs(stream)) if isinstance(stream, Outlet) else stream


def open_standard_streams() -> None:
    """Closed descriptors lead nowhere from now on, and no answer does; both outputs are outlets. A
    file that is opened while 0, 1 or 2 is free would get that number, and what is printed or read
    would go to it."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest number that is free. What is printed on an output that was closed fails.
            nowhere = os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)
            os.set_inheritable(nowhere, True)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - as long as this process
    sys.stdout = Outlet(1, sys.stdout, raises=True)
    sys.stderr = Outlet(2, sys.stderr, raises=False)


def output_failure() -> OSError | None:
    """Why standard output could not be written; None where it was, or where nothing was tried."""
    return sys.stdout.failed if isinstance(sys.stdout, Outlet) else None


def discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
