"""Command lines of elbencho and IOR as groups, each phase after the one before; of mdtest as what
it is: clients that make, find and remove files.

The command is read, never run. An option that is not in the table of its tool is refused.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import NoReturn

from fsgauge import kinds
from fsgauge.converting import numbers
from fsgauge.converting.groups import Converted, Findings, Group, Value, Whole
from fsgauge.converting.job_file import Option
from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.units import exact_duration, exact_size

Words = Mapping[str, Option]


def _options(flags: str, values: str) -> dict[str, int]:
    """Names that mean one option, and whether a value follows."""
    return {
        names.replace(",", " "): takes
        for takes, of_kind in ((0, flags), (1, values))
        for names in of_kind.split()
    }


_ELBENCHO = _options(
    "-w,--write -r,--read --direct --rand -d,--mkdirs -D,--deldirs -F,--delfiles --stat --sync"
    " --dropcache --lat --latpercent --lathisto --infloop --allelapsed --nolive --trunc"
    " --trunctosize --preallocfile --cpu",
    "-b,--block -s,--size -t,--threads -N,--files -n,--dirs --iodepth --rwmixpct --timelimit"
    " --verify -i,--iterations --resfile --csvfile --jsonfile --label",
)
_IOR = _options(
    "-w -r -F -z -e -Y -k -C -g -v -B -W -R -u -E -x -Z -m --posix.odirect",
    "-t -b -s -N -D -i -o -Q -a -d -T",
)
_MDTEST = _options(
    "-u -y -C -T -E -r -F -D -t -L -k -v -P -R -X -Y", "-n -I -z -b -w -e -i -d -N -W -a -p -x -G"
)
_LAUNCHERS = ("mpirun", "mpiexec", "srun")


def convert_command(command: str) -> Converted:
    """Raises InputError for another program, an unknown option, or one that no group has."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(
            f"the command cannot be read: {error}",
            cause="a quotation mark is open",
            next="quote it whole",
        ) from error
    tasks = 0
    if words and PurePath(words[0]).name in _LAUNCHERS:
        words, tasks = _launched(words)
    name = PurePath(words[0]).name if words else ""
    tool = next((each for each in _TOOLS if name.startswith(each)), None)
    if tool is None:
        raise InputError(
            f"no command of {name or 'nothing'} is known here",
            cause=f"read are command lines of {', '.join(_TOOLS)}",
            next="fsgauge study from-fio JOB.fio   (of fio: its job file)",
        )
    table, convert = _TOOLS[tool]
    line = _Line(command, _parsed(command, words[1:], table, tool), tasks, Findings())
    made = convert(line)
    if isinstance(made, Whole):
        line.findings.raise_refusals("fsgauge study from-command")
        return Converted(tool, tool=command, groups=[], findings=line.findings, whole=made)
    groups = made
    if not groups:
        raise InputError(f"this {tool} does nothing", next=f"{tool} --help")
    for before, group in pairwise(groups):
        group.put("after", before.name)
        group.after = before.name
    line.findings.raise_refusals("fsgauge study from-command")
    return Converted(
        title=f"{tool}, {len(groups)} phases", tool=command, groups=groups, findings=line.findings
    )


@dataclass(frozen=True)
class _Line:
    """A command with its options by their usual names; `tasks` are those of mpirun, 0 if unsaid."""

    text: str
    options: Words
    tasks: int
    findings: Findings

    def has(self, name: str) -> bool:
        return name in self.options

    def size(self, name: str, usual: int) -> int:
        return self._read(name, numbers.size, usual)

    def number(self, name: str, usual: int) -> int:
        return self._read(name, int, usual)

    def seconds(self, name: str) -> int | None:
        found = self._read(name, int, 0)
        return found * 10**9 or None

    def _read(self, name: str, read: Callable[[str], int], usual: int) -> int:
        option = self.options.get(name)
        if option is None:
            return usual
        try:
            return read(option.value or "")
        except ValueError:
            _wrong(option, f"{name} takes a number, and it is {option.value!r}")

    def refuse(self, name: str, why: str) -> None:
        self.findings.refuse(self.options[name], why)

    def note(self, name: str, text: str) -> None:
        self.findings.note(self.options.get(name), text, name=name)


def _launched(words: list[str]) -> tuple[list[str], int]:
    """What mpirun starts, and how many of it."""
    tasks, place = 1, 1
    while place < len(words) and words[place].startswith("-"):
        if words[place] in ("-n", "-np", "-c", "--np", "--ntasks"):
            tasks = (
                int(words[place + 1])
                if words[place + 1 : place + 2] and words[place + 1].isdecimal()
                else 1
            )
        place += 1 if words[place].startswith("--") and "=" in words[place] else 2
    return words[place:], tasks


