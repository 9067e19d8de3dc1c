"""Memory of this machine: /proc/meminfo, the limit of its control group, and what takes memory away
although none is asked for.

DAMON watches which pages are used, and its scheme "pageout" reclaims those that were not for a
while: pages of the page cache are dropped, files in memory are swapped out. A hypervisor that gets
reports of free pages takes them until they are touched again. Both make memory slow that a test
finds there, or does not find.

Source: Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst, Linux 6.12.
"""

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


_KDAMONDS = Path("/sys/kernel/mm/damon/admin/kdamonds")
_RECLAIM = Path("/sys/module/damon_reclaim/parameters/enabled")


def reclaimer(kdamonds: Path = _KDAMONDS, reclaim: Path = _RECLAIM) -> str | None:
    """The file that turns it off, by writing off or N to it; None where nothing reclaims."""
    for state in sorted(kdamonds.glob("[0-9]*/state")):
        actions = state.parent.glob("contexts/*/schemes/*/action")
        if _is(state, "on") and any(_is(action, "pageout") for action in actions):
            return str(state)
    return str(reclaim) if _is(reclaim, "Y") else None


def _is(file: Path, word: str) -> bool:
    try:
        return file.read_text(encoding="utf-8").strip() == word
    except OSError:
        return False
