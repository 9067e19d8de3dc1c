"""Command lines of elbencho and IOR as groups, each phase after the one before; of mdtest as what
it is: clients that make, find and remove files.

The command is read, never run. An option that is not in the table of its tool is refused.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import dropwhile, islice, takewhile
from pathlib import PurePath

from fsgauge import kinds
from fsgauge.converting import numbers
from fsgauge.converting.command_line import Line, wrong
from fsgauge.converting.fio import convert_sections
from fsgauge.converting.groups import Converted, Findings, Group, Value, Whole
from fsgauge.converting.job_file import Option, read_command
from fsgauge.errors import InputError
from fsgauge.study.other_tools import tool_called
from fsgauge.units import count, exact_bandwidth, exact_duration, exact_rate, exact_size


def convert_command(command: str) -> Converted:
    """Raises InputError for another program, an unknown option, or one that no group has."""
    command = " ".join(command.replace("\\\n", " ").split())  # of lines that go on, one
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(
            f"the command cannot be read: {error}",
            cause="a quotation mark is open",
            next="quote it whole",
        ) from error
    words = _alone(words)
    if words and PurePath(words[0]).name == "fio":
        return convert_sections(read_command(command, words[1:]), "fio", command)
    name, place = _program(words)
    if not name:
        other = PurePath(words[0]).name if words else "nothing"
        raise InputError(
            f"no command of {other} is known here",
            cause=f"read are command lines of fio, {', '.join(_TOOLS)}",
            next=f"fsgauge explain {other}" if tool_called(other) else "fsgauge study --help",
        )
    line = Line(command, Findings())
    line.tasks = _tasks(words[:place], line.findings)
    line.read(words[place + 1 :], name)
    whole = _TOOLS[name](line)
    line.findings.raise_refusals()
    if not whole and not line.groups:
        raise InputError(f"this {name} does nothing", next=f"{name} --help")
    title = name if whole else f"{name}, {count(len(line.groups), 'phase')}"
    return Converted(title, command, line.groups, line.findings, whole=whole)


_BEFORE = re.compile(r"\w+=.*|sudo|time|env")
_BEHIND = re.compile(r"[\d&]?[<>].*|[|&]")


def _alone(words: list[str]) -> list[str]:
    """Without what a shell does with its output, and what stands before it."""
    several = next((word[-2:] for word in words if word in ("&&", "||") or word[-1:] == ";"), "")
    if several:
        raise InputError(
            f"these are several commands, parted by {several}",
            next="fsgauge study from-command 'COMMAND', for each",
        )
    found = list(dropwhile(_BEFORE.fullmatch, words))
    return list(takewhile(lambda word: not _BEHIND.fullmatch(word), found))


def _program(words: list[str]) -> tuple[str, int]:
    """The tool, and where it stands: first, or what mpirun or srun starts."""
    is_launched = bool(words) and PurePath(words[0]).name in ("mpirun", "mpiexec", "srun")
    for place, word in enumerate(words if is_launched else words[:1]):
        for name in _TOOLS:
            if re.fullmatch(rf"{name}(-[\d.]+)?", PurePath(word).name.lower()):
                return name, place
    return "", 0


_FILE = re.compile(r" --?(?:hostfile|machinefile|f)(?=[ =])")
_NAMES = re.compile(r" --?(?:hosts?|H|w|nodelist)[ =](\S+)")
_NAME = re.compile(r"(?:[^,\[]|\[[^\]]*\])+")
_MOST_NAMES = 100_000
_MPIRUN = ("np|n|c|-np|-n", "ppn|npernode|-ppn|N", "nnodes")
_SRUN = ("n|-ntasks", "-ntasks-per-node|-tasks-per-node", "N|-nodes")
"""How they are told the tasks in all, those of each node, and the nodes."""


def _slots(text: str) -> Counter[str]:
    """The hosts that a launcher names, with the slots of each: "a,b:4", "n[1-3]"."""
    found: Counter[str] = Counter()
    names = _NAME.findall(",".join(_NAMES.findall(text)))
    for each in islice(_expanded(names), _MOST_NAMES):
        host, _, given = each.partition(":")
        found[host] += int(given) if given.isdecimal() else 1
    return found


def _tasks(words: list[str], findings: Findings) -> int:
    """How many a launcher starts: in all, on each node, or one a slot; 0 without a launcher."""
    if not words:
        return 0
    text, names = " ".join(words), _SRUN if PurePath(words[0]).name == "srun" else _MPIRUN
    counts = [re.search(rf" -(?:{each})[ =]?(\d+)(?= |$)", text) for each in names]
    tasks, of_node, nodes = (int(found[1]) if found else 0 for found in counts)
    slots = _slots(text)
    if not (tasks or of_node or slots or nodes) and _FILE.search(text):
        raise InputError(
            f"how many tasks {words[0]} starts stands in its file of hosts",
            cause="a command is read, and no file that it names",
            next=f"{words[0]} -np NUMBER in its place",
        )
    if not tasks and not of_node:
        where = "slot" if slots else "node"
        what = f"{words[0]} does not say how many tasks: here one for each {where} that it names"
        findings.note(words[0], what)
    if nodes > 1 or len(slots) > 1 or _FILE.search(text):
        what = "all tasks are threads of one host; on several, jobs are of each:"
        findings.note(f"{words[0]} names hosts", f"{what} --rig fleet --hosts")
    if of_node:
        return tasks or of_node * (nodes or len(slots) or 1)
    return tasks or slots.total() or nodes or 1


def _elbencho(line: Line) -> None:
    jobs, block = line.number("-t", 1, least=1), line.size("-b", 1 << 20, least=1)
    size_bytes, limit_ns = line.size("-s", 0), line.duration_ns("--timelimit")
    block = min(block, size_bytes or block)  # as elbencho does
    if line.number("--blockvarpct", 100) != 100:
        line.refuse("--blockvarpct", "the nearest are the keys compressible and duplicates")
    is_of_names = line.has("-N") or line.has("-n")
    if is_of_names:
        for name in ("--direct", "--rand", "--backward", "--iodepth", "--rwmixpct"):
            line.refuse(name, "whole files are read and written through the page cache")
        if line.has("--verify"):
            line.note("--verify", "files are read, and what is in them is not compared")
        line.note("-n", "files of a job stand in one folder, and folders are not measured")
    phases = {"-w": ("write", "create"), "--stat": ("stat", "stat"), "-r": ("read", "read_file"),
              "-F": ("delete", "unlink")}  # fmt: skip
    for option, (name, operation) in phases.items():
        if not line.has(option):
            continue
        if not is_of_names and option in ("--stat", "-F"):
            line.note(option, "a phase on large files that is not measured: -n and -N have it")
            continue
        share = line.number("--rwmixpct", 0) if option == "-w" else 0
        mixed = {"write": 100 - share, "read": share} if share else {name: 1}
        weights = {operation: 1} if is_of_names else {each: w for each, w in mixed.items() if w}
        group = line.phase(name, weights, jobs, block)
        limited = {"-w": "--limitwrite", "-r": "--limitread"}.get(option, "")
        if rate := line.size(limited, 0):
            if not is_of_names:
                group.put("bandwidth", exact_bandwidth(rate * jobs))
            elif size_bytes:  # in files, made and removed in turns
                turns = 2 if group.does("unlink") else 1
                group.put("rate", exact_rate(round(turns * rate * jobs / size_bytes, 6)))
            else:
                line.refuse(limited, "empty files have no bytes; the nearest is rate of a group")
            group.put("arrival", "constant")
        group.duration_ns = limit_ns
        if is_of_names:
            count = max(line.number("-n", 1), 1) * line.number("-N", 1)
            group.put_files(count, size_bytes, own=True)
            continue
        _blocks(line, group, share)
        if group is not line.groups[0]:
            group.share_files(line.groups[0], line.findings)
            continue
        if not size_bytes:
            line.note("-s", "how large the files are is not said: 256 MiB")
        each_bytes = size_bytes // block * block or max(256 << 20, block)
        group.put_files(_count_of_files(line) or 1, each_bytes, own=False)
    line.note("--timelimit", "a phase lasts its time, and goes on at the start of the files")


def _count_of_files(line: Line) -> int:
    count = 0
    for path in line.paths:
        count += sum(1 for _ in islice(_expanded([path]), _MOST_NAMES + 1))
        if count > _MOST_NAMES:
            column = line.text.find(path) + 1
            option = Option("path", None, "the command", 0, column, line.text, path)
            wrong(option, f"these are more than {_MOST_NAMES:,} files")
    return count


_BRACKETS = re.compile(r"[\[{]((?:[\w.-]+,)*[\w.-]+)[\]}]")
_SPAN = re.compile(r"(\d+)(?:-|\.\.)(\d+)")


def _expanded(paths: Iterable[str]) -> Iterator[str]:
    """What "file[1-4]", "file{1..4}" and "node[1-3,7]" stand for."""
    for path in paths:
        lists = _BRACKETS.finditer(path)
        several = (found for found in lists if re.search("[-,]|[.]{2}", found[1]))
        if (match := next(several, None)) is None:
            yield path
            continue
        begin, end = path[: match.start()], path[match.end() :]
        for part in match[1].split(","):
            span = _SPAN.fullmatch(part)
            words = map(str, range(int(span[1]), int(span[2]) + 1)) if span else [part]
            yield from _expanded(f"{begin}{word}{end}" for word in words)


def _blocks(line: Line, group: Group, share: int) -> None:
    """Blocks of elbencho: at random in the write phase each once."""
    order = "random" if line.has("--rand") else "backwards" if line.has("--backward") else ""
    group.put("order", order or "sequential")
    if line.has("--rand") and group.does("write") and not share:
        group.put("each_once", True)
    depth = line.number("--iodepth", 1)
    group.put("interface", "libaio" if depth > 1 else "psync")
    if depth > 1:
        group.put("queue_depth", depth)
    group.put("direct", line.has("--direct"))
    if line.has("--verify") and group.does("write") and not share:
        group.put("verify", True)
    elif line.has("--verify") and not line.has("-w"):
        line.refuse("--verify", "what another run wrote is not verified; the nearest is -w as well")


def _ior(line: Line) -> None:
    jobs = line.number("-N", line.tasks or 1, least=1)
    transfer, block = line.size("-t", 1 << 18, least=1), line.size("-b", 1 << 20, least=1)
    segments, own = line.number("-s", 1, least=1), line.has("-F")
    line.require_posix()
    in_turns = segments > 1 and not own and jobs > 1 and not line.has("-z")
    if in_turns and block != transfer:
        why = "blocks of several transfers in turns of the tasks; the nearest is -F, or -b as -t"
        line.refuse("-s", why)
    if block % transfer:
        line.refuse("-b", "a block is whole transfers in IOR; the nearest is a multiple of -t")
    is_check = line.has("-W") and not line.has("-w")
    if is_check:
        line.note("-W", "what is read is not verified")
    reads = line.has("-r") or line.has("-R") or is_check
    asked = [name for name, does in (("write", line.has("-w")), ("read", reads)) if does]
    for name in asked or ("write", "read"):
        group = line.phase(name, {name: 1}, jobs, transfer)
        group.put("order", "random" if line.has("-z") else "strided" if in_turns else "sequential")
        if in_turns:
            group.put("stride", exact_size(jobs * transfer))
        if line.times.get("-z") == 1:
            group.put("each_once", True)
        group.put("interface", "psync")
        group.put("direct", line.has("-B") or line.has("--posix.odirect") or _directives(line))
        if name == "write" and line.has("-Y"):
            group.put("sync", "fsync")
        if name == "write" and line.has("-W"):
            group.put("verify", True)
        if group is not line.groups[0]:
            group.share_files(line.groups[0], line.findings)
        else:
            group.put_files(1, block * segments * (1 if own else jobs), own=own)
        group.duration_ns = line.duration_ns("-D")
    line.note("-D", "a phase lasts its time, and goes on at the start of the file")


def _directives(line: Line) -> bool:
    """Of -O: whether it asks for direct I/O; what it says of output and stonewalls is no load."""
    option, is_direct = line.given.get("-O"), False
    for each in (option.value or "").split(",") if option else ():
        name, _, value = each.partition("=")
        is_direct |= name == "useO_DIRECT" and value == "1"
        if name == "stoneWallingWearOut" and value == "1":
            line.note("-O", "all end at the deadline; fsgauge run metadata-hard has wear-out")
        if not name.startswith(("useO_DIRECT", "summary", "stoneWalling", "save")):
            line.refuse("-O", f"{name}: the nearest is its option of one letter")
    return is_direct


_BYTES_OF_A_NAME = 1 << 10


def _mdtest(line: Line) -> Whole:
    line.require_posix()
    if not line.has("-F"):
        option = line.given.get("-D") or Option("-F", None, "the command", 0, 1, line.text)
        raise option.wrong(
            "making and removing folders is not measured",
            next="add -F: files alone",
            cause="without -F mdtest works on folders, too",
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
    if line.size("-e", size_bytes) != size_bytes:
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
    if line.has("-Y"):
        keys["sync_after"] = [name for name in wanted if name in ("create", "unlink")]
    if line.has("-X"):
        if "read" in wanted:
            keys["verify"] = True
        else:
            line.note("-X", "no file is read")
    if line.has("-R") and wanted != ["create"]:
        keys["order"] = "random"
    if stonewall_ns := line.duration_ns("-W"):
        keys["stonewall"] = exact_duration(stonewall_ns)
    return Whole(kinds.OF_NAMES, keys, items * jobs * (size_bytes + _BYTES_OF_A_NAME))


def _items_of_a_task(line: Line) -> int:
    """-n are all of them; -I as many in each folder of its tree, or in the leaves alone."""
    if items := line.size("-n", 0):
        return items
    tree, at_ends = (line.number("-b", 1), line.number("-z", 0)), line.has("-L")
    try:
        folders = numbers.leaves(*tree) if at_ends else 1 + numbers.folders(*tree)
    except ValueError as error:
        wrong(line.given["-z"], str(error))
    return line.size("-I", 1) * folders


_TOOLS: dict[str, Callable[[Line], Whole | None]] = {
    "elbencho": _elbencho,
    "ior": _ior,
    "mdtest": _mdtest,
}
