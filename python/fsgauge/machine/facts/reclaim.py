"""What takes memory away on this machine although none is asked for.

DAMON watches which pages are used, and its scheme "pageout" reclaims those that were not for a
while: pages of the page cache are dropped, files in memory are swapped out. A hypervisor that gets
reports of free pages takes them until they are touched again. Both make memory slow that a test
finds there, or does not find.

Source: Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst, Linux 6.12.
"""

from __future__ import annotations

from pathlib import Path

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
