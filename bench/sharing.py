"""The tests of IOzone and Bonnie++: the engine against the real programs, on one file system.

The jobs and what the programs print are read by the package, as `fsgauge crosscheck sharing` does:
run it with the interpreter that has fsgauge. The programs are what users have, so what is too fast
for Bonnie++ to print (half a second) is made larger here, not patched there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from backed_memory import back_memory
from scratch import Scratch
from side_by_side import Comparison, Failed, Measure, Sample, Skipped, expect
from tool import run_tool

if TYPE_CHECKING:
    from fsgauge.kinds.sharing.tests import FolderTest
    from fsgauge.record.records import Cell
    from fsgauge.workload.peer import Peer, PeerNumbers

MIB = 1 << 20
SECONDS = 100
CHARACTERS_MIB = 1024
STDIO_BYTES = 4096
"""What the C library's buffer is on most file systems: st_blksize."""
BLOCK_BYTES = 8192
BYTES_MIB = 3
BYTE_TESTS = ("put_byte", "get_byte")
ON_FILE = ("put_byte", "put_block", "rewrite_in_place", "get_byte", "get_block", "seeks")
TMPFS_MIB = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MIB // 4
"""Fast memory is read at 7 GB a second; of less than half a second Bonnie++ prints nothing."""
WRITES, EXT4_MIB = ("put_block", "rewrite_in_place"), 1536
"""What Bonnie++ prints of half the memory: on ext4 in memory, a file is there twice."""
SEEKS = 400_000
FILES = 512 * 1024
PASS_MIB, RECORD_BYTES = 512, 64 << 10


@dataclass(frozen=True)
class Work:
    """What both sides count, as a study's workload says it."""

    include_close: bool = True
    include_flush: bool = True
    seeks: int = SEEKS


WORK = Work()


def characters(scratch: Scratch) -> Comparison:
    """Compare putc and getc with those of the C library, in memory."""
    program = found("getc_putc", "apt-get install bonnie++")
    folder = scratch.tmpfs_for_clients()
    keys = ("write", "read", "putc", "getc", "putc-threads", "getc-threads", "putc-unlocked",
            "getc-unlocked")  # fmt: skip

    def theirs() -> Sample:
        words = [program, "-d", str(folder), "-s", f"{CHARACTERS_MIB}m", "-q", "-m", "bench"]
        said = run_tool([*words, *as_root()]).output
        fields = said.strip().splitlines()[-1].split(",")[1:]
        return Sample(
            {key: printed(key, field) * 1024 for key, field in zip(keys, fields, strict=True)}
        )

    def ours() -> Sample:
        path = folder / "characters"
        rates: dict[str, float] = {}
        file_tests("write", path, CHARACTERS_MIB * MIB, RECORD_BYTES, ends=False)
        for name in ("putc", "getc"):
            rate = file_tests(
                name, path, CHARACTERS_MIB * MIB, STDIO_BYTES, ends=False, in_place=True
            ).rate
            rates |= {name: rate, f"{name}-unlocked": rate}
        path.unlink()
        return Sample(rates)

    measures = [no_slower(key, "B/s") for key in ("putc", "getc", "putc-unlocked", "getc-unlocked")]
    return Comparison("getc_putc", measures, ours, theirs)


@dataclass(frozen=True)
class BonnieFile:
    """Tests on a file, of a size that Bonnie++ has a rate of and the machine has memory for."""

    place: Callable[[Scratch], Path]
    names: tuple[str, ...]
    size_mib: int

    def __call__(self, scratch: Scratch) -> Comparison:
        """Compare Bonnie++'s tests on a file."""
        folder = self.place(scratch)
        path = folder / "bonnie"

        def ours() -> Sample:
            back_memory(self.size_mib * MIB)
            done = {}
            for name in self.names:
                size_mib = BYTES_MIB if name in BYTE_TESTS else self.size_mib
                done[name] = file_tests(name, path, size_mib * MIB, BLOCK_BYTES)
            path.unlink()
            return sample(done)

        def theirs() -> Sample:
            back_memory(self.size_mib * MIB)
            cells = [cell_of(name, self.size_mib * MIB, BLOCK_BYTES) for name in self.names]
            words = {f"-f{self.size_mib}": f"-f{BYTES_MIB}"}
            return sample(by_program("bonnie++", folder, cells, words)[0])

        return Comparison("bonnie++", measures_of(self.names, "/s"), ours, theirs)


def bonnie_folder(place: Callable[[Scratch], Path]) -> Callable[[Scratch], Comparison]:
    """Compare create, stat and delete of empty files."""

    def comparison(scratch: Scratch) -> Comparison:
        from fsgauge.kinds.sharing.tests import BONNIE, FolderTest

        folder = place(scratch)
        tests = [test for test in BONNIE if isinstance(test, FolderTest)]

        def ours() -> Sample:
            done = {test.name: folder_test(test, folder) for test in tests}
            shutil.rmtree(folder / "c00000")
            return sample(done)

        def theirs() -> Sample:
            cells = [cell_of(test.name) for test in tests]
            return sample(by_program("bonnie++", folder, cells, {})[0])

        names = [test.name for test in tests]
        return Comparison("bonnie++", measures_of(names, "files/s"), ours, theirs)

    return comparison


