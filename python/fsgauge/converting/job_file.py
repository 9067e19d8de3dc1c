"""A job file of fio's, read as fio 3.33 reads it: sections, [global], includes, variables.

Gives sections with their options, each with its file, line and column; of an option its names are
known here, and nothing that a file names is run. fio computes with bc(1) in a shell where a value
has an operator outside of parentheses: such a value stays as it is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from fsgauge.converting import numbers
from fsgauge.converting.fio_options import by_name, canonical, listed
from fsgauge.errors import InputError, SourceLocation, quoted
from fsgauge.plain_files import read_named

LARGEST_BYTES = 4 << 20
MOST_INCLUDES = 16
"""One inside the other: fio has no bound, and a file that includes itself no end."""
MOST_LINES = 5_000
"""With those of included files, each time that one is."""
MOST_JOBS = 1000
"""Each has all that [global] gave it; a study has fewer groups."""
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SECTION = re.compile(r"\[(.*)\][^\]]*")
GLOBAL = "global"
_AS_WRITTEN = {"filename", "directory", "wait_for", "buffer_pattern", "verify_pattern"}
"""Options whose values are no numbers where they have digits alone."""
OF_BARE_US = {
    "runtime": 10**6, "ramp_time": 10**6, "startdelay": 10**6, "steadystate_duration": 10**6,
    "thinktime": 1, "latency_target": 1, "latency_window": 1,
}  # fmt: skip
"""Options whose values are times, and the microseconds of one without a unit."""


@dataclass(frozen=True)
class Option:
    """One line: `value` is None where it has no "=". `text` is the line without its blanks; of
    several in a line, `word` is this one and `text` all of it, with the blanks."""

    name: str
    value: str | None
    path: str
    line: int
    column: int
    text: str
    word: str = ""

    def location(self, hint: str = "") -> SourceLocation:
        shown = self.text if self.word else " " * (self.column - 1) + self.text
        width = len(self.word or self.text) or 1
        return SourceLocation(self.path, self.line, self.column, shown, width, hint)

    def wrong(self, what: str, next: str, cause: str = "", hint: str = "") -> InputError:
        return InputError(what, location=self.location(hint), cause=cause, next=next)

    @property
    def written(self) -> str:
        """ "bs=4k"; of a switch its name."""
        return self.name if self.value is None else f"{self.name}={self.value}"

    @property
    def cited(self) -> str:
        """ "job.fio:3 bs=4k   # as it is written"."""
        return f"{self.place} {self.word or self.text.strip()}"

    @property
    def place(self) -> str:
        """ "job.fio:3"."""
        return f"{Path(self.path).name}:{self.line}" if self.line else self.path

    @property
    def key(self) -> tuple[str, int, str]:
        """What tells it from all others: a line of a command, or of one file, may have several."""
        return self.path, self.line, self.name


def joined_lines(text: str, bare: Callable[[str], str]) -> list[tuple[int, str]]:
    """What is `bare` of each line, with its number: one that ends with a comma goes on in the
    next that has something."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(map(bare, text.splitlines()), start=1):
        if line and found and found[-1][1].endswith(","):
            found[-1] = found[-1][0], found[-1][1] + line
        elif line:
            found.append((number, line))
    return found


@dataclass(frozen=True)
class Section:
    """A job, with what [global] gave it before: the last of two equal options counts."""

    name: str
    options: Mapping[str, Option]
    head: Option


def read_job_file(path: Path) -> list[Section]:
    """Every job in the file's order; InputError with line and column for what fio refuses."""
    return _sections(_lines(path, 0, count(1)), str(path))


def read_command(command: str, words: Sequence[str]) -> list[Section]:
    """The same of a command line, of which these are the words behind fio."""
    return _sections(_words(command, words), "the command")


def _sections(given: Iterable[Option], where: str) -> list[Section]:
    defaults: dict[str, Option] = {}
    found: list[tuple[Option, dict[str, Option]]] = []
    said: dict[str, Option] = {}
    is_global = False
    for option in given:
        if option.value is None and option.name.startswith("["):
            name, said = option.name[1:], {}
            is_global = name.startswith(GLOBAL)
            if not is_global:
                if len(found) == MOST_JOBS:
                    raise _too_many(option, f"{MOST_JOBS:,} jobs")
                found.append((option, dict(defaults)))
        elif is_global or found:
            options = defaults if is_global else found[-1][1]
            _require_one(option, said, options.get("kb_base"))
            before = options.pop(option.name, None)  # the last one given stands last
            if option.name == "filename" and before and before.value and option.value:
                option = replace(option, value=f"{before.value}:{option.value}")
            options[option.name] = option
        else:
            raise option.wrong(
                f'"{option.name}" stands before the first section',
                next="write [global] above it",
                cause="fio takes options below a [name] alone",
            )
    if not found:
        raise InputError(
            f"{where} has no job",
            cause="it has no section besides [global]; a job is a [name], or a --name=",
            next="fio --cmdhelp",
        )
    return [Section(head.name[1:], options, head) for head, options in found]


