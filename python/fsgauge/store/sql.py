"""Paths and words inside SQL."""

from __future__ import annotations

import re
from pathlib import Path


def quoted(text: str) -> str:
    """A string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: Path) -> str:
    """A path of exactly one file as a string of SQL: DuckDB would read *, ? and [ as patterns."""
    return quoted(plain_path(path))


def plain_path(path: Path) -> str:
    """A path in which nothing is a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))
