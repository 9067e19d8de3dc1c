"""Block sizes that a study's mkfs options ask for: the kernel's page bounds what it mounts."""

from __future__ import annotations

import os
import re

_ASKED = re.compile(
    r"(?:^|\s)(?:-b|-s|--sectorsize)[ =]*(?:[a-z]+=[^\s,]*,)*?(?:size=)?(\d+)([kKmM]?)(?=[\s,]|$)"
)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}


def beyond_page_bytes(mkfs: str, page_bytes: int = os.sysconf("SC_PAGESIZE")) -> int | None:
    """The largest size of a block or sector that is larger than a page; None without any."""
    asked = [int(size) * _UNITS[unit.lower()] for size, unit in _ASKED.findall(mkfs)]
    return max((each for each in asked if each > page_bytes), default=None)
