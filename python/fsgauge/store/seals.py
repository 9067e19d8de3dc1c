"""Seals: what the journal says each record file holds, and whether it still does.

Before a file takes its place, a line "stored" has its name, SHA-256 and size; before folders are
set aside, a line "set aside" names them. So a crash leaves a line whose work was not done, never a
file without a line: the last line alone may be ahead of the folder, and "not stored" takes it back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import MissingError, PlainFolder
from fsgauge.plain_files.bounds import PLAN
from fsgauge.record.records import FORMAT
from fsgauge.store.files import require_known_format
from fsgauge.store.journal import NAME, JournalLine, read_lines

STORED, NOT_STORED, SET_ASIDE = "stored", "not stored", "set aside"
_NAME = re.compile(r"[A-Za-z0-9._+/-]{1,300}")
_MOST_NAMED = 6
_NONSENSE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


_ADDED = "this record was added; the journal does not list it"

Changes = tuple[str, ...]
"""What differs from the seals, a sentence each."""


class ChangedError(RigError):
    """Records are not what was written."""

    def __init__(self, directory: Path, changes: Changes) -> None:
        more = len(changes) - _MOST_NAMED
        only_added = all(change.endswith(_ADDED) for change in changes)
        super().__init__(
            f"records in {directory} were changed after they were written",
            details=(*changes[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])),
            cause="another program put them there, such as one that keeps folders in step: the"
            " journal lists every record that fsgauge wrote"
            if only_added
            else "they were edited or damaged, or only part of the folder was copied: they "
            "differ from the checksums in its journal",
            next=(
                "move what was added out of the folder"
                if only_added
                else "restore the folder from a copy"
            )
            + "; report, compare, history, query and resume go on with --despite changed-records,"
            " which names the changes",
        )


@dataclass
class Seals:
    """Checksum and size of each file, from the journal's lines in order."""

    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    under_way: str | None = None
    """The file that the last line announces: it may not be there yet."""
    leaving: tuple[str, ...] = ()
    """Folders that the last line sets aside: they may be there still."""
    _before: tuple[str, int] | None = None

    def add(self, line: JournalLine) -> None:
        if not line.is_linked:
            self.faults.append(f"{NAME}: line {line.number} or one before it was changed")
        facts, under_way = line.facts, self.under_way
        self.under_way, self.leaving = None, ()
        name = facts.get("file")
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            name = None
        match facts.get("event"):
            case "stored" if name is not None:
                self._before, self.under_way = self.files.get(name), name
                self.files[name] = (str(facts.get("sha256")), _whole(facts.get("size_bytes")))
            case "not stored" if name is not None and name == under_way:
                self.take_back(name)
            case "set aside":
                folders = facts.get("paths")
                self.leaving = tuple(map(str, folders)) if isinstance(folders, list) else ()
                self.files = {
                    each: seal for each, seal in self.files.items() if not self.is_leaving(each)
                }

    def is_leaving(self, name: str) -> bool:
        """Whether a file is being set aside, so that it is no part of the study any more."""
        return any(name == each or name.startswith(f"{each}/") for each in self.leaving)

    @property
    def announced(self) -> tuple[str, str, int] | None:
        """Name, checksum and size that the last line announces."""
        return (self.under_way, *self.files[self.under_way]) if self.under_way else None

    def take_back(self, name: str) -> None:
        """What was announced did not come: what was there before counts."""
        if self._before is None:
            self.files.pop(name, None)
        else:
            self.files[name] = self._before


def read_seals(folder: PlainFolder) -> Seals:
    """What the journal says; raises InputError where it is no plain file."""
    seals = Seals()
    for line in read_lines(folder):
        seals.add(line)
    return seals


def changes_in(folder: PlainFolder, seals: Seals, files: Iterable[str]) -> Changes:
    """What differs from the seals, in words; `files` are those that are read as records."""
    if not seals.files:
        return (f"{NAME} has no checksums, so changed records cannot be detected",)
    found = list(seals.faults)
    if (announced := seals.announced) and not holds(folder, *announced):
        seals.take_back(announced[0])
    for name, seal in sorted(seals.files.items()):
        try:
            now = folder.digest(name)
        except MissingError:
            found.append(f"{name}: it is missing")
            continue
        if now != seal:
            found.append(f"{name}: this record was changed after it was written")
    found += [
        f"{name}: {_ADDED}"
        for name in files
        if name not in seals.files and not seals.is_leaving(name)
    ]
    return tuple(found)


@contextmanager
def understood(changes: Changes) -> Iterator[None]:
    """Within, changed records that make no sense to whoever works with them end in words. Nothing
    is caught where the records are what was written: then it is a fault of fsgauge."""
    try:
        yield
    except _NONSENSE as error:
        if not changes:
            raise
        raise InputError(
            "the changed records contradict each other",
            details=changes[:_MOST_NAMED],
            cause=f"they were edited or damaged ({type(error).__name__}: {error})",
            next="restore the folder from a copy",
        ) from error


def require_known_study(folder: PlainFolder) -> None:
    """Raise InputError where a newer fsgauge wrote the study: its seals may be others."""
    try:
        document = json.loads(folder.read_json("study.json", PLAN))
    except (InputError, ValueError, RecursionError):
        return
    require_known_format(document, FORMAT, str(folder.path / "study.json"))


def holds(folder: PlainFolder, name: str, sha256: str, size_bytes: int) -> bool:
    """Whether what was announced of a file has come."""
    try:
        return folder.digest(name) == (sha256, size_bytes)
    except MissingError:
        return False


def _whole(number: object) -> int:
    return number if isinstance(number, int) else -1
