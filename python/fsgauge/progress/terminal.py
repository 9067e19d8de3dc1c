"""Text on a terminal: lines broken between words, and never between a number and its unit."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from typing import TextIO

NARROWEST = 20
"""A terminal that claims less than this many columns has lines broken as if it had so many."""
_NUMBER_AND_UNIT = re.compile(
    r"(?<=\d) (?=(?:%|[KMGTP]i?B|kB|B|[kM] IOPS|IOPS|ns|us|ms|s|min|h|blocks?|times)\b|%)"
)
_HELD = "\N{NO-BREAK SPACE}"


def width_of(stream: TextIO) -> int | None:
    """Columns of the terminal that a stream is; None where it is none, or does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except (OSError, ValueError):
        return None


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """The lines of one paragraph; `indent` begins all but the first. Whole where width is None. A
    word that is longer than a line stands on a line of its own, whole: it can be copied."""
    if width is None or len(text) <= width:
        return [text]
    held = _NUMBER_AND_UNIT.sub(_HELD, text)
    lead = re.match(r" *", text)
    first = lead[0] if lead else ""
    lines = textwrap.wrap(
        held.strip(),
        max(width, NARROWEST),
        initial_indent=first,
        subsequent_indent=first + indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_HELD, " ") for line in lines] or [text]


def wrapped_lines(lines: list[str], width: int | None, indent: str = "") -> list[str]:
    return [part for line in lines for part in wrapped(line, width, indent)]


def say(sentence: str) -> None:
    """A line on standard error, next to what a command answers on standard output."""
    sys.stderr.write(f"{sentence}\n")
