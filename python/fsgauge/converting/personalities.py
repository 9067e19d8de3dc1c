"""A personality of filebench's as groups: each thread is one, its loop of operations are weights.

A thread of filebench does its operations in the order of its loop, a group draws them by weight:
the share of each is the same. What a loop does with one open file becomes one operation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from fsgauge.converting import numbers
from fsgauge.converting.groups import Converted, Findings, Group
from fsgauge.converting.job_file import Option
from fsgauge.errors import InputError
from fsgauge.units import exact_size

_STATEMENT = re.compile(r"^\s*(define\s+\w+|thread|flowop\s+\w+|set|run|eventgen)\b(.*)$")
_ATTRIBUTE = re.compile(r"(\w+)\s*(?:=\s*((?:cvar|randvar)?\([^)]*\)|[^,\s{}]+))?")
_MEAN = re.compile(r"mean:(\d+)")
_WHOLE = {"readwholefile": "read_file", "appendfilerand": "append", "appendfile": "append"}
_PLAIN = {"read": "read", "write": "write", "aiowrite": "write", "statfile": "stat",
          "deletefile": "unlink", "listdir": "list", "fsync": "fsync"}  # fmt: skip
_SILENT = {"closefile", "openfile", "opslimit", "finishoncount", "finishonbytes", "eventlimit"}
_USUAL_IO = "1m"


def is_personality(text: str) -> bool:
    """Whether it is in filebench's language."""
    return bool(re.search(r"^\s*define\s+(fileset|file|process)\b", text, re.MULTILINE))


@dataclass
class _Thread:
    name: str
    jobs: int
    flows: list[tuple[str, dict[str, str], Option]]


def convert_personality(path: Path, text: str) -> Converted:
    """Raises InputError for operations that no group has."""
    findings = Findings()
    reader = _Reader(str(path), findings)
    reader.read(text)
    groups: list[Group] = []
    for thread in reader.threads:
        groups.append(_group(reader, thread, groups))
    if not groups:
        raise InputError(f"{path} has no thread", next="filebench -f FILE")
    findings.raise_refusals("fsgauge study from-fio")
    findings.note(
        None, "operations are drawn by their weights, in filebench they follow the loop", "order"
    )
    findings.note(None, "files of a group stand in one folder", "dirwidth")
    return Converted(path.name, "filebench", groups, findings)


