"""A command line of another tool: its options by their usual names, numbers, and its paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from fsgauge.converting import numbers
from fsgauge.converting.fio_options import Fate, of_each
from fsgauge.converting.groups import ALIKE, Findings, Group
from fsgauge.converting.job_file import Option
from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.other_tools import table_of_words
from fsgauge.units import exact_size


def _options_of(
    tool: str,
) -> tuple[dict[str, str], dict[str, bool], dict[str, tuple[Fate, str]]]:
    """The usual name of each option, whether it takes a value, the fate of some and why it is
    that."""
    table = table_of_words()[tool]["command"]
    alike = {key: [each.split(",") for each in table[key].split()] for key in ("flags", "values")}
    names = {name: found[0] for all_ in alike.values() for found in all_ for name in found}
    takes = {found[0]: key == "values" for key, all_ in alike.items() for found in all_}
    fates: dict[str, tuple[Fate, str]] = {}
    for fate in ("noted", "refused"):
        fates |= {name: (fate, why) for name, why in of_each(table[fate]).items()}
    return names, takes, fates


@dataclass
class Line:
    """A command with its options and paths; `tasks` are those of mpirun, 0 if unsaid."""

    text: str
    findings: Findings
    tasks: int = 0
    given: dict[str, Option] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    paths: list[str] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def read(self, words: list[str], tool: str) -> None:
        """Take each option as its table has it; raises InputError for an unknown one."""
        names, takes, fates = _options_of(tool)
        end = max(self.text.lower().find(tool), 0)
        left = words[::-1]
        while left:
            word = left.pop()
            begin = self.text.find(word, end)
            begin, end = (begin, begin + len(word)) if begin >= 0 else (end, end)
            if not word.startswith("-") or word == "-":
                self.paths.append(word)
                continue
            name, equals, value = word[:2], "", word[2:].removeprefix("=")  # IO500 has -t=4096
            if word.startswith("--"):
                name, equals, value = word.partition("=")
            usual = names.get(name, name)
            option = Option(usual, value or None, "the command", 0, begin + 1, self.text, word)
            takes_value = takes.get(usual)
            if takes_value is None:
                near = nearest(name, names, least=ALIKE)
                hint = f": {did_you_mean(near)}" if near else ""
                wrong(option, f"{tool}'s {name} is not known here{hint}")
            if takes_value and not value:
                option = replace(option, value=left.pop() if left else "")
            elif not takes_value and equals:
                wrong(option, f"{name} takes no value, and it is {value!r}")
            elif not takes_value and value:  # -wr: two letters
                left.append(f"-{value}")
                end = begin + 1
            self.given[usual] = option
            self.times[usual] += 1
            if usual in fates:
                self.findings.take(option, *fates[usual])

    def has(self, name: str) -> bool:
        return name in self.given

    def size(self, name: str, usual: int, *, least: int = 0) -> int:
        return self._read(name, numbers.binary_size, usual, least)

    def number(self, name: str, usual: int, *, least: int = 0) -> int:
        return self._read(name, int, usual, least)

    def duration_ns(self, name: str) -> int | None:
        return self.number(name, 0) * 10**9 or None

    def _read(self, name: str, read: Callable[[str], int], usual: int, least: int) -> int:
        option = self.given.get(name)
        if option is None:
            return usual
        try:
            found = read(option.value or "")
        except ValueError:
            wrong(option, f"{name} takes a number, and it is {option.value!r}")
        if found < least:
            wrong(option, f"{name} is at least {least}, and it is {option.value}")
        return found

    def refuse(self, name: str, why: str) -> None:
        if self.has(name):
            self.findings.refuse(self.given[name], why)

    def note(self, name: str, text: str) -> None:
        self.findings.note(self.given.get(name, name), text)

    def require_posix(self) -> None:
        """Files are reached as through a mount, whatever library a tool could use instead."""
        if self.has("-a") and (self.given["-a"].value or "").upper() != "POSIX":
            self.refuse("-a", "files are reached by POSIX calls alone; the nearest is -a POSIX")

    def phase(self, name: str, operations: Mapping[str, int], jobs: int, block: int) -> Group:
        """The next group, behind the one before."""
        group = Group(name)
        group.put_operations(operations, self.findings)
        if self.groups:
            group.follow(self.groups[-1])
        group.put_jobs(jobs)
        group.put("block_sizes", exact_size(block))
        self.groups.append(group)
        return group


def wrong(option: Option, what: str) -> NoReturn:
    raise option.wrong(what, next="the tool's --help, or leave it out")