def _parsed(text: str, words: list[str], table: Mapping[str, int], tool: str) -> dict[str, Option]:
    names = {each: key.split()[0] for key in table for each in key.split()}
    takes = {key.split()[0]: value for key, value in table.items()}
    found: dict[str, Option] = {}
    place = 0
    while place < len(words):
        word = words[place]
        place += 1
        if not word.startswith("-"):
            continue  # a path
        name, equals, value = (
            word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
        )
        column = max(text.find(word), 0) + 1
        option = Option(names.get(name, name), value or None, "the command", 0, column, text)
        if name not in names:
            near = did_you_mean(nearest(name, names))
            _wrong(option, f"{tool}'s {name} is not known here{': ' + near if near else ''}")
        if takes[names[name]] and not value:
            option = Option(option.name, words[place] if place < len(words) else "", *_rest(option))
            place += 1
        elif not takes[names[name]] and value and not equals:  # -wr: two letters
            words.insert(place, f"-{value}")
        found[option.name] = option
    return found


def _rest(option: Option) -> tuple[str, int, int, str]:
    return option.path, option.line, option.column, option.text


def _wrong(option: Option, what: str) -> NoReturn:
    raise InputError(what, location=option.location(), next="the tool's --help, or leave it out")


def _group(name: str, operations: dict[str, int], jobs: int) -> Group:
    group = Group(name)
    group.put("operations", dict(operations))
    if jobs > 1:
        group.put("jobs", jobs)
    return group


_REMADE = "files are removed and made again for the whole time: read the latency of one of them"


def _of_files(
    line: _Line,
    phases: list[tuple[str, dict[str, int]]],
    jobs: int,
    count: int,
    size_bytes: int,
    block: int,
) -> list[Group]:
    """Phases on files that are used whole, each on files of its own: one removes what it has."""
    groups = []
    for name, operations in phases:
        group = _group(name, operations, jobs)
        group.put("block_sizes", exact_size(block))
        group.put_files(count, size_bytes, own=True)
        if "create" in operations:
            line.note(name, _REMADE)
        groups.append(group)
    return groups