class _Reader:
    """Statements one by one, with variables in their places."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.path = path
        self.findings = findings
        self.variables: dict[str, str] = {}
        self.filesets: dict[str, dict[str, str]] = {}
        self.threads: list[_Thread] = []
        self.owners: dict[str, Group] = {}
        self.processes = 1
        self.duration_ns: int | None = None

    def read(self, text: str) -> None:
        """A statement that ends with a comma goes on in the next line."""
        joined = re.sub(r",[ \t]*\n\s*", ", ", text)
        for number, line in enumerate(joined.splitlines(), start=1):
            bare = line.split("#")[0]
            at = Option("", None, self.path, number, 1, line.strip())
            for piece in re.split(r"[{}]", bare):
                if match := _STATEMENT.match(piece):
                    self._statement(match[1].split(), match[2], at)

    def _statement(self, words: list[str], rest: str, at: Option) -> None:
        if words[0] == "set":
            name, _, value = rest.strip().lstrip("$").partition("=")
            self.variables[name.strip()] = value.strip()
            return
        if words[0] == "run":
            seconds = self.value(rest.strip() or "60")
            self.duration_ns = int(seconds) * 10**9 if seconds.isdecimal() else None
            return
        given = {match[1]: self.value(match[2] or "1") for match in _ATTRIBUTE.finditer(rest)}
        name = given.get("name", words[-1])
        if words[0] == "define" and words[1] in ("fileset", "file"):
            self.filesets[name] = given
        elif words[0] == "define" and words[1] == "process":
            self.processes = self.number(given.get("instances", "1"), at)
        elif words[0] == "thread":
            jobs = self.processes * self.number(given.get("instances", "1"), at)
            self.threads.append(_Thread(name, jobs, []))
        elif words[0] == "flowop" and self.threads:
            option = Option(words[1], None, self.path, at.line, 1, at.text)
            self.threads[-1].flows.append((words[1], given, option))

    def value(self, text: str) -> str:
        """With the variable that it names, of a distribution its mean."""
        found = self.variables.get(text.lstrip("$"), text) if text.startswith("$") else text
        if mean := _MEAN.search(found):
            self.findings.note(
                None, "sizes are drawn around this mean; here all have it", "cvar-gamma"
            )
            return mean[1]
        return found.strip('"')

    def number(self, text: str, at: Option) -> int:
        """A whole number, with k, m or g."""
        try:
            return numbers.size(text.removesuffix("b"))
        except ValueError:
            _wrong(at, f"{text!r} is no number: set it in the file")


def _wrong(at: Option, what: str) -> NoReturn:
    raise InputError(what, location=at.location(), next="set the variable in the personality")


def _group(reader: _Reader, thread: _Thread, earlier: list[Group]) -> Group:
    names = {group.name for group in earlier}
    name = re.sub(r"[^A-Za-z0-9_ -]+", "-", thread.name)[:40]
    group = Group(name if name not in names else f"{name} {len(earlier) + 1}")
    operations, sizes = _operations(reader, thread)
    if not operations:
        raise InputError(
            f"the thread {thread.name} does nothing that a group has", next="see the guide"
        )
    group.put("operations", dict(operations))
    size = max(sizes, default=numbers.size(_USUAL_IO))
    group.put("block_sizes", exact_size(size))
    group.put("interface", "psync")
    if thread.jobs > 1:
        group.put("jobs", thread.jobs)
    flows = [given for _, given, _ in thread.flows]
    if set(operations) <= {"read", "write"}:
        group.put("order", "random" if any("random" in each for each in flows) else "sequential")
    if any("dsync" in each for each in flows) and "write" in operations:
        group.put("sync", "dsync")
    group.put(
        "direct", any("directio" in each for each in flows) and set(operations) <= {"read", "write"}
    )
    _files(reader, thread, group, size)
    group.duration_ns = reader.duration_ns
    return group


def _operations(reader: _Reader, thread: _Thread) -> tuple[dict[str, int], list[int]]:
    """Weights, and the sizes of their blocks."""
    found: dict[str, int] = {}
    sizes: list[int] = []
    makes = any(kind == "createfile" for kind, _, _ in thread.flows)
    for kind, given, option in thread.flows:
        if kind == "createfile":
            name = "create"
        elif kind == "writewholefile":
            name = "" if makes else "write_file"
        elif kind in _SILENT:
            name = ""
        else:
            name = _WHOLE.get(kind, _PLAIN.get(kind, kind))
            if kind not in _WHOLE and kind not in _PLAIN:
                reader.findings.refuse(option, "no operation of a group; see the guide for those")
        if name:
            times = reader.number(given.get("iters", "1"), option)
            found[name] = found.get(name, 0) + times
        if "iosize" in given and name:
            sizes.append(reader.number(given["iosize"], option))
    return found, sizes


def _files(reader: _Reader, thread: _Thread, group: Group, block: int) -> None:
    """Those of the fileset that its first operation names; of an earlier group, if it has them."""
    used = [given.get("filesetname", given.get("filename", "")) for _, given, _ in thread.flows]
    name = next((each for each in used if each in reader.filesets), "")
    if name in reader.owners:
        group.share_files(reader.owners[name], reader.findings)
        return
    fileset: Mapping[str, str] = reader.filesets.get(name, {})
    at = thread.flows[0][2]
    count = reader.number(fileset.get("entries", "1"), at)
    size = reader.number(fileset.get("size", fileset.get("filesize", "16k")), at)
    each = max(size, block) // block * block if group.is_plain else size
    group.put_files(count, each, own=False)
    reader.owners[name] = group
