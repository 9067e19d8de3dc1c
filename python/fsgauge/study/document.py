"""A study as it was written: raw values, and where each of them came from. A value comes from the
file or from the command line; both are shown to the person alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from fsgauge.errors import SourceLocation
from fsgauge.study.locate import Path, Spans, locate, repeated_key

_LONGEST_LINE = 160


@dataclass(frozen=True)
class Origin:
    """A written key or value: the text that it stands in and its offsets there.

    `label` is the file, or the option of the command line (then `numbered` is false).
    """

    label: str
    text: str
    spans: Spans
    numbered: bool = True

    def key(self, hint: str = "") -> SourceLocation:
        return source_location(self.label, self.text, self.spans.key, hint, self.numbered)

    def value(self, hint: str = "") -> SourceLocation:
        return source_location(self.label, self.text, self.spans.value, hint, self.numbered)


Chosen = tuple[dict[str, Any], Origin | None, int]
"""A system's table, where it was written if on the command line, and its number in the file."""


@dataclass
class Document:
    """Raw data of a study, with the origin of each path."""

    label: str
    data: dict[str, Any]
    origins: dict[Path, Origin] = field(default_factory=dict)

    def put(self, path: Path, value: object, origin: Origin) -> None:
        """Set a value, which replaces whatever stood there; tables in between are made."""
        self.forget(path)
        table: Any = self.data
        for depth, step in enumerate(path[:-1]):
            if isinstance(table, dict) and step not in table:
                table[step] = {}
                self.origins.setdefault(path[: depth + 1], origin)
            table = table[step]
        table[path[-1]] = value
        self.put_entry(path, value, origin)

    def remove(self, path: Path) -> None:
        """Take a key out, as if the file did not have it."""
        self.forget(path)
        table: Any = self.data
        for step in path[:-1]:
            if isinstance(table, dict) and step not in table:
                return
            table = table[step]
        table.pop(path[-1], None)

    def put_entry(self, path: Path, value: object, origin: Origin) -> None:
        """Note where a value was written that stands in the data already."""
        self.origins[path] = origin
        entries: list[tuple[str | int, object]] = []
        if isinstance(value, Mapping):
            entries = list(value.items())
        elif isinstance(value, list):
            entries = list(enumerate(value))
        for step, entry in entries:
            self.put_entry((*path, step), entry, origin)

    def put_tables(self, key: str, chosen: Iterable[Chosen]) -> None:
        """Write a list of tables anew; those that the file describes keep the places of their
        keys."""
        places = {path: origin for path, origin in self.origins.items() if path[:1] == (key,)}
        self.forget((key,))
        self.data[key] = []
        if (key,) in places:
            self.origins[key,] = places[key,]
        for index, (table, origin, old) in enumerate(chosen):
            self.data[key].append(table)
            if origin is not None:
                self.put_entry((key, index), table, origin)
                continue
            own = {path[2:]: place for path, place in places.items() if path[:2] == (key, old)}
            self.origins |= {(key, index, *rest): place for rest, place in own.items()}

    def at(self, path: Path) -> object:
        value: Any = self.data
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def tables(self, *path: str) -> list[dict[str, Any]]:
        found = self.at(path)
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    def forget(self, path: Path) -> None:
        """Drop the origins of a path and of all below it."""
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]

    def origin(self, path: Path) -> Origin | None:
        """Where a path was written, or else the nearest table around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return None

    def key(self, path: Path, hint: str = "") -> SourceLocation | None:
        """The place of a key, for an error; None where the file does not have it."""
        origin = self.origin(path)
        return origin.key(hint) if origin else None

    def value(self, path: Path, hint: str = "") -> SourceLocation | None:
        """Where the value is that an error is about."""
        origin = self.origin(path)
        return origin.value(hint) if origin else None

    def written(self, path: Path) -> bool:
        """Whether this very path was written by the person."""
        return path in self.origins


def number_beyond_toml(value: object, path: Path = ()) -> Path | None:
    """Where the first whole number of more than 64 bits is, which TOML does not have. Python
    refuses to show one of thousands of digits, so no such number goes further than here."""
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**63 else path
    entries: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, Mapping):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    found = (number_beyond_toml(entry, (*path, step)) for step, entry in entries)
    return next((place for place in found if place is not None), None)


def source_location(
    label: str, text: str, span: tuple[int, int], hint: str = "", numbered: bool = True
) -> SourceLocation:
    """The line around `span` with what to underline in it; line 0 means an option, not a file."""
    start, end = min(span[0], len(text)), min(span[1], len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)].rstrip("\r")
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    column = min(start - line_start, len(shown))
    width = max(1, min(end - start, len(shown) - column))
    if len(shown) > _LONGEST_LINE and column + width < _LONGEST_LINE:
        shown = shown[:_LONGEST_LINE] + " ..."
    return SourceLocation(
        path=label,
        line=text.count("\n", 0, start) + 1 if numbered else 0,
        column=column + 1,
        text=shown,
        width=width,
        hint=hint,
    )


class NotTomlError(ValueError):
    """A text that is not TOML: `what` is wrong with it, and where; or a key is given twice."""

    def __init__(self, what: str, span: tuple[int, int], *, is_repeated: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.span = span
        self.is_repeated = is_repeated


def document_of(text: str, label: str) -> Document:
    """The values of a text with their places; `label` stands before line numbers. Raises
    NotTomlError."""
    try:
        data: dict[str, Any] = tomlkit.parse(text).unwrap()
        spans = locate(text)
    except (TOMLKitError, ValueError, RecursionError, IndexError) as error:
        raise _explained(error, text) from None
    return Document(label, data, {path: Origin(label, text, span) for path, span in spans.items()})


def _explained(error: Exception, text: str) -> NotTomlError:
    repeated = (
        repeated_key(text) if "already" in str(error) or "Redefinition" in str(error) else None
    )
    if repeated is not None:
        return NotTomlError(
            f'"{text[slice(*repeated)]}" is given twice', repeated, is_repeated=True
        )
    if isinstance(error, ParseError):
        words = str(error).rsplit(" at line ", 1)[0]
        start = _offset(text, error.line, error.col)
        what = f"this is not TOML: {words[:1].lower()}{words[1:]}"
        return NotTomlError(what, (start, start + 1))
    more = f": {error}" if isinstance(error, TOMLKitError) else ""
    return NotTomlError(f"this is not TOML{more}", (0, 1))


def _offset(text: str, line: int, column: int) -> int:
    """tomlkit counts lines as str.splitlines does and columns from 0."""
    lines = text.splitlines(keepends=True)
    if line > len(lines) or (line == len(lines) and column == 0):
        return len(text.rstrip())
    return sum(len(before) for before in lines[: line - 1]) + column
