"""The journal: one line of JSON a step, appended and on disk before the next step begins.

Its file is also the folder's lock: who holds the journal writes the folder, one process at a time.
A line that a crash cut short stays as it is, ends with the next one's beginning, and is skipped.

Each line ends with `chain`: the SHA-256 of the chain of the line before it and of its own text. So
a line that was changed, taken out or put elsewhere shows. The chain holds no secret: it shows
accidents and edits, not a forger who computes it anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import InputError, RigError, quoted
from fsgauge.plain_files import MissingError, PlainFolder, cannot_write, write_all
from fsgauge.plain_files.bounds import JOURNAL, MOST_LINES

NAME = "journal.ndjson"
VOID, GIVEN_UP, NOT_REMOVED = "void", "given up", "not removed"
"""Events: a block that is measured again, one whose missing runs have failed, and a system that
could not be removed after its turn."""
_CHAIN = re.compile(rb', "chain": "([0-9a-f]{64})"\}$')


@dataclass(frozen=True)
class JournalLine:
    """A line that is whole: its number in the file from 1, its facts, and whether it is linked."""

    number: int
    facts: dict[str, object]
    is_linked: bool


class Journal:
    """The open, locked journal of a folder."""

    def __init__(self, folder: PlainFolder) -> None:
        """Open and lock; raises RigError where another process holds it or none can be made."""
        self._path = folder.path / NAME
        try:
            self._descriptor = folder.open_to_append(NAME)
        except OSError as error:
            raise cannot_write(self._path, error) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise RigError(
                f"{folder.path} is in use by another fsgauge",
                cause="its study is being run or resumed right now",
                next=f"fuser -v {quoted(self._path)}",
            ) from error
        self._end: tuple[str, bool] | None = None

    def append(self, event: str, **facts: object) -> None:
        """Add a line and have it on disk before returning; raises RigError."""
        try:
            chain, torn = self._end or self._read_end()
            self._end = None
            line, chain = linked_line({"unix_ns": time.time_ns(), "event": event, **facts}, chain)
            write_all(self._descriptor, (b"\n" if torn else b"") + line + b"\n")
            os.fsync(self._descriptor)
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self._end = (chain, False)

    def close(self) -> None:
        os.close(self._descriptor)

    def _read_end(self) -> tuple[str, bool]:
        """The chain of the last whole line, and whether the file ends in the middle of one."""
        size_bytes = os.fstat(self._descriptor).st_size
        if size_bytes > JOURNAL.size_bytes:
            raise OSError(0, f"it is larger than {JOURNAL.size_bytes} bytes")
        content = bytearray()
        while piece := os.pread(self._descriptor, 1 << 20, len(content)):
            content += piece
        _require_few_lines(content, self._path)
        chain = ""
        for line in bytes(content).split(b"\n"):
            if _document(line) is not None and (found := _CHAIN.search(line)):
                chain = found[1].decode()
        return chain, bool(content) and not content.endswith(b"\n")


def read_journal(folder: PlainFolder) -> list[dict[str, object]]:
    """Every whole line, in order, without its chain; those that a crash cut short are left out."""
    return [line.facts for line in read_lines(folder)]


def read_lines(folder: PlainFolder) -> list[JournalLine]:
    """Every whole line, with whether the chain leads to it. InputError for what is no plain
    file."""
    try:
        content = folder.read_json(NAME, JOURNAL)
        _require_few_lines(content, folder.path / NAME)
    except MissingError:
        return []
    return list(_lines(content.split(b"\n")))


def _require_few_lines(content: bytes | bytearray, path: Path) -> None:
    lines = content.count(b"\n")
    if lines > MOST_LINES:
        raise InputError(
            f"{path} has {lines:,} lines, and {MOST_LINES:,} are allowed",
            cause="another program wrote it",
            next=f"tail {quoted(path)}",
        )


def _lines(lines: list[bytes]) -> Iterator[JournalLine]:
    before = ""
    for number, line in enumerate(lines, start=1):
        facts = _document(line)
        if facts is None:
            continue
        chain = facts.pop("chain", None)
        is_linked = chain == _chain(before, _CHAIN.sub(b"}", line))
        before = chain if isinstance(chain, str) else ""
        yield JournalLine(number, facts, is_linked)


def linked_line(facts: dict[str, object], before: str) -> tuple[bytes, str]:
    """A line without its end, linked to the chain of the one before it; and its own chain."""
    text = json.dumps(facts).encode()
    chain = _chain(before, text)
    return text[:-1] + f', "chain": "{chain}"}}'.encode(), chain


def _chain(before: str, text: bytes) -> str:
    return hashlib.sha256(before.encode(errors="replace") + text).hexdigest()


def _document(line: bytes) -> dict[str, object] | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
