"""A personality of filebench's as groups: each thread is one, its loop of operations are weights.

A thread of filebench does its operations in the order of its loop, a group draws them by weight:
the share of each is the same. What a loop does with one open file becomes one operation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fsgauge.converting import numbers
from fsgauge.converting.fio_options import of_each
from fsgauge.converting.groups import Converted, Findings, Group, free_name
from fsgauge.converting.job_file import Option, joined_lines
from fsgauge.errors import InputError, quoted
from fsgauge.study.other_tools import table_of_words
from fsgauge.units import exact_size

_STATEMENT = re.compile(
    r"^\s*(define\s+\w+|thread|flowop\s+\w+|set|run|psrun|eventgen|system)\b(.*)$"
)
_ATTRIBUTE = re.compile(r"(\$?\w+)\s*(?:=\s*((?:cvar|randvar)?\([^)]*\)|[^,\s{}]+))?")
_MEAN = re.compile(r"mean:(\d+)")
_TABLE = table_of_words()["filebench"]["files"]
_IN_PLACE: dict[str, str] = _TABLE["in_place"]
_WITH_DATA: dict[str, str] = {**_TABLE["whole"], **_IN_PLACE}
_KNOWN = {**_WITH_DATA, **_TABLE["without_data"]}
_REFUSED = of_each(_TABLE["refused"])
_OPENING = ("openfile", "closefile")
_OPENED_BY = ("openfile", "createfile")
_ENDING = ("finishoncount", "finishonbytes")
_LIMITS = ("opslimit", "eventlimit", "iopslimit", "bwlimit")
_USUAL_BYTES = 1 << 20


def is_personality(text: str) -> bool:
    return bool(re.search(r"^\s*define\s+(fileset|file|process)\b", text, re.MULTILINE))


@dataclass
class _Thread:
    name: str
    jobs: int
    at: Option
    flows: list[tuple[str, dict[str, str], Option]] = field(default_factory=list)


def convert_personality(path: Path, text: str, without: frozenset[str] = frozenset()) -> Converted:
    """Raises InputError for operations that no group has."""
    findings = Findings(without)
    reader = _Reader(str(path), findings)
    reader.read(text)
    if not reader.threads:
        raise InputError(f"{path} has no thread", next=f"filebench -f {quoted(path)}")
    groups: list[Group] = []
    for thread in reader.threads:
        groups.append(_group(reader, thread, [group.name for group in groups]))
    findings.raise_refusals(f"fsgauge study from-fio {quoted(path)}")
    what = "operations are drawn by their weights, in filebench they follow the loop"
    findings.note("order", what)
    findings.note("dirwidth", "files of a group stand in one folder")
    return Converted(path.name, "filebench", groups, findings)


@dataclass
class _Reader:
    """Statements one by one, with variables in their places."""

    path: str
    findings: Findings
    variables: dict[str, str] = field(default_factory=dict)
    filesets: dict[str, tuple[Mapping[str, str], Option]] = field(default_factory=dict)
    threads: list[_Thread] = field(default_factory=list)
    owners: dict[str, Group] = field(default_factory=dict)
    processes: int = 1
    has_rate: bool = False
    is_defining: bool = False
    duration_ns: int | None = None

    def read(self, text: str) -> None:
        for number, line in joined_lines(text, lambda each: each.split("#")[0].rstrip()):
            column = 1
            for piece in re.split(r"[{}]", line):
                if match := _STATEMENT.match(piece):
                    begin = column + len(piece) - len(piece.lstrip())
                    words = match[1].split()
                    at = Option(words[0], None, self.path, number, begin, line, piece.strip())
                    self._statement(words, match[2], at)
                column += len(piece) + 1

    def _statement(self, words: list[str], rest: str, at: Option) -> None:
        if words[0] == "set":
            name, value = (each.strip() for each in rest.partition("=")[::2])
            self.variables[name.lstrip("$")] = self.variables.get(value.removeprefix("$"), value)
            return
        if words[0] in ("run", "psrun"):
            given_s = rest.split()[words[0] == "psrun" :]  # behind its period
            seconds = self.value((given_s or ["60"])[0])
            self.duration_ns = int(seconds) * 10**9 if seconds.isdecimal() else None
            return
        if words[0] == "system":
            self.findings.note(at, "a command of a shell is never run")
            return
        given = {match[1]: self.value(match[2] or "1") for match in _ATTRIBUTE.finditer(rest)}
        self.has_rate |= words[0] == "eventgen" and given.get("rate", "0") != "0"
        name = given.get("name", words[-1])
        if words[0] == "define":
            self.is_defining = words[1] == "flowop"
            self._definition(words[1], name, given, at)
        elif words[0] == "thread":
            jobs = self.processes * self.number(given.get("instances", "1"), at)
            self.threads.append(_Thread(name, jobs, at))
        elif words[0] == "flowop" and self.threads and not self.is_defining:
            self.threads[-1].flows.append((words[1], given, replace(at, name=words[1])))

    def _definition(self, kind: str, name: str, given: dict[str, str], at: Option) -> None:
        if kind in ("fileset", "file"):
            self.filesets[name] = given, at
        elif kind == "process":
            self.processes = self.number(given.get("instances", "1"), at)
        elif kind == "randvar":
            mean = f"mean:{self.number(given['mean'], at)}" if "mean" in given else ""
            self.variables[name.lstrip("$")] = mean or "randvar(...)"

    def value(self, text: str) -> str:
        """With the variable that it names, of a distribution its mean."""
        found = self.variables.get(text.lstrip("$"), text) if text.startswith("$") else text
        if mean := _MEAN.search(found):
            self.findings.note("cvar-gamma", "sizes are drawn around this mean; here all have it")
            return mean[1]
        return found.strip('"')

    def number(self, text: str, at: Option) -> int:
        """A whole number, with k, m or g."""
        try:
            return numbers.size(text.removesuffix("b"))
        except ValueError:
            if "var(" in text:
                error = at.wrong(f"{text} is drawn, and has no mean", "write a number in its place")
            else:
                error = at.wrong(f"{text!r} is no number", "set the variable in the personality")
            raise error from None


def _group(reader: _Reader, thread: _Thread, taken: list[str]) -> Group:
    group = Group(free_name(thread.name, taken))
    operations, sizes = _operations(reader, thread)
    if not operations:
        reader.findings.raise_refusals(f"fsgauge study from-fio {quoted(reader.path)}")
        raise thread.at.wrong(f"the thread {thread.name} does nothing", "give it a flowop")
    group.put_operations(operations, reader.findings, thread.at)
    size = _block(reader, thread, sizes)
    group.put("block_sizes", exact_size(size))
    group.put("interface", "psync")
    group.put_jobs(thread.jobs)
    asked = {key: _asked(reader, thread, group, key) for key in ("random", "dsync", "directio")}
    if group.is_plain:
        group.put("order", "random" if asked["random"] else "sequential")
        if any(kind == "openfile" for kind, _, _ in thread.flows):
            reader.findings.note(replace(thread.at, name="openfile"), "its files stay open")
    if asked["dsync"]:
        group.put("sync", "dsync")
    group.put("direct", asked["directio"])
    _files(reader, thread, group, size)
    group.duration_ns = reader.duration_ns
    return group


def _asked(reader: _Reader, thread: _Thread, group: Group, key: str) -> bool:
    """Whether its blocks are moved so, all of them; what opens a file says it for all."""
    of, otherwise = _TABLE["asked"][key]["of"], _TABLE["asked"][key]["else"]
    found = [
        (name, given.get(key) in ("1", "true"), option)
        for kind, given, option in thread.flows
        if (name := _WITH_DATA.get(kind)) in of
    ]
    is_opened = key != "random" and any(
        given.get(key) in ("1", "true") for kind, given, _ in thread.flows if kind in _OPENED_BY
    )
    asking = [(name, option) for name, is_asked, option in found if is_asked or is_opened]
    is_written = key == "dsync" and {name for name, _ in asking} == {"write"}
    if asking and len(asking) < len(found):
        why = f"all blocks of a thread are {key}, or none; the nearest is a thread for each"
        reader.findings.refuse(replace(asking[0][1], name=key), why)
    elif found and not (group.is_plain or is_written or (key == "random") is bool(asking)):
        why = f"next to operations on names blocks {otherwise}; the nearest are two threads"
        reader.findings.refuse(replace(found[0][2], name=key), why)
    return bool(asking) and key not in reader.findings.without


def _operations(reader: _Reader, thread: _Thread) -> tuple[dict[str, int], dict[str, int]]:
    """Weights, and the sizes that operations move at a time."""
    found: dict[str, int] = {}
    sizes: dict[str, int] = {}
    kinds = {kind for kind, _, _ in thread.flows} - {*_ENDING}
    for kind, given, option in thread.flows:
        name = _KNOWN.get(kind, "open" if kind == "openfile" and kinds <= set(_OPENING) else "")
        if kind in _ENDING:
            reader.findings.note(option, "a run lasts its time, not a number of operations")
        elif not name and kind not in _OPENING and (kind not in _LIMITS or reader.has_rate):
            why = "the file defines it; the nearest is what it does, in the thread itself"
            reader.findings.refuse(option, _REFUSED.get(kind, why))
        if reader.number(given.get("workingset", "0"), option):
            why = "offsets are drawn from the whole file; the nearest is a smaller file"
            reader.findings.refuse(replace(option, name="workingset"), why)
        if kind == "createfile" and "writewholefile" not in kinds:
            reader.findings.note(option, "it is written whole; filebench makes an empty file")
        if not name or (kind == "writewholefile" and "createfile" in kinds):
            continue
        found[name] = found.get(name, 0) + reader.number(given.get("iters", "1"), option)
        if "iosize" in given:
            size = reader.number(given["iosize"], option)
            if kind in _IN_PLACE and sizes.setdefault(name, size) != size:
                why = "blocks of several sizes; the nearest is a thread for each"
                reader.findings.refuse(option, why)
            sizes[name] = size
    least = math.gcd(*found.values()) or 1
    return {name: times // least for name, times in found.items()}, sizes


def _block(reader: _Reader, thread: _Thread, sizes: Mapping[str, int]) -> int:
    """That of what is read, written or appended at a place; of whole files, their pieces."""
    in_place = {size for name, size in sizes.items() if name in _IN_PLACE.values()}
    if len(in_place) > 1:
        why = "blocks of several sizes; the nearest is a thread for each"
        reader.findings.refuse(thread.at, why)
    found = max(in_place or set(sizes.values()), default=_USUAL_BYTES)
    if set(sizes.values()) - {found}:
        what = f"whole files are read and written in pieces of {exact_size(found)}, too"
        reader.findings.note(replace(thread.at, name="iosize"), what)
    if "append" in sizes and any(kind == "appendfilerand" for kind, _, _ in thread.flows):
        what = f"each append is of {exact_size(found)}; in filebench that is the most"
        reader.findings.note(replace(thread.at, name="appendfilerand"), what)
    return found


def _files(reader: _Reader, thread: _Thread, group: Group, block: int) -> None:
    """Those of the fileset that its first operation names; of an earlier group, if it has them."""
    used = [given.get("filesetname", given.get("filename", "")) for _, given, _ in thread.flows]
    names = list(dict.fromkeys(each for each in used if each in reader.filesets))
    name = names[0] if names else ""
    if len(names) > 1:
        what = f"all that it does is on the files of {name}, not of {', '.join(names[1:])}"
        reader.findings.note(replace(thread.at, name="filesetname"), what)
    if name in reader.owners:
        group.share_files(reader.owners[name], reader.findings)
        return
    fileset, at = reader.filesets.get(name, ({}, thread.at))
    count = reader.number(fileset.get("entries", "1"), at)
    size = reader.number(fileset.get("size", fileset.get("filesize", "16k")), at)
    each = max(size, block) // block * block if group.is_plain else size
    group.put_files(count, each, own=False, sources=[at])
    reader.owners[name] = group
