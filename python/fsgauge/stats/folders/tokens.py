"""The pieces of a condition's text, and its mistakes, each at its place."""

from __future__ import annotations

import re
from typing import NamedTuple

from fsgauge.errors import InputError, SourceLocation

LONGEST = 1000
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>\"[^\"]*\"|'[^']*')|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<id>[A-Za-z_][A-Za-z0-9_.]*(?:-[A-Za-z0-9_.]+)+)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_.]*)|(?P<sign><=|>=|<|>|\(|\)|,|=))"
)


class Option(NamedTuple):
    """The option of the command line that takes a condition, and one as it is written."""

    name: str
    example: str


class Token(NamedTuple):
    """A piece of a condition; `start` counts from 0. The last one has the kind "end"."""

    kind: str
    text: str
    start: int


def tokens_of(text: str, option: Option, until: int | None) -> list[Token]:
    """All tokens and an "end"; InputError at the first character that begins none."""
    if len(text) > LONGEST:
        raise InputError(
            f"a condition of {len(text)} characters; {LONGEST} are the most", next=option.example
        )
    found: list[Token] = []
    place, end = 0, len(text[:until].rstrip())
    while place < end:
        match = _TOKEN.match(text, place, end)
        if match is None or match.lastgroup is None:
            start = place + len(text[place:]) - len(text[place:].lstrip())
            unknown = Token("unknown", text[start], start)
            is_of_ratio = option.example.startswith("--fail-if") and text[start] in "%."
            number = found[-1].text if found and found[-1].kind == "number" else ""
            hint = _as_ratio(number if text[start] == "%" else "") if is_of_ratio else ""
            raise mistake(text, f'unexpected "{text[start]}"', unknown, option, hint=hint)
        kind = match.lastgroup
        found.append(Token(kind, match[kind], match.start(kind)))
        place = match.end()
    return [*found, Token("end", "", end)]


def _as_ratio(percent: str) -> str:
    """Few percent are a loss, and many are what is left."""
    if not percent or not 0 < (share := float(percent) / 100) < 0.5:
        return f"a ratio is a number: {float(percent) / 100 if percent else 0.95:g}"
    return f"a ratio is a number: {percent} % less is {1 - share:g}, more {1 + share:g}"


def mistake(
    text: str, what: str, token: Token, option: Option, *, hint: str = "", next: str = ""
) -> InputError:
    """A mistake at one place of a condition, shown in it."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return InputError(
        what,
        location=SourceLocation(
            option.name, 0, token.start + 1, shown, width=max(1, len(token.text)), hint=hint
        ),
        next=next or option.example,
    )
