"""`study from-fio --check`: job and study in small, both under strace, request by request.

What a job draws (kinds, sizes, offsets) does not depend on how requests are submitted, so both run
with pread and pwrite, one at a time, for some seconds on small files in the page cache. strace sees
each call with its file, on any Linux, without root. Paces and rests are left out: they say when,
not what.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fsgauge import kinds
from fsgauge.converting.fio import convert_fio
from fsgauge.converting.job_file import read_job_file
from fsgauge.converting.study_text import study_text
from fsgauge.errors import InputError, RigError
from fsgauge.exit_codes import ExitCode
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.programs.starting import interpreter

SECONDS = 3
FILE_BYTES = 4 << 20
PARTS = 10
"""Into which a file is divided: a request is in one of them."""
ALLOWED = 0.05
"""How far two shares may be apart beyond what chance does in one of ten thousand cases."""
_CHANCE = 3.9
LEFT_OUT = {
    "rate", "rate_iops", "rate_min", "ratemin", "rate_iops_min", "rate_process", "thinktime",
    "thinktime_blocks", "startdelay", "ramp_time", "runtime", "timeout", "time_based", "iodepth",
    "iodepth_batch", "iodepth_batch_submit", "ioengine", "direct", "buffered", "size", "filesize",
    "io_size", "io_limit", "loops", "number_ios", "filename", "directory", "filename_format",
    "verify", "do_verify", "stonewall", "wait_for", "wait_for_previous", "write_bw_log",
    "write_lat_log", "write_iops_log", "write_hist_log", "fill_device", "fill_fs", "offset",
    "offset_increment", "numjobs", "io_submit_mode",
}  # fmt: skip
"""Of the job in small: what says when, how fast and where, and what another line says for it."""
_KINDS = {
    "pread64": "read", "pwrite64": "write", "preadv2": "read", "pwritev2": "write",
    "fsync": "fsync", "fdatasync": "fdatasync", "fallocate": "trim",
}  # fmt: skip
_CALL = re.compile(r"^(?P<pid>\d+)\s+(?P<name>\w+)\((?P<rest>.*)$")
_FILE = re.compile(r"^\d+<(?P<path>[^>]*)>")
_NUMBERS = re.compile(r", (\d+), (\d+)\)? ")
_CHILD = re.compile(r"= (\d+)$")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>(.*)")
_MIX = re.compile(r'^0<[^>]*>, "\{\\"format\\":1,\\"kind\\":\\"(\w+)\\"')


@dataclass
class Requests:
    """What one side asked for on one folder: how often each kind, size, and part of a file."""

    kinds: Counter[str] = field(default_factory=Counter)
    sizes: Counter[tuple[str, int]] = field(default_factory=Counter)
    places: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, kind: str, size: int, offset: int, file_bytes: int) -> None:
        """One request."""
        self.kinds[kind] += 1
        if kind in ("read", "write", "trim"):
            self.sizes[kind, size] += 1
            self.places[kind, min(PARTS - 1, PARTS * offset // max(file_bytes, 1))] += 1


def check_job(job: Path, tell: Callable[[str], None]) -> int:
    """Exit code 0 where both ask for the same, 1 where they do not."""
    for program, package in (("strace", "strace"), ("fio", "fio")):
        if find_tool(program) is None:
            raise RigError(
                f"{program} is not installed",
                cause="--check runs fio and the study under strace",
                next=f"apt-get install {package}",
            )
    with tempfile.TemporaryDirectory(prefix="fsgauge-check-") as scratch:
        small = _in_small(job, Path(scratch))
        of_fio = _of_fio(small, Path(scratch))
        of_study = _of_study(small, Path(scratch))
    unlike = 0
    for name in of_fio | of_study:
        lines, apart = compared(name, of_fio.get(name, Requests()), of_study.get(name, Requests()))
        unlike += apart
        for line in lines:
            tell(line)
    return ExitCode.FINDING if unlike else ExitCode.ANSWERED


def _in_small(job: Path, scratch: Path) -> Path:
    """A job file of the same draws."""
    lines = []
    for number, section in enumerate(read_job_file(job)):
        lines += [f"[{re.sub(r'[^A-Za-z0-9]+', '-', section.name).strip('-') or 'job'}{number}]"]
        kept = [each for each in section.options.values() if each.name not in LEFT_OUT]
        lines += [each.name if each.value is None else f"{each.name}={each.value}" for each in kept]
        lines += [
            "ioengine=psync",
            f"size={FILE_BYTES}",
            "time_based",
            f"runtime={SECONDS}",
            "overwrite=1",
            f"directory={scratch}/fio/{number}",
            "stonewall",
        ]
        (scratch / "fio" / str(number)).mkdir(parents=True)
    small = scratch / "small.fio"
    small.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return small


def _of_fio(small: Path, scratch: Path) -> dict[str, Requests]:
    trace = _traced(["fio", "--output-format=json", str(small)], scratch / "fio.trace")
    names = {f"{scratch}/fio/{number}": f"section {number + 1}" for number in range(1000)}
    return collected(trace, lambda path: names.get(str(Path(path).parent)), only_mix=False)


def _of_study(small: Path, scratch: Path) -> dict[str, Requests]:
    converted = convert_fio(small)
    (scratch / "study").mkdir()
    study = scratch / "small.toml"
    study.write_text(study_text(converted, ["ext4"]), encoding="utf-8")
    command = [
        *interpreter("fsgauge", "run", str(study), "--system", f"{scratch}/study"),
        *("--set", "plan.blocks=2", "--results", f"{scratch}/results"),
    ]
    trace = _traced(command, scratch / "study.trace")
    folders = {group.name.replace(" ", "-"): place for place, group in enumerate(converted.groups)}

    def owner(path: str) -> str | None:
        found = next(
            (folders[part] for part in reversed(Path(path).parts) if part in folders), None
        )
        return None if found is None else f"section {found + 1}"

    return collected(trace, owner, only_mix=True)


def _traced(command: list[str], trace: Path) -> Iterator[str]:
    calls = ",".join([*_KINDS, "execve", "clone", "clone3", "vfork", "fork", "read"])
    strace = ["strace", "-f", "-y", "--seccomp-bpf", "-s", "64", "-e", f"trace={calls}"]
    said = run_tool([*strace, "-o", str(trace), *command], seconds=600.0)
    if said.exit_code not in (0, 5) or not trace.exists():
        raise RigError(
            f"{command[0]} failed under strace (exit code {said.exit_code})",
            details=tuple(said.words.splitlines()[-6:]),
            next="strace -f true",
        )
    with trace.open(encoding="utf-8", errors="replace") as lines:
        yield from lines


def collected(
    lines: Iterable[str], owner: Callable[[str], str | None], *, only_mix: bool
) -> dict[str, Requests]:
    """Requests by what `owner` says of their file; of the engine that ran the mix alone."""
    found: dict[tuple[str, str], Requests] = {}
    roots: dict[str, str] = {}
    asked: dict[str, str] = {}
    for line in _whole(lines):
        match = _CALL.match(line)
        if match is None:
            continue
        pid, name, rest = match["pid"], match["name"], match["rest"].rstrip()
        root = roots.setdefault(pid, pid)
        if name in ("clone", "clone3", "vfork", "fork"):
            if child := _CHILD.search(rest):
                roots.setdefault(child[1], root)
        elif name == "execve":
            roots[pid] = pid
        elif name == "read":
            if job := _MIX.match(rest):
                asked[root] = job[1]
        elif name == "fallocate" and "PUNCH_HOLE" not in rest:
            continue  # fio makes room for a file
        elif (file := _FILE.match(rest)) and (folder := owner(file["path"])) is not None:
            requests = found.setdefault((root, folder), Requests())
            numbers = _NUMBERS.findall(rest)
            size, offset = map(int, numbers[-1]) if numbers else (0, 0)
            if name == "fallocate":
                offset, size = size, offset
            requests.add(_KINDS[name], size, offset, FILE_BYTES)
    merged: dict[str, Requests] = {}
    for (root, folder), requests in found.items():
        if only_mix and asked.get(root) not in (kinds.GROUPS, "load"):
            continue
        into = merged.setdefault(folder, Requests())
        into.kinds += requests.kinds
        into.sizes += requests.sizes
        into.places += requests.places
    return merged


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Lines as strace writes them where no other thread comes between a call and its answer."""
    begun: dict[str, str] = {}
    for line in lines:
        pid, _, rest = line.rstrip().partition(" ")
        if rest.endswith("<unfinished ...>"):
            begun[pid] = line.rstrip().removesuffix("<unfinished ...>")
        elif (resumed := _RESUMED.match(rest.strip())) and pid in begun:
            yield begun.pop(pid) + resumed[1]
        else:
            yield line


