"""Memory that this process may use: /proc/meminfo, the limits of its control groups, and what takes
memory away although none is asked for.

Pages of the page cache count in a control group's memory. A limit of addresses (ulimit -v) is none
of memory: neither the page cache nor a file system in memory counts in it.

DAMON watches which pages are used, and its scheme "pageout" reclaims those that were not for a
while: pages of the page cache are dropped, files in memory are swapped out. A hypervisor that gets
reports of free pages takes them until they are touched again. Both make memory slow that a test
finds there, or does not find.

Source: Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst, Linux 6.12.
"""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.facts.control_groups import (
    Group,
    memory_left_bytes,
    memory_limit_bytes,
    own_groups,
)
from fsgauge.machine.facts.pseudo_files import fields_of, text_of


def _meminfo_bytes(key: str) -> int | None:
    value = fields_of("/proc/meminfo").get(key)
    return None if value is None else int(value.split()[0]) * 1024


def machine_memory_bytes() -> int | None:
    return _meminfo_bytes("MemTotal")


def total_memory_bytes() -> int | None:
    """All memory, or what the control groups allow if that is less."""
    total, group = machine_memory_bytes(), _own_group()
    limit = memory_limit_bytes(group) if group else None
    return total if total is None or limit is None else min(total, limit)


def available_memory_bytes() -> int | None:
    """What can be used without swapping, or None when it is not known."""
    available, group = _meminfo_bytes("MemAvailable"), _own_group()
    bounds = [memory_left_bytes(group), memory_limit_bytes(group)] if group else []
    known = [bound for bound in bounds if bound is not None]
    return None if available is None else min([available, *known])


def _own_group() -> Group | None:
    try:
        return own_groups().get("memory")
    except OSError:
        return None


_KDAMONDS = Path("/sys/kernel/mm/damon/admin/kdamonds")
_RECLAIM = Path("/sys/module/damon_reclaim/parameters/enabled")


def reclaimer(kdamonds: Path = _KDAMONDS, reclaim: Path = _RECLAIM) -> str | None:
    """The file that turns it off, by writing off or N to it; None where nothing reclaims."""
    for state in sorted(kdamonds.glob("[0-9]*/state")):
        actions = state.parent.glob("contexts/*/schemes/*/action")
        if text_of(state) == "on" and any(text_of(action) == "pageout" for action in actions):
            return str(state)
    return str(reclaim) if text_of(reclaim) == "Y" else None
