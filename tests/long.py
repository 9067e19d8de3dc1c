"""What `make test` leaves out and `make test-all` runs."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

LONG_TESTS = Path(__file__).with_name("long.txt")
UNTIL = "FSGAUGE_TEST_LONG_UNTIL"
"""When no long test begins any more, in seconds since 1970: scripts/test sets it."""
TOO_LATE = (
    "long, and the time for long tests is over on this machine: make test-all on a faster one"
)


def is_too_late() -> bool:
    return time.time() > float(os.environ.get(UNTIL, "inf"))


def long_tests() -> set[str]:
    """Tests that are too slow for `make test`, whatever their parameters:
    tests/cli/test_run.py::test_a_name."""
    lines = LONG_TESTS.read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def long_but(kept: Collection[object], names: Iterable[object]) -> list[Any]:
    """`names` for parametrize, marked long but for those that are kept: each is there, or fails."""
    found = list(names)
    assert set(kept) <= set(found), set(kept) - set(found)
    return [name if name in kept else pytest.param(name, marks=pytest.mark.long) for name in found]
