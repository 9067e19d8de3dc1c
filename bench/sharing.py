"""The tests of IOzone and Bonnie++: the engine against the real programs, on one file system.

The jobs and what the programs print are read by the package, as `fsgauge crosscheck sharing` does:
run it with the interpreter that has fsgauge. The programs are what users have, so what is too fast
for Bonnie++ to print (half a second) is made larger here, not patched there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample, Skipped, expect
from tool import run_tool

if TYPE_CHECKING:
    from fsgauge.kinds.sharing.tests import FolderTest
    from fsgauge.record import Cell
    from fsgauge.workload.peer import Peer, PeerNumbers

MIB = 1 << 20
SECONDS = 100
CHARACTERS_MIB = 512
STDIO_BYTES = 4096
"""What the C library's buffer is on most file systems: st_blksize."""
FILE_MIB, BLOCK_BYTES = 3584, 8192
BYTES_MIB = 3
SEEKS = 100_000
FILES = 512 * 1024
PASS_MIB, RECORD_BYTES = 512, 64 << 10


@dataclass(frozen=True)
class Work:
    """What both sides count, as a study's workload says it."""

    include_close: bool = True
    include_flush: bool = True
    seeks: int = SEEKS


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
        rates = {}
        file_tests("write", path, CHARACTERS_MIB * MIB, RECORD_BYTES, ends=False)
        for name in ("putc", "getc"):
            rate = file_tests(
                name, path, CHARACTERS_MIB * MIB, STDIO_BYTES, ends=False, in_place=True
            )
            rates |= {name: rate, f"{name}-unlocked": rate}
        path.unlink()
        return Sample(rates)

    measures = [no_slower(key, "B/s") for key in ("putc", "getc", "putc-unlocked", "getc-unlocked")]
    return Comparison("getc_putc", measures, ours, theirs)


def bonnie_file(scratch: Scratch) -> Comparison:
    """Compare Bonnie++'s tests on a file, on an ext4 in memory."""
    folder = scratch.ext4_for_clients()
    names = ("put_byte", "put_block", "rewrite_in_place", "get_byte", "get_block", "seeks")
    bytes_, blocks = ("put_byte", "get_byte"), names
    path = folder / "bonnie"

    def ours() -> Sample:
        rates = {}
        for name in names:
            size_bytes = (BYTES_MIB if name in bytes_ else FILE_MIB) * MIB
            rates[name] = file_tests(name, path, size_bytes, BLOCK_BYTES)
        path.unlink()
        return Sample(rates)

    def theirs() -> Sample:
        cells = [cell_of(name, FILE_MIB * MIB, BLOCK_BYTES) for name in blocks]
        return by_program("bonnie++", folder, cells, {f"-f{FILE_MIB}": f"-f{BYTES_MIB}"})

    measures = [no_slower(name, "/s") for name in names]
    return Comparison("bonnie++", measures, ours, theirs)


def bonnie_folder(place: Callable[[Scratch], Path]) -> Callable[[Scratch], Comparison]:
    """Compare create, stat and delete of empty files."""

    def comparison(scratch: Scratch) -> Comparison:
        from fsgauge.kinds.sharing.tests import BONNIE, FolderTest

        folder = place(scratch)
        tests = [test for test in BONNIE if isinstance(test, FolderTest)]

        def ours() -> Sample:
            rates = {test.name: folder_test(test, folder) for test in tests}
            shutil.rmtree(folder / "c00000")
            return Sample(rates)

        def theirs() -> Sample:
            return by_program("bonnie++", folder, [cell_of(test.name) for test in tests], {})

        return Comparison(
            "bonnie++", [no_slower(test.name, "files/s") for test in tests], ours, theirs
        )

    return comparison


def iozone(place: Callable[[Scratch], Path]) -> Callable[[Scratch], Comparison]:
    """Compare IOzone's write, rewrite, read, reread, close included."""

    def comparison(scratch: Scratch) -> Comparison:
        from fsgauge.kinds.sharing.tests import IOZONE

        folder = place(scratch)
        names = [test.name for test in IOZONE]
        path, size_bytes = folder / "passes", PASS_MIB * MIB

        def ours() -> Sample:
            rates = {
                name: file_tests(name, path, size_bytes, RECORD_BYTES, ends=False) for name in names
            }
            path.unlink()
            return Sample(rates)

        def theirs() -> Sample:
            cells = [cell_of(name, size_bytes, RECORD_BYTES) for name in names]
            return by_program("iozone", folder, cells, {}, Work(include_flush=False))

        return Comparison("iozone", [no_slower(name, "B/s") for name in names], ours, theirs)

    return comparison


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
) -> float:
    """The engine's rate in a test on a file; with `ends`, fsync counts as well as close."""
    from fsgauge.kinds.sharing.jobs import Limits, file_job
    from fsgauge.kinds.sharing.tests import TESTS, FileTest
    from fsgauge.wire import Finish

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
    return rate_of(name, cell_of(name, size_bytes, record_bytes), job.model_dump_json())


def folder_test(test: FolderTest, folder: Path) -> float:
    """The engine's rate in a test on a folder of empty files."""
    from fsgauge.kinds.sharing.jobs import Limits, folder_job

    limits = Limits(SECONDS * 10**9, seed=1)
    sync = test.phase != "stat"
    job = folder_job(test, str(folder), files=FILES, sync_at_end=sync, limits=limits)
    return rate_of(test.name, cell_of(test.name), job.model_dump_json())


def rate_of(name: str, cell: Cell, job: str) -> float:
    """Run a job; what was not done to its end is no rate."""
    from fsgauge.kinds.sharing.peers.cells import of_engine
    from fsgauge.wire import LoadResult

    lines = run_tool([engine.engine_path()], job).output.splitlines()
    import json

    result = LoadResult.model_validate(json.loads(lines[-1])["result"])
    expect(int(result.ended == "size_limit"), 1, f"{name} was done to its end")
    return of_engine(cell, result).rate


def by_program(
    name: str, folder: Path, cells: list[Cell], instead: dict[str, str], work: Work = Work()
) -> Sample:
    """What a program prints; `instead` replaces words of its command."""
    from fsgauge.kinds.sharing.peers import PEERS

    peer: Peer = PEERS[name]
    program = found(os.environ.get(peer.variable or "", peer.name), peer.install)
    (start,) = peer.runs(program, str(folder), work, cells)
    said = run_tool([instead.get(word, word) for word in start.command]).output
    return Sample({cell: rate(name, cell, numbers) for cell, numbers in start.read(said).items()})


def rate(program: str, cell: str, numbers: PeerNumbers | None) -> float:
    """A rate that was printed."""
    if numbers is None:
        raise SystemExit(f"error: {program} was too fast to print {cell}: make it larger")
    return numbers.rate


def cell_of(name: str, size_bytes: int | None = None, record_bytes: int | None = None) -> Cell:
    """The cell that a test is."""
    from fsgauge.record import Cell

    sized: dict[str, str | int] = {"file_size_bytes": size_bytes or 0}
    sized |= {"record_size_bytes": record_bytes or 0}
    factors = {"test": name} | (sized if size_bytes else {"files": FILES})
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
        raise SystemExit(f"error: getc_putc printed {field!r} for {key}: make the file larger")
    return float(field)


def as_root() -> list[str]:
    """Its way to be root."""
    return ["-u", "root"] if os.geteuid() == 0 else []
