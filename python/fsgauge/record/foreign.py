"""A run that another tool made: what stands in its record in the place of an engine's job."""

from __future__ import annotations

from typing import Literal

from fsgauge.plain_files.kept import Kept

FOREIGN = "foreign"
"""The rig, the storage and the systems of a study that another tool has measured."""


class ForeignJob(Kept):
    """Which test of which tool it was, and the file that said so: `file` is its name alone.

    `tool` has its version: "fio 3.33". `command` is what it says it was called by; "" if nothing.
    """

    kind: Literal["foreign"] = "foreign"
    tool: str
    test: str
    file: str
    sha256: str
    command: str = ""
