"""Memory of this machine: /proc/meminfo, and the limit of the control group where there is one."""

from __future__ import annotations

from pathlib import Path

_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def _meminfo_bytes(key: str) -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0]) * 1024
    return None


def total_memory_bytes() -> int | None:
    """All memory, or what the control group allows if that is less."""
    total = _meminfo_bytes("MemTotal")
    limits = [limit for limit in (_limit_bytes(path) for path in _LIMITS) if limit is not None]
    return min([total, *limits]) if total is not None else None


def available_memory_bytes() -> int | None:
    """What can be used without swapping, or None when it is not known."""
    available, total = _meminfo_bytes("MemAvailable"), total_memory_bytes()
    if available is None or total is None:
        return available
    return min(available, total)


def _limit_bytes(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
