"""Text from outside as people may see it: what cannot be printed is escaped.

A name of a file, a label, a server's or an engine's words may hold control characters, which move a
terminal's cursor and write anywhere on it, characters that turn the order of others round or have
no width, and halves of characters, which no encoding has. `str.isprintable` is false for all of
them. It is asked where text leaves: the standard streams, errors, the display, pages and charts.
"""

from __future__ import annotations

from collections.abc import Mapping


def escaped(text: str, keeps: str = "") -> str:
    """The text with each character that cannot be printed as in "\\x1b" or "\\u202e".

    A line end is one of them, unless it is among those that are kept.
    """
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter.isprintable() or letter in keeps
        else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def escaped_below(value: object) -> object:
    """The same of every text in lists and tables of what JSON can hold, keys included."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, Mapping):
        return {escaped_below(key): escaped_below(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [escaped_below(each) for each in value]
    return value
