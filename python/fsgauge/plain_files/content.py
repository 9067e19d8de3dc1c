"""What a text holds, looked at before anything is made of it: how many values, how deep. A list
that is empty takes two bytes of a file and 64 in memory, so a bound of bytes is not enough."""

from __future__ import annotations

import re
from pathlib import Path

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files.bounds import MOST_DEPTH, Bound

_STRING = re.compile(rb'"(?:[^"\\\n]++|\\.?)*+"?')
"""Of JSON, where no line ends in a string; one that was cut short ends with its line."""
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def values_of_json(content: bytes, path: Path, bound: Bound) -> int:
    """How many values a JSON text has, at most, or several, a line each. Raises InputError for more
    than the bound, and for a greater depth than any document has."""
    bare = _STRING.sub(b"", content)
    values = bare.count(b",") + bare.count(b"[") + bare.count(b"{")
    if values > bound.values:
        raise _refused(path, f"{values:,} values, and {bound.values:,} are allowed")
    brackets = bare.translate(None, _ALL_BUT_BRACKETS)
    for _ in range(MOST_DEPTH):
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    if b"[]" in brackets or b"{}" in brackets:
        raise _refused(path, f"lists in one another, more than the {MOST_DEPTH} that are allowed")
    return values


def require_few_in_toml(text: str, path: str, bound: Bound) -> None:
    """Raise InputError where a TOML text has more values or lines than the bound. Signs in comments
    count too: a file that a person wrote is far below."""
    found = {"values": text.count("=") + text.count(","), "lines": text.count("\n")}
    for what, count in found.items():
        if count > bound.values:
            raise InputError(
                f"{path} has {count:,} {what}, and {bound.values:,} are allowed",
                next=f"wc {quoted(path)}",
            )


def _refused(path: Path, what: str) -> InputError:
    return InputError(
        f"{path} has {what}",
        cause="it was damaged, or another program wrote it",
        next=f"ls -l {quoted(path)}",
    )