def iozone(place: Callable[[Scratch], Path]) -> Callable[[Scratch], Comparison]:
    """Compare IOzone's write, rewrite, read, reread, close included."""

    def comparison(scratch: Scratch) -> Comparison:
        from fsgauge.kinds.sharing.tests import IOZONE

        folder = place(scratch)
        names = [test.name for test in IOZONE]
        path, size_bytes = folder / "passes", PASS_MIB * MIB

        def ours() -> Sample:
            done = [file_tests(name, path, size_bytes, RECORD_BYTES, ends=False) for name in names]
            path.unlink()
            cpu_seconds = sum(
                size_bytes / numbers.rate * (numbers.processor_share or 0) for numbers in done
            )
            rates = {name: numbers.rate for name, numbers in zip(names, done, strict=True)}
            return Sample(rates | {"cpu": len(names) * size_bytes / cpu_seconds})

        def theirs() -> Sample:
            cells = [cell_of(name, size_bytes, RECORD_BYTES) for name in names]
            printed, cpu_ns = by_program("iozone", folder, cells, {}, Work(include_flush=False))
            rates = {cell: numbers.rate for cell, numbers in printed.items()}
            return Sample(rates | {"cpu": len(names) * size_bytes / cpu_ns * 1e9})

        measures = [no_slower(name, "B/s") for name in names]
        return Comparison("iozone", [*measures, no_slower("cpu", "B/CPU s")], ours, theirs)

    return comparison


def sample(done: dict[str, PeerNumbers]) -> Sample:
    """Rates, and what each would be of a whole CPU: what is left to compare on a busy machine."""
    rates = {name: numbers.rate for name, numbers in done.items()}
    shares = {name: numbers.processor_share or 0.01 for name, numbers in done.items()}
    return Sample(rates | {f"{name}-cpu": rate / shares[name] for name, rate in rates.items()})


def measures_of(names: Sequence[str], unit: str) -> list[Measure]:
    """Both, of each test."""
    rates = [no_slower(name, unit) for name in names]
    return [*rates, *(no_slower(f"{name}-cpu", f"{unit} of CPU") for name in names)]


def no_slower(key: str, unit: str) -> Measure:
    """At least as fast as the program."""
    return Measure(key, key.replace("_", "-"), unit, ">= 1.0", lambda ratio, _: ratio >= 1.0)


def file_tests(
    name: str,
    path: Path,
    size_bytes: int,
    record_bytes: int,
    *,
    ends: bool = True,
    in_place: bool = False,
) -> PeerNumbers:
    """What the engine does in a test on a file; with `ends`, fsync counts as well as close."""
    from fsgauge.engine.wire import Finish
    from fsgauge.kinds.sharing.method import Limits, file_job
    from fsgauge.kinds.sharing.tests import TESTS, FileTest

    test = TESTS[name]
    if not isinstance(test, FileTest):
        raise TypeError(f"{name} is not on a file")
    job = file_job(
        test,
        str(path),
        size_bytes=size_bytes,
        record_bytes=record_bytes,
        finish=Finish(fsync=ends, close=True),
        limits=Limits(SECONDS * 10**9, seed=1),
        seeks=SEEKS,
    )
    if in_place:
        job = job.model_copy(update={"extend": False})
    return numbers_of(name, cell_of(name, size_bytes, record_bytes), job.model_dump_json())


def folder_test(test: FolderTest, folder: Path) -> PeerNumbers:
    """What the engine does in a test on a folder of empty files."""
    from fsgauge.kinds.sharing.method import Limits, folder_job

    limits = Limits(SECONDS * 10**9, seed=1)
    sync = test.phase != "stat"
    job = folder_job(test, str(folder), files=FILES, sync_at_end=sync, limits=limits)
    return numbers_of(test.name, cell_of(test.name), job.model_dump_json())


def numbers_of(name: str, cell: Cell, job: str) -> PeerNumbers:
    """Run a job; what was not done to its end is no rate."""
    from fsgauge.engine.wire import LoadResult
    from fsgauge.kinds.sharing.peers import PEERS

    lines = run_tool([engine.engine_path()], job).output.splitlines()
    result = LoadResult.model_validate(json.loads(lines[-1])["result"])
    expect(int(result.ended == "size_limit"), 1, f"{name} was done to its end")
    return PEERS["iozone"].of_engine(cell, result)


def by_program(
    name: str, folder: Path, cells: list[Cell], instead: dict[str, str], work: Work = WORK
) -> tuple[dict[str, PeerNumbers], float]:
    """What a program prints, and its CPU time; `instead` replaces words of its command."""
    from fsgauge.kinds.sharing.peers import PEERS

    peer: Peer = PEERS[name]
    program = found(os.environ.get(peer.variable or "", peer.name), peer.install)
    (start,) = peer.runs(program, str(folder), work, cells, as_root=os.geteuid() == 0)
    finished = run_tool([instead.get(word, word) for word in start.command])
    numbers = {}
    for cell, each in start.read(finished.output).items():
        if each is None:
            raise Failed(f"{name} was too fast to print {cell}: make it larger")
        numbers[cell] = each
    return numbers, finished.cpu_ns


def cell_of(name: str, size_bytes: int | None = None, record_bytes: int | None = None) -> Cell:
    """The cell that a test is."""
    from fsgauge.record.records import Cell

    sized: dict[str, str | int] = {"file_size_bytes": size_bytes or 0}
    sized |= {"record_size_bytes": record_bytes or 0}
    factors = {"test": name} | (sized if size_bytes else {"folder_files": FILES})
    return Cell(id=name, name=name, kind="sharing", factors=factors)


def found(program: str, install: str) -> str:
    """The program, or the reason why there is no comparison."""
    path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if path is None:
        raise Skipped(f"{program} is missing: {install}")
    return path


def printed(key: str, field: str) -> float:
    """A number of getc_putc, which prints pluses below half a second."""
    if not field.isdigit() or int(field) == 0:
        if key in ("write", "read"):
            return 1.0
        raise Failed(f"getc_putc printed {field!r} for {key}: make the file larger")
    return float(field)


def as_root() -> list[str]:
    """Its way to be root."""
    return ["-u", "root"] if os.geteuid() == 0 else []
