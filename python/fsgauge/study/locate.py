"""Where each key and each value of a TOML text stands; tomlkit reads values but not places.

Takes a text that tomlkit has accepted, so this scanner only has to find the ends of things.
Gives a path such as ("system", 1, "mount") its key's and its value's offsets.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from dataclasses import dataclass

Path = tuple[str | int, ...]

_BLANK = " \t\r\n"


@dataclass(frozen=True)
class Spans:
    """Offsets into the text, each as [start, end). A table's key is its name in the header."""

    key: tuple[int, int]
    value: tuple[int, int]


def locate(text: str) -> dict[Path, Spans]:
    """The spans of every key and list entry of a valid TOML text."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.found


def repeated_key(text: str) -> tuple[int, int] | None:
    """The span of the first key or table that stands a second time; the text may be invalid."""
    scanner = _Scanner(text)
    with suppress(IndexError, ValueError, RecursionError):
        scanner.document()
    return scanner.repeated


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Path, Spans] = {}
        self.table_counts: dict[Path, int] = {}
        self.defined: set[Path] = set()
        self.repeated: tuple[int, int] | None = None

    def document(self) -> None:
        table: Path = ()
        self._skip_blank()
        while self.at < len(self.text):
            if self._next() == "[":
                table = self._header()
            else:
                self._key_and_value(table)
            self._skip_blank()

    def _header(self) -> Path:
        is_array = self.text.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        path: Path = ()
        keys = self._dotted_key()
        for name, span in keys[:-1]:
            path = (*path, name)
            self.found.setdefault(path, Spans(span, span))
            if path in self.table_counts:
                path = (*path, self.table_counts[path] - 1)
        name, span = keys[-1]
        path = (*path, name)
        self.found.setdefault(path, Spans(span, span))
        if path in (self.defined if is_array else self.table_counts):
            self._repeat(span)
        if is_array:
            index = self.table_counts.get(path, 0)
            self.table_counts[path] = index + 1
            path = (*path, index)
            self.found[path] = Spans(span, span)
        self._define(path, span)
        self.at += 2 if is_array else 1
        return path

    def _key_and_value(self, table: Path) -> None:
        path = table
        keys = self._dotted_key()
        self.at += 1
        self._skip_blank()
        start = self.at
        names = tuple(name for name, _ in keys)
        self._define((*table, *names), (keys[0][1][0], keys[-1][1][1]))
        self._value((*table, *names))
        for name, span in keys:
            path = (*path, name)
            self.found.setdefault(path, Spans(span, (start, self.at)))

    def _define(self, path: Path, span: tuple[int, int]) -> None:
        if path in self.defined:
            self._repeat(span)
        self.defined.add(path)

    def _repeat(self, span: tuple[int, int]) -> None:
        if self.repeated is None:
            self.repeated = span

    def _dotted_key(self) -> list[tuple[str, tuple[int, int]]]:
        """Names up to the "=" or "]" that follows, each with its span."""
        keys = []
        while True:
            self._skip_blank()
            start = self.at
            if self._next() in "\"'":
                self._string()
                name = str(tomllib.loads(f"x={self.text[start : self.at]}")["x"])
            else:
                while self._next() not in " \t.=]\r\n":
                    self.at += 1
                name = self.text[start : self.at]
            keys.append((name, (start, self.at)))
            self._skip_blank()
            if self._next() != ".":
                return keys
            self.at += 1

    def _value(self, path: Path) -> None:
        first = self._next()
        if first in "\"'":
            self._string()
        elif first == "[":
            self._list(path)
        elif first == "{":
            self._inline_table(path)
        else:
            while self.at < len(self.text) and self._next() not in ",]}#\r\n":
                self.at += 1
            while self.text[self.at - 1] in " \t":
                self.at -= 1

    def _string(self) -> None:
        quote = self._next()
        delimiter = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(delimiter)
        while not self.text.startswith(delimiter, self.at):
            self.at += 2 if quote == '"' and self._next() == "\\" else 1
        self.at += len(delimiter)
        while len(delimiter) == 3 and self.at < len(self.text) and self._next() == quote:
            self.at += 1

    def _list(self, path: Path) -> None:
        self.at += 1
        index = 0
        self._skip_blank()
        while self._next() != "]":
            start = self.at
            entry = (*path, index)
            self._value(entry)
            self.found[entry] = Spans((start, self.at), (start, self.at))
            index += 1
            self._skip_separator()
        self.at += 1

    def _inline_table(self, path: Path) -> None:
        self.at += 1
        self._skip_blank()
        while self._next() != "}":
            self._key_and_value(path)
            self._skip_separator()
        self.at += 1

    def _skip_separator(self) -> None:
        self._skip_blank()
        if self._next() == ",":
            self.at += 1
            self._skip_blank()

    def _skip_blank(self) -> None:
        while self.at < len(self.text):
            if self._next() == "#":
                while self.at < len(self.text) and self._next() != "\n":
                    self.at += 1
            elif self._next() in _BLANK:
                self.at += 1
            else:
                return

    def _next(self) -> str:
        return self.text[self.at]