def compared(name: str, fio: Requests, study: Requests) -> tuple[list[str], int]:
    """A line for each of kinds, sizes and places, and how many of them differ."""
    if not fio.kinds or not study.kinds:
        raise InputError(
            f"{name}: {'fio' if not fio.kinds else 'the study'} made no request that strace saw",
            cause="it uses other calls than pread, pwrite, fsync, fdatasync and fallocate",
            next="without --check: the study's notes say what differs",
        )
    lines, apart = [], 0
    for what, of_fio, of_study in (
        ("kinds", fio.kinds, study.kinds),
        ("sizes", fio.sizes, study.sizes),
        ("offsets", fio.places, study.places),
    ):
        difference, bound = distance(of_fio, of_study)
        word = "equal" if difference <= bound else "unlike"
        apart += word == "unlike"
        lines.append(
            f"{name}: {what} {word}: {difference:.1%} of requests apart, {bound:.1%} by chance"
            f" ({sum(of_fio.values()):,} of fio, {sum(of_study.values()):,} of the study)"
        )
    return lines, apart


def distance(a: Mapping[Any, int], b: Mapping[Any, int]) -> tuple[float, float]:
    """The share of requests that would have to be others for the two to be alike, and how large
    that may be by chance: a bound on the sum of deviations of shares of independent draws."""
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return (0.0, 0.0) if total_a == total_b else (1.0, 0.0)
    keys = a.keys() | b.keys()
    shares = [(a.get(key, 0) / total_a, b.get(key, 0) / total_b) for key in keys]
    difference = sum(abs(x - y) for x, y in shares) / 2
    deviation = sum(
        (p * (1 - p) * (1 / total_a + 1 / total_b)) ** 0.5 for p in ((x + y) / 2 for x, y in shares)
    )
    return difference, ALLOWED * (len(keys) > 1) + _CHANCE * deviation / 2
