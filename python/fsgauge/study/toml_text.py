"""A TOML text as a document: its raw values, each with its place. For studies and hosts files."""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from fsgauge.study.document import Document, Origin
from fsgauge.study.locate import locate, repeated_key


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
