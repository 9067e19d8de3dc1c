"""What the clients of a group do, and how often: operations by weight."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fsgauge.study.sweep import Weight, only

PLAIN = ("read", "write")
"""One block at an offset, on files that stay open: at any depth, by any interface."""
ON_OPEN_FILES = ("fsync", "fdatasync", "trim", "mmap_read")
"""On files that stay open too, one call at a time."""
AT_A_PLACE = (*PLAIN, "trim", "mmap_read")
"""Those that move a block that is there."""
MOVING_A_BLOCK = (*AT_A_PLACE, "append", "fallocate")
"""Those that transfer a block, or allocate one."""
ON_NAMES = (
    "append",
    "create",
    "open",
    "read_file",
    "write_file",
    "stat",
    "list",
    "rename",
    "unlink",
    "truncate",
    "fallocate",
)
"""On a file of the set by its name, opened and closed where that is needed."""
OPERATIONS = (*PLAIN, *ON_OPEN_FILES, *ON_NAMES)
READING = frozenset({"read", "mmap_read", "read_file", "stat", "list", "open"})
"""Those that change nothing."""
MAKING = frozenset({"create", "rename", "unlink"})
"""Those after which a name may be gone."""


Operations = Annotated[dict[str, Weight], only(OPERATIONS, "a group"), Field(min_length=1)]