def _lines(path: Path, depth: int, lines: Iterator[int]) -> Iterator[Option]:
    """Options and heads of sections ("[name" without a value); of included files, options."""
    text = read_named(path, LARGEST_BYTES).decode("utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        shown = line.strip()
        bare = re.split(r"[;#]", line, maxsplit=1)[0].rstrip()
        column = len(bare) - len(bare.lstrip()) + 1
        bare = bare.strip()
        if not bare:
            continue
        at = Option("", None, str(path), number, column, shown)
        if next(lines) > MOST_LINES:
            raise _too_many(at, f"{MOST_LINES:,} lines, with those of included files")
        head = _SECTION.fullmatch(bare)
        if head is not None and depth:
            raise at.wrong(
                "an included file has a section",
                next="move the section to the file that includes this one",
                cause="fio takes options alone from a file that is included",
            )
        if head is not None:
            yield replace(at, name=f"[{head[1]}")
        elif re.match(r"include\s", bare):
            there = _included(path, bare[len("include") + 1 :].strip(), at, depth)
            yield from _lines(there, depth + 1, lines)
        else:
            name, equals, value = bare.partition("=")
            given = _expanded(value.strip(), at) if equals else None
            yield replace(at, name=name.strip(), value=given)


def _words(command: str, words: Sequence[str]) -> Iterator[Option]:
    """The same of a command: options before its first --name are those of [global]."""
    at = Option(f"[{GLOBAL}", None, "the command", 0, 1, command, "fio")
    given, begin = [at], 0
    for word in words:
        name, equals, value = word.partition("=")
        begin = max(command.find(name, begin + 1), begin)
        here = replace(at, column=begin + 1, word=word, value=None)
        if word.startswith("-"):
            at = replace(here, name=name.lstrip("-"), value=value if equals else None)
            given.append(at)
        elif at.value is None and len(given) > 1 and at.name not in listed("alone"):
            given[-1] = at = replace(at, value=word)
        else:
            raise here.wrong(
                f"{word} is no option, but a job file",
                next=f"fsgauge study from-fio {quoted(word)}   (with the options in its [global])",
            )
    for option in given:
        if option.name == "name":
            yield replace(option, name=f"[{option.value}", value=None)
        elif option.name not in listed("of_output"):
            yield replace(option, value=option.value and _expanded(option.value, option))


def _included(path: Path, name: str, at: Option, depth: int) -> Path:
    there = Path(name)
    if not there.exists():
        there = path.parent / name
    if depth >= MOST_INCLUDES or not there.exists():
        raise at.wrong(
            f"{name} cannot be included",
            next="mend the include line",
            cause=f"files include one another {MOST_INCLUDES} deep: one includes itself"
            if depth >= MOST_INCLUDES
            else "it is neither here nor in the folder of the job file",
        )
    return there


def _expanded(value: str, at: Option) -> str:
    """With variables in their places; InputError for one that fio would take for nothing."""
    for name in _VARIABLE.findall(value):
        if not os.environ.get(name):
            raise at.wrong(
                f"the variable {name} is not set",
                next=f"export {name}=VALUE, and the same again",
                cause="fio would read it as nothing, and the job says nothing of its value",
            )
    found = _VARIABLE.sub(lambda match: os.environ[match[1]], value)
    for word, number in _KEYWORDS.items():
        if word in found:
            found = _computed(found.replace(word, str(number())), at)
    return found


def _require_one(option: Option, said: dict[str, Option], kb_base: Option | None) -> None:
    """InputError where the section has `said` otherwise in the same file, by any of its names."""
    name = canonical().get(option.name, option.name)
    before, known = said.get(name, option), by_name().get(name)
    said[name] = option
    if before.path != option.path or known is None or known.fate == "meaningless":
        return
    base = 1000 if kb_base is not None and kb_base.value == "1000" else 1024
    one, other = (_meant(name, each.value or "1", base) for each in (before, option))
    if one != other and name != "filename":  # fio takes the files of both
        raise contradiction(before, option)


def _meant(name: str, text: str, kb_base: int) -> str | int | list[int]:
    """A value however it is spelt: 4k is 4096."""
    if name in _AS_WRITTEN:
        return text
    try:
        if name in OF_BARE_US:
            return numbers.time_ns(text, of_bare_us=OF_BARE_US[name])
        return [numbers.size(each, kb_base) for each in numbers.by_direction(text)]
    except ValueError:
        return text


def contradiction(first: Option, last: Option) -> InputError:
    """The error for two lines of one section that set an option to different values."""
    return last.wrong(
        f"{last.written} contradicts {first.place} {first.written}",
        next="leave one out" + (f": line {first.line} or {last.line}" if last.line else ""),
        cause="fio takes the last of them, and says nothing of it",
    )


def _too_many(at: Option, what: str) -> InputError:
    return at.wrong(
        f"the job has more than {what}",
        next=f"a job of its own for each part: grep -n '^\\[' {quoted(at.path)}",
        cause="a program wrote it, or a file is included again and again",
    )


_KEYWORDS: dict[str, Callable[[], int]] = {
    "$pagesize": lambda: os.sysconf("SC_PAGE_SIZE"),
    "$mb_memory": lambda: os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
    "$ncpus": lambda: os.cpu_count() or 1,
}


def _computed(text: str, at: Option) -> str:
    """What fio asks bc for: whole numbers, a division without its rest."""
    if re.fullmatch(r"\d+\w*", text):
        return text
    try:
        return str(numbers.size(f"({text.replace('/', '//')})"))
    except ValueError:
        raise at.wrong(
            f'"{text}" is not computed here',
            next="write the number",
            cause="fio asks bc in a shell; here whole numbers with + - * / are taken",
        ) from None
