"""`study from-fio --check`: job and study in small, both under strace, request by request.

What a job draws (kinds, sizes, offsets) does not depend on how requests are submitted, so both run
with pread and pwrite, one at a time, for some seconds on small files in the page cache, all
sections at once. strace sees each call with its file, on any Linux, without root. What says when,
how fast, where and on which machine is left out of both.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fsgauge.converting.fio import convert_fio
from fsgauge.converting.fio_job import drawing
from fsgauge.converting.fio_load import FILE_ENGINES
from fsgauge.converting.fio_options import listed
from fsgauge.converting.groups import Converted
from fsgauge.converting.job_file import Section, read_job_file
from fsgauge.converting.writing import study_text
from fsgauge.engine.client import Engine, mixed
from fsgauge.engine.wire import LoadJob
from fsgauge.errors import InputError, RigError
from fsgauge.exit_codes import ExitCode
from fsgauge.machine.process.tool import find_tool, run_tool
from fsgauge.study.parse import parse_study
from fsgauge.units import format_size
from fsgauge.workload import method_of
from fsgauge.workload.folders import ClientFolders

SECONDS = 3
FILE_BYTES = 5 << 20
"""No power of two: see `hashed` of a group. Of large blocks as many as make an order."""
FEWEST_BLOCKS = 41
MOST_FILE_BYTES = 1 << 30
MOST_FILES = 4
PARTS = 10
"""Into which a file is divided: a request is in one of them."""
ALLOWED = 0.05
"""How far two shares may be apart beyond what chance does in one of ten thousand cases."""
_CHANCE = 3.9
_FAR = 1 << 62
OFTEN = 0.2
"""Of its requests: a step of a random order is made less often, of few blocks too."""
_SEED = 1
SCATTERED = ("zipf", "pareto")
"""Distributions whose hot places lie anywhere: how hot these are is compared, not where."""
_KINDS = {
    "pread64": "read", "pwrite64": "write", "preadv2": "read", "pwritev2": "write",
    "fsync": "fsync", "fdatasync": "fdatasync", "fallocate": "trim",
}  # fmt: skip
_CALL = re.compile(r"(?P<name>\w+)\(\d+<(?P<path>[^>]*)>(?P<rest>.*)")
_NUMBERS = re.compile(r", (\d+), (\d+)\)? ")


class Requests:
    """What one side asked for of one section: how often each kind and size, how far each request
    is from the end of the one before it in its file, and how often it is in the file of the one
    before it; the offsets of each kind."""

    def __init__(self, file_bytes: int = FILE_BYTES) -> None:
        self.file_bytes = file_bytes
        self.kinds, self.sizes = Counter[str](), Counter[tuple[str, int]]()
        self.steps, self.turns = Counter[tuple[str, int]](), Counter[bool]()
        self.offsets: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self.ends: dict[str, int] = {}
        self._file = ""

    def add(self, kind: str, size: int, offset: int, file: str) -> None:
        self.kinds[kind] += 1
        if kind in ("read", "write", "trim"):
            self.sizes[kind, size] += 1
            self.steps[kind, offset - self.ends.get(file, 0)] += 1
            self.ends[file] = offset + size
            self.turns[file == self._file] += 1
            self._file = file
            self.offsets[kind].append((file, offset))

    def places(self, most: Mapping[str, int]) -> Counter[tuple[str, int]]:
        """In which part of a file the first so many requests of each kind lie."""
        return Counter(
            (kind, min(PARTS - 1, PARTS * offset // self.file_bytes))
            for kind, found in self.offsets.items()
            for _, offset in found[: most[kind]]
        )

    def heat(self, most: Mapping[str, int]) -> Counter[tuple[str, int]]:
        """Requests of the hottest place, of the next two, of the next four and so on."""
        heat: Counter[tuple[str, int]] = Counter()
        for kind, found in self.offsets.items():
            ranked = Counter(found[: most[kind]]).most_common()
            for rank, (_, times) in enumerate(ranked, start=1):
                heat[kind, rank.bit_length()] += times
        return heat


def check_job(job: Path, tell: Callable[[str], None], *, without: frozenset[str]) -> int:
    """Exit code 0 where both ask for the same, 1 where they do not."""
    unlike = 0
    for lines, apart in compared_sections(job, without=without):
        unlike += len(apart)
        for line in lines:
            tell(line)
    return ExitCode.FINDING if unlike else ExitCode.ANSWERED


def compared_sections(
    job: Path, *, without: frozenset[str] = frozenset()
) -> Iterator[tuple[list[str], list[str]]]:
    """Of each section what is said of it, and which of kinds, sizes and so on are unlike."""
    for program in ("strace", "fio"):
        if find_tool(program) is None:
            raise RigError(
                f"{program} is not installed",
                cause="--check runs fio and the study under strace",
                next=f"apt-get install {program}",
            )
    sections = read_job_file(job)
    for engine in filter(None, (each.options.get("ioengine") for each in sections)):
        if engine.value in FILE_ENGINES:
            raise engine.wrong(
                f"{engine.value} is done once for each file, and a study goes on for its time",
                next="without --check: the study's notes say what differs",
                cause="there are no requests to compare: how many files there are ends fio's run",
            )
    converted = convert_fio(job, without=without)
    file_bytes = _file_bytes(converted)
    with tempfile.TemporaryDirectory(prefix="fsgauge-check-") as scratch:
        place = Path(scratch)
        small = _in_small(sections, converted, place, file_bytes)
        of_fio = _of_fio(small, place, file_bytes)
        of_study, scattered = _of_study(small, place, file_bytes)
    for number in range(len(sections)):
        name = f"section{number}"
        both = of_fio.get(name, Requests()), of_study.get(name, Requests())
        yield compared(f"section {number + 1}", *both, is_scattered=name in scattered)


def _file_bytes(converted: Converted) -> int:
    drawn = [group.drawn(what) for group in converted.groups for what in ("block", "write_block")]
    found = max(FILE_BYTES, FEWEST_BLOCKS * max(size for each in drawn for size, _ in each))
    if found > MOST_FILE_BYTES:
        raise InputError(
            f"a file of {FEWEST_BLOCKS} blocks would be of {format_size(found)}",
            cause="--check compares both in small, and of fewer blocks no order is seen",
            next="without --check: the study's notes say what differs",
        )
    return found


def _in_small(
    sections: list[Section], converted: Converted, scratch: Path, file_bytes: int
) -> Path:
    lines = []
    # How requests are submitted, how fast, and what is read back is left out.
    left = listed("not_of_requests") | converted.findings.without
    for number, (section, group) in enumerate(zip(sections, converted.groups, strict=True)):
        files = min(int(str(group.keys.get("files", 1))), MOST_FILES)
        folder = scratch / "fio" / f"section{number}"
        folder.mkdir(parents=True)
        lines += [
            f"[section{number}]",
            *(each.written for each in drawing(section) if each.name not in left),
            "ioengine=psync",
            f"nrfiles={files}",
            f"size={files * file_bytes}",
            "time_based",
            f"runtime={SECONDS}",
            "overwrite=1",
            f"directory={folder}",
        ]
    small = scratch / "small.fio"
    small.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return small


def _of_fio(small: Path, scratch: Path, file_bytes: int) -> dict[str, Requests]:
    trace = _traced(["fio", "--output-format=json", str(small)], scratch / "fio.trace")
    return collected(trace, file_bytes)


def _of_study(small: Path, scratch: Path, file_bytes: int) -> tuple[dict[str, Requests], set[str]]:
    """Requests by group, and which groups have hot places anywhere."""
    converted = convert_fio(small)
    study = parse_study(study_text(converted, ["ext4"]), small.name, small.stem)
    place = ClientFolders(
        directory=str(scratch / "study"), files_per_client=0, backup_files_per_client=0
    )
    found = (
        method_of(study.workload).load_job(cell, place, _SEED) for cell in study.workload.cells()
    )
    loads = [load for load in found if isinstance(load, LoadJob)]
    for group in converted.groups:
        Path(place.folder(group.name)).mkdir(parents=True)
    engine, job = Engine(), scratch / "mix.json"
    engine.mix(loads, lay_out=True)
    job.write_text(mixed(loads).model_dump_json(), encoding="utf-8")
    command = ["sh", "-c", 'exec "$0" < "$1"', str(engine.binary), str(job)]
    scattered = {g.name for g in converted.groups if g.keys.get("distribution") in SCATTERED}
    return collected(_traced(command, scratch / "study.trace"), file_bytes), scattered


def _traced(command: list[str], trace: Path) -> Iterator[str]:
    """The calls of each thread, one thread behind the other."""
    strace = ["strace", "-ff", "-y", "--seccomp-bpf", "-s", "0", "-e", f"trace={','.join(_KINDS)}"]
    said = run_tool([*strace, "-o", str(trace), *command], seconds=120.0)
    threads = sorted(trace.parent.glob(f"{trace.name}.*"))
    if said.exit_code != 0 or not threads:
        raise RigError(
            f"{trace.stem} failed under strace (exit code {said.exit_code})",
            details=tuple(said.words.splitlines()[-6:]),
            cause="the program itself failed, as said above, or this container forbids ptrace",
            next="strace -f true",
        )
    for thread in threads:
        with thread.open(encoding="utf-8", errors="replace") as lines:
            yield from lines


def collected(lines: Iterable[str], file_bytes: int = FILE_BYTES) -> dict[str, Requests]:
    """Requests by the folder of their file."""
    found: dict[str, Requests] = {}
    for line in lines:
        match = _CALL.match(line)
        if match is None or (match["name"] == "fallocate" and "PUNCH_HOLE" not in match["rest"]):
            continue  # fio makes room for a file
        numbers = _NUMBERS.findall(match["rest"])
        size, offset = map(int, numbers[-1]) if numbers else (0, 0)
        if match["name"] == "fallocate":
            offset, size = size, offset
        folder = Path(match["path"]).parent.name
        requests = found.setdefault(folder, Requests(file_bytes=file_bytes))
        requests.add(_KINDS[match["name"]], size, offset, match["path"])
    return found


def compared(
    name: str, fio: Requests, study: Requests, *, is_scattered: bool = False
) -> tuple[list[str], list[str]]:
    """A line for kinds, sizes, offsets, steps and, of several files, turns; and what differs."""
    if not fio.kinds or not study.kinds:
        raise InputError(
            f"{name}: {'fio' if not fio.kinds else 'the study'} made no request that strace saw",
            cause="it uses other calls than pread, pwrite, fsync, fdatasync and fallocate",
            next="without --check: the study's notes say what differs",
        )
    most = fio.kinds & study.kinds
    told: dict[str, Sequence[Mapping[Any, int]]] = {
        "kinds": (fio.kinds, study.kinds),
        "sizes": (fio.sizes, study.sizes),
        "offsets": [(each.heat if is_scattered else each.places)(most) for each in (fio, study)],
        "steps": list(_steps(fio.steps, study.steps)),
    }
    if max(len(fio.ends), len(study.ends)) > 1:
        told["turns"] = fio.turns, study.turns
    lines: list[str] = []
    apart: list[str] = []
    blocks = len({place for found in study.offsets.values() for place in found})
    for what, (of_fio, of_study) in told.items():
        drawn = blocks if what == "steps" else None  # an order may come again in every round
        difference, bound = distance(of_fio, of_study, drawn)
        word = "equal" if difference <= bound else "unlike"
        apart += [what] if word == "unlike" else []
        lines.append(
            f"{name}: {what} {word}: {100 * difference:.1f} % of requests apart,"
            f" {100 * bound:.1f} % by chance"
            f" ({sum(of_fio.values()):,} of fio, {sum(of_study.values()):,} of the study)"
        )
    return lines, apart


def _steps(*both: Counter[tuple[str, int]]) -> Iterator[Counter[tuple[str, int]]]:
    """Steps that either side often makes, and how many of the others go on, or back."""
    often = {step for each in both for step, times in each.items() if times > OFTEN * each.total()}
    for each in both:
        found: Counter[tuple[str, int]] = Counter()
        for (kind, step), times in each.items():
            far = _FAR if step > 0 else -_FAR
            found[kind, step if not step or (kind, step) in often else far] += times
        yield found


def distance(
    a: Mapping[Any, int], b: Mapping[Any, int], drawn: int | None = None
) -> tuple[float, float]:
    """The share of requests that would have to be others for the two to be alike, and how large
    that may be by chance: a bound on the sum of deviations of shares of independent draws, of
    which each has `drawn` at most."""
    total_a, total_b = sum(a.values()), sum(b.values())
    if not total_a or not total_b:
        return (0.0, 0.0) if total_a == total_b else (1.0, 0.0)
    keys = a.keys() | b.keys()
    shares = [(a.get(key, 0) / total_a, b.get(key, 0) / total_b) for key in keys]
    difference = sum(abs(x - y) for x, y in shares) / 2
    in_all = sum(1 / min(total, drawn or total) for total in (total_a, total_b))
    deviation = sum((p * (1 - p) * in_all) ** 0.5 for p in ((x + y) / 2 for x, y in shares))
    return difference, ALLOWED * (len(keys) > 1) + _CHANCE * deviation / 2
