"""An answer in lines: a headline that is read in a few seconds, then a sentence a line. Takes the
text of whoever answers, however long its first sentence is."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_WORDS = 25
_OF_NAME = "\0"
"""Stands for a space inside a system's name, at which no sentence is parted."""


def words_in(text: str) -> int:
    """How many words are read: signs that stand alone, as in "94 %", are none."""
    words = text.replace(_OF_NAME, " ").split()
    return sum(any(letter.isalnum() for letter in word) for word in words)


def is_headline(text: str) -> bool:
    """Whether it is short enough for one."""
    return words_in(text) <= MOST_WORDS


def in_lines(text: str, systems: Sequence[str]) -> list[str]:
    """The headline and the sentences behind it; what the first one has too much follows it. A name
    of one of `systems` is never parted."""
    for name in sorted(systems, key=len, reverse=True):
        found = rf"(?<!\w){re.escape(name)}(?!\w)"
        text = re.sub(found, lambda each: each[0].replace(" ", _OF_NAME), text)
    first, *more = re.split(r"(?<=[.!?]) +", text)
    return [line.replace(_OF_NAME, " ") for line in (*_parted(first, systems), *more)]


def _parted(sentence: str, systems: Sequence[str]) -> list[str]:
    """The sentence; of a long one its first clauses, or as much of its list as is short enough,
    then the rest."""
    if is_headline(sentence):
        return [sentence]
    clauses = sentence.split("; ")
    for many in range(len(clauses) - 1, 0, -1):
        head, rest = "; ".join(clauses[:many]), "; ".join(clauses[many:])
        if is_headline(head):
            return [f"{head}.", begun(rest, systems)]
    for cut in reversed(list(re.finditer(r"\)(?:, and |, | and )|(?=: )", sentence))):
        is_list = sentence[cut.start()] == ")"
        head = sentence[: cut.start() + is_list]
        if is_headline(head):
            rest = sentence[cut.end() :].removeprefix(": ")
            return [f"{head}.", f"Also {rest}" if is_list else begun(rest, systems)]
    return [sentence]


def begun(text: str, systems: Sequence[str]) -> str:
    """A text as a sentence: with a capital, unless a system's name begins it."""
    name = text.replace(_OF_NAME, " ").split(" ", 1)[0].rstrip(",:;")
    is_name = any(each.split(" ", 1)[0] == name for each in systems)
    return text if is_name else text[:1].upper() + text[1:]
