"""What stands in a run's record where no engine measured: a program of the user's, or another
tool.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.plain_files.kept import Kept

FOREIGN = "foreign"
"""The rig, the storage and the systems of a study that another tool has measured."""


class OwnNumber(Kept):
    """A number that the program prints: found by a regular expression, or by its path in JSON."""

    name: str
    unit: str = ""
    better: Literal["higher", "lower"]
    pattern: str | None = None
    json_path: str | None = None


class CommandJob(Kept):
    """`program` in an empty folder of the system. `prepare` and `finish` are lines for a shell,
    around it and untimed. `kept_caches`: what the steps left in memory stays there.
    `written_back`: its time ends when all that it wrote is on the storage."""

    kind: Literal["command"] = "command"
    program: Annotated[list[str], Field(min_length=1)]
    folder: str
    prepare: list[str] = Field([])
    finish: list[str] = Field([])
    kept_caches: bool = False
    written_back: bool = False
    time_limit_ns: int
    numbers: list[OwnNumber] = Field([])
    exit_codes: list[int] = Field([0])


class Found(Kept):
    """What stood in the folder when the program began."""

    files: int
    size_bytes: int


class CommandRun(Kept):
    """What the program did. Its own time and processors' are in the run's result.

    `looks` is how often its threads were looked at; in `waiting` of them one waited in the kernel
    without being interruptible and none computed, which is how a process waits for storage. 0 looks
    where this machine does not tell. `left` are names of processes that it left behind.
    `values` are its own numbers, `unread` says of each that was not found why. `exit_code` is
    negative for a signal, and None where it was ended by its time limit. `output` and `errors` are
    the last lines of each.
    """

    exit_code: int | None
    looks: int
    waiting: int
    peak_memory_bytes: int
    values: dict[str, float]
    unread: dict[str, str]
    left: list[str]
    output: list[str]
    errors: list[str]
    found: Found | None = None


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
