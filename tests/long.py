"""Parameters of which `make test` tries some and `make test-all` every one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def long_but(kept: Collection[object], names: Iterable[object]) -> list[Any]:
    """`names` for parametrize, marked long but for those that are kept: each is there, or fails."""
    found = list(names)
    assert set(kept) <= set(found), set(kept) - set(found)
    return [name if name in kept else pytest.param(name, marks=pytest.mark.long) for name in found]
