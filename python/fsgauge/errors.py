"""Every error a user can meet, as one small tree.

FsgaugeError                 what happened, the likely cause, the next command
├── InputError     exit 2    a study file, an option or a name is wrong; nothing was touched
│   └── RefusedError         the storage holds something that fsgauge did not make
├── RigError       exit 3    the machine, a tool or the engine failed
│   └── FullModelError       a device in a model is full: the same seed fills it again
└── Interrupted    exit 130  the user ended it

What is no error but a verdict has its own exit code (exit_codes.py).
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar, TypeVar

from fsgauge.exit_codes import ExitCode

E = TypeVar("E", bound="FsgaugeError")
NEAR = 0.5
"""How alike two words are, of 1, for one of them to be meant: "randraed" is 0.88 of "randread"."""
_APART = 0.2
"""So much less alike than the nearest, a word was not meant."""


@dataclass(frozen=True)
class SourceLocation:
    """A place in a study file; `line` and `column` count from 1, `width` is what to underline. Line
    0 is an option of the command line: `path` is its name, and no numbers are shown."""

    path: str
    line: int
    column: int
    text: str
    width: int = 1
    hint: str = ""

    def lines(self) -> list[str]:
        """The two lines that show a place: where and what it says, then what is meant."""
        where = f"{self.path}:{self.line}:{self.column}" if self.line else self.path
        head = f"  {where} | "
        hint = f" {self.hint}" if self.hint else ""
        pad = " " * (len(head) - 2) + "| " + " " * (self.column - 1)
        return [head + self.text, pad + "^" * self.width + hint]


def quoted(path: str | PurePath) -> str:
    """A path as a hint's command takes it, whatever characters it has."""
    return shlex.quote(str(path))


class FsgaugeError(Exception):
    """What happened, evidence in more lines, the likely cause, the next command."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED
    ends_again: ClassVar[bool] = False
    """Whether the same study ends the same way again, however often it is resumed."""
    usual_next: ClassVar[str] = ""
    """The next command of an error that is raised without one of its own."""

    def __init__(
        self,
        what: str,
        *,
        details: tuple[str, ...] = (),
        cause: str = "",
        next: str = "",
        location: SourceLocation | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.details = details
        self.cause = cause
        self.next = next or self.usual_next
        self.location = location

    def told_as(self, kind: type[E], what: str = "") -> E:
        """The same as another kind of error, or with other words for what happened."""
        return kind(what or self.what, details=self.details, cause=self.cause, next=self.next)

    @property
    def with_last_words(self) -> str:
        """What happened and the last two lines of the evidence, in one line."""
        return "; ".join(filter(None, (self.what, *self.details[-2:])))

    def render(self) -> str:
        """The words a user reads, several lines, without a trailing newline; what is named in them
        may have characters that cannot be printed, which are escaped."""
        lines = [f"error: {self.what}"]
        if self.location is not None:
            lines += self.location.lines()
        lines += [f"  {detail}" for detail in self.details]
        if self.cause:
            lines.append(f"cause: {self.cause}")
        if self.next:
            lines.append(f"next: {self.next}")
        return "\n".join(map(escaped, lines))


class InputError(FsgaugeError):
    """The user's input is wrong; nothing was touched."""

    exit_code = ExitCode.REFUSED


class RefusedError(InputError):
    """The storage holds something that fsgauge did not make; nothing was touched."""


class RigError(FsgaugeError):
    """The machine, a tool or the engine failed."""

    exit_code = ExitCode.FAILED


class FullModelError(RigError):
    """A device in a model is full: the same seed fills it again.

    `next` has options alone. Who knows the command puts it before them: `has_room_with` are those
    with which there is room, each alone.
    """

    ends_again = True
    has_room_with: tuple[str, ...] = ()

    def repeated(self, command: str) -> None:
        """Let `next` be this command with the first such option; the others in its place."""
        if self.has_room_with:
            self.next = f"{command} {self.next}"


class Interrupted(FsgaugeError):
    """The user ended it; what was measured is kept."""

    exit_code = ExitCode.INTERRUPTED


# Names and words from outside may hold control characters, which move a terminal's cursor,
# characters that turn the order of others round or have no width, and halves of characters.
# `str.isprintable` is false for all of them. It is asked where text leaves.
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


def nearest(word: str, known: Iterable[str], *, most: int = 1, least: float = NEAR) -> list[str]:
    """Of the known words, at most so many that are spelt like this one, the nearest first; none
    that is far from being as near as that."""
    found = difflib.get_close_matches(word, list(known), n=most, cutoff=least)
    alike = [difflib.SequenceMatcher(a=each, b=word).ratio() for each in found]
    return [each for each, ratio in zip(found, alike, strict=True) if ratio >= alike[0] - _APART]


def did_you_mean(near: Sequence[str]) -> str:
    """What stands beside a mistake: "did you mean ...?"; "" where nothing is near."""
    words = " or ".join(f'"{each}"' for each in near)
    return f"did you mean {words}?" if near else ""
