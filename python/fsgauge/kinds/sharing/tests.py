"""The tests of IOzone and Bonnie++: what each is called, does, and which program runs it as well.
The only place that names them. `jobs.py` makes the engine's job of a test out of these fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsgauge.engine.wire import FileOrder, Transfer

Program = Literal["iozone", "bonnie++", "getc_putc"]
"""The programs that users know these tests from. getc_putc comes with Bonnie++."""


@dataclass(frozen=True)
class FileTest:
    """A test on one file, from its start to its end or, with `is_random`, at random places."""

    name: str
    title: str
    does: str
    program: Program
    read_percent: int
    transfer: Transfer = "whole"
    is_new_file: bool = False
    is_random: bool = False


@dataclass(frozen=True)
class FolderTest:
    """A test on many empty files in one folder."""

    name: str
    title: str
    does: str
    phase: Literal["write", "stat", "delete"]
    order: FileOrder
    program: Program = "bonnie++"


Test = FileTest | FolderTest

IOZONE = (
    FileTest("write", "Write", "writes a new file, record by record", "iozone", 0,
             is_new_file=True),
    FileTest("rewrite", "Rewrite", "writes the same file again, in place", "iozone", 0),
    FileTest("read", "Read", "reads the file, record by record", "iozone", 100),
    FileTest("reread", "Reread", "reads the same file again", "iozone", 100),
)  # fmt: skip

BY_CHARACTER = (
    FileTest("putc", "Output by character, putc",
             "writes a new file a byte at a time through a buffer, as putc(3)", "getc_putc", 0,
             "characters", is_new_file=True),
    FileTest("getc", "Input by character, getc",
             "reads the file a byte at a time through a buffer, as getc(3)", "getc_putc", 100,
             "characters"),
)  # fmt: skip
"""Bonnie++ did these up to version 1.03, as the publication has them."""

BONNIE = (
    FileTest("put_byte", "Output by byte",
             "writes a new file with one call for each byte", "bonnie++", 0, "bytes",
             is_new_file=True),
    FileTest("put_block", "Output by block", "writes a new file block by block", "bonnie++", 0,
             is_new_file=True),
    FileTest("rewrite_in_place", "Rewrite in place",
             "reads each block, changes a byte and writes it back", "bonnie++", 0, "rewrite"),
    FileTest("get_byte", "Input by byte", "reads the file with one call for each byte",
             "bonnie++", 100, "bytes"),
    FileTest("get_block", "Input by block", "reads the file block by block", "bonnie++", 100),
    FileTest("seeks", "Random seeks",
             "reads blocks at random places, and changes every tenth and writes it back",
             "bonnie++", 90, "rewrite", is_random=True),
    FolderTest("create_sequential", "Create, in order", "creates empty files, by number",
               "write", "number"),
    FolderTest("stat_sequential", "Stat, in order", "asks for each file as the folder lists them",
               "stat", "directory"),
    FolderTest("delete_sequential", "Delete, in order",
               "removes each file as the folder lists them", "delete", "directory"),
    FolderTest("create_random", "Create, random order",
               "creates empty files whose names come in a random order", "write", "random"),
    FolderTest("stat_random", "Stat, random order", "asks for each file in a random order",
               "stat", "random"),
    FolderTest("delete_random", "Delete, random order", "removes each file in a random order",
               "delete", "random"),
)  # fmt: skip

IN_RECORDS = frozenset(test.name for test in IOZONE)
"""Those that IOzone does at each size of record. The others go through a file in one size, which
Bonnie++ calls its chunk; by character, it is that of the buffer."""

BYTE_BY_BYTE = frozenset(
    test.name for test in BONNIE if isinstance(test, FileTest) and test.transfer == "bytes"
)

NEAREST: dict[str, dict[str, str]] = {
    "bonnie++": {
        "putc": "put_byte",
        "getc": "get_byte",
        "write": "put_block",
        "rewrite": "rewrite_in_place",
        "read": "get_block",
        "reread": "get_block",
    },
    "iozone": {
        "putc": "write",
        "getc": "read",
        "put_byte": "write",
        "put_block": "write",
        "rewrite_in_place": "rewrite",
        "get_byte": "read",
        "get_block": "read",
    },
}
"""What a program does in place of a test that it does not have."""

TESTS: dict[str, Test] = {test.name: test for test in (*IOZONE, *BY_CHARACTER, *BONNIE)}
"""Every test by its name, in the order in which its program runs it."""
