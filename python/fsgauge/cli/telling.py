"""What commands with a verdict print: a reader that leaves early changes no exit code.

`fsgauge gate check DIR | head -1` ends with the gate's own code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

import click

from fsgauge.programs.streams import discard


def tell(lines: Iterable[str]) -> None:
    """Print lines to standard output; what comes after a closed pipe is discarded."""
    try:
        for line in lines:
            click.echo(line)
    except BrokenPipeError:
        say_no_more()


def say_no_more(*streams: TextIO) -> None:
    """Discard further output of streams, by default of both; also what Python flushes at exit."""
    for stream in streams or (sys.stdout, sys.stderr):
        discard(stream.fileno())
