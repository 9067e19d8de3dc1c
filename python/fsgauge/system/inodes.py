"""The change of a study that makes a system with more inodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from fsgauge.errors import quoted
from fsgauge.study.system import System
from fsgauge.system import find_kind
from fsgauge.system.kind import FileSystem


def made_with_inodes(system: System, size_bytes: int) -> Callable[[int], str]:
    """By how many files are to have one: --set with the study's own options of mkfs and one more;
    "" where none gives so many."""
    return partial(_made_with, system, size_bytes)


def _made_with(system: System, size_bytes: int, number: int) -> str:
    kind = find_kind(system.kind)
    more = kind.more_inodes(number, size_bytes) if isinstance(kind, FileSystem) else ""
    key, equals, _ = more.rpartition(" ")[2].partition("=")
    if not more or (equals and f"{key}=" in system.mkfs):  # mkfs.xfs takes a key once
        return ""
    options = f"{system.mkfs} {more}".strip()
    return f"--set {quoted(f'system.{system.name}.mkfs={options}')}"
