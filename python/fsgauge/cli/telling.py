"""What commands with a verdict print: a reader that leaves early changes no exit code.

`fsgauge gate check DIR | head -1` ends with the gate's own code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click


def tell(lines: Iterable[str]) -> None:
    """Print lines to standard output; what comes after a closed pipe is discarded."""
    try:
        for line in lines:
            click.echo(line)
    except BrokenPipeError:
        say_no_more()


def say_no_more() -> None:
    """Discard further output, also what Python itself flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