def _elbencho(line: _Line) -> list[Group]:
    jobs, block = line.number("-t", 1), line.size("-b", 1 << 20)
    size_bytes, limit = line.size("-s", 0), line.seconds("--timelimit")
    if line.has("-N") or line.has("-n"):
        wanted = [
            ("write", {"create": 1, "unlink": 1}, "-w"),
            ("stat", {"stat": 1}, "--stat"),
            ("read", {"read_file": 1}, "-r"),
            ("delete", {"unlink": 1, "create": 1}, "-F"),
        ]
        phases = [(name, operations) for name, operations, option in wanted if line.has(option)]
        count = line.number("-n", 1) * line.number("-N", 1)
        if line.has("--direct"):
            line.refuse("--direct", "whole files are read and written through the page cache")
        line.note("-n", "files of a job stand in one folder, and folders are not measured")
        groups = _of_files(line, phases, jobs, count, size_bytes, block)
    else:
        groups = [
            _elbencho_file(line, name, jobs, block) for name in ("-w", "-r") if line.has(name)
        ]
        for place, group in enumerate(groups):
            if place:
                group.share_files(groups[0], line.findings)
            else:
                group.put_files(1, size_bytes // block * block or 256 << 20, own=False)
    for group in groups:
        group.duration_ns = limit
    line.note("--timelimit", "a phase lasts its time, and goes on at the start of the files")
    return groups


def _elbencho_file(line: _Line, name: str, jobs: int, block: int) -> Group:
    share = line.number("--rwmixpct", 0) if name == "-w" else 0
    operations = (
        {"write": 100 - share, "read": share}
        if share
        else {"-w": {"write": 1}, "-r": {"read": 1}}[name]
    )
    group = _group("write" if name == "-w" else "read", operations, jobs)
    group.put("block_sizes", exact_size(block))
    group.put("order", "random" if line.has("--rand") else "sequential")
    depth = line.number("--iodepth", 1)
    group.put("interface", "io_uring" if depth > 1 else "psync")
    if depth > 1:
        group.put("queue_depth", depth)
    group.put("direct", line.has("--direct"))
    if line.has("--verify") and name == "-w" and not share:
        group.put("verify", True)
    return group


def _ior(line: _Line) -> list[Group]:
    jobs = line.number("-N", line.tasks or 1)
    transfer, block, segments = (
        line.size("-t", 1 << 18),
        line.size("-b", 1 << 20),
        line.number("-s", 1),
    )
    own = line.has("-F")
    if line.has("-a") and (line.options["-a"].value or "").upper() not in ("POSIX", "AIO"):
        line.refuse("-a", "files are reached by POSIX calls alone")
    if segments > 1 and not own and jobs > 1 and block != transfer:
        line.refuse(
            "-s",
            "blocks of several transfers in turns of the tasks; the nearest is -F, or -b as -t",
        )
    neither = not any(line.has(each) for each in ("-w", "-r", "-W", "-R"))
    wanted = [("write", line.has("-w") or neither), ("read", line.has("-r") or neither)]
    groups: list[Group] = []
    for name, is_wanted in wanted:
        if not is_wanted:
            continue
        group = _group(name, {name: 1}, jobs)
        group.put("block_sizes", exact_size(transfer))
        group.put("order", "random" if line.has("-z") else "sequential")
        if segments > 1 and not own and jobs > 1 and not line.has("-z"):
            group.put("order", "strided")
            group.put("stride", exact_size(jobs * transfer))
        group.put("interface", "psync")
        group.put("direct", line.has("-B") or line.has("--posix.odirect"))
        if name == "write" and line.has("-Y"):
            group.put("sync", "fsync")
        if name == "write" and line.has("-W"):
            group.put("verify", True)
        if groups:
            group.share_files(groups[0], line.findings)
        else:
            group.put_files(1, block * segments * (1 if own else jobs), own=own)
        group.duration_ns = line.seconds("-D")
        groups.append(group)
    line.note("-D", "a phase lasts its time, and goes on at the start of the file")
    return groups


_BYTES_OF_A_NAME = 1 << 10


def _mdtest(line: _Line) -> Whole:
    if not line.has("-F"):
        option = line.options.get("-D") or Option("-F", None, "the command", 0, 1, line.text)
        line.findings.refuse(
            option, "making and removing folders is not measured; -F is files alone"
        )
    jobs, size_bytes = line.tasks or 1, line.size("-w", 0)
    for name in ("-z", "-b"):
        if line.number(name, 0):
            line.note(name, "all files of a task stand in one folder")
    every = not any(line.has(each) for each in ("-C", "-T", "-E", "-r"))
    phases = {"create": "-C", "stat": "-T", "read": "-E", "unlink": "-r"}
    wanted = [name for name, option in phases.items() if every or line.has(option)]
    if not size_bytes and "read" in wanted:
        wanted.remove("read")
        line.note("-E" if line.has("-E") else "-w", "there is nothing to read in empty files")
    if "create" not in wanted:
        wanted.insert(0, "create")
        line.note("-C", "each turn makes its own files first")
    if line.number("-e", size_bytes) != size_bytes:
        line.note("-e", "files are read whole")
    items = _items_of_a_task(line)
    keys: dict[str, Value] = {
        "operations": wanted,
        "clients": [jobs],
        "folders": ["own" if line.has("-u") else "shared"],
        "entries": [items * jobs],
        "file_sizes": [exact_size(size_bytes)],
    }
    if line.has("-y"):
        keys["fsync"] = True
    if line.has("-R") and wanted != ["create"]:
        keys["order"] = "random"
    if stonewall := line.seconds("-W"):
        keys["stonewall"] = exact_duration(stonewall)
    for name in ("-N", "-x"):
        if line.has(name):
            line.note(name, "not needed: caches are dropped, and files that are there are found")
    return Whole(kinds.OF_NAMES, keys, items * jobs * (size_bytes + _BYTES_OF_A_NAME))


def _items_of_a_task(line: _Line) -> int:
    """-n are all of them; -I as many in each folder of its tree, or in the leaves alone."""
    if line.number("-n", 0):
        return line.number("-n", 0)
    depth, branches = line.number("-z", 0), line.number("-b", 1)
    levels = [depth] if line.has("-L") else range(depth + 1)
    if depth > 64 or branches > 1 << 20:
        _wrong(line.options["-z" if depth > 64 else "-b"], "no tree is so large")
    return line.number("-I", 1) * sum(int(branches**level) for level in levels)


_TOOLS: dict[str, tuple[Mapping[str, int], Callable[[_Line], list[Group] | Whole]]] = {
    "elbencho": (_ELBENCHO, _elbencho),
    "ior": (_IOR, _ior),
    "mdtest": (_MDTEST, _mdtest),
}
