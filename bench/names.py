"""Clients that make, find and remove empty files: the engine against mdtest, elbencho, a loop in C.

Four clients, a thread or a process each, 10,000 files each, in folders of their own or in one. Each
tool's rates are by its own clock, start-up not in it; processor time, of the loop in C alone, is
that of the threads while they work.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import engine
from compiled import compiled
from scratch import Scratch
from side_by_side import Comparison, Measure, Sample, Skipped, expect
from tool import run_tool

Folders = Literal["own", "shared"]
Place = Callable[[Scratch], Path]

CLIENTS = 4
FILES = 10_000
PHASES = {"create": "write", "stat": "stat", "unlink": "delete"}
PLAIN_CPU = 1 / 1.1
"""Operations of a processor second: at most 1.1 times the loop's processor time."""
MDTEST, ELBENCHO = "FSGAUGE_MDTEST", "FSGAUGE_ELBENCHO"
_PRINTED = {"create": "File creation", "stat": "File stat", "unlink": "File removal"}
_OF_ELBENCHO = {"create": "WRITE", "stat": "STAT", "unlink": "RMFILES"}


def against_plain(place: Place, folders: Folders) -> Callable[[Scratch], Comparison]:
    """Rates and processor time beside those of the calls alone."""

    def comparison(scratch: Scratch) -> Comparison:
        program = compiled("plain_names.c", scratch.directory, ["pthread"])
        folder = place(scratch)

        def theirs() -> Sample:
            words = [str(program), str(folder), str(CLIENTS), str(FILES), folders]
            lines = [line.split() for line in run_tool(words).output.splitlines()]
            empty(folder)
            rates = {name: CLIENTS * FILES / float(seconds) for name, seconds, _ in lines}
            costs = {f"{name}-cpu": CLIENTS * FILES / float(cpu) for name, _, cpu in lines}
            return Sample(rates | costs)

        costs = [
            Measure(f"{each}-cpu", f"{each}-cpu", "files/CPU s", ">= 0.91", _at_least(PLAIN_CPU))
            for each in PHASES
        ]
        mine = _ours(folder, folders)
        return Comparison("plain loop in C", [*_rates(PLAIN_CPU), *costs], mine, theirs)

    return comparison


def against_mdtest(place: Place, folders: Folders) -> Callable[[Scratch], Comparison]:
    """The rates that mdtest prints; it is in no package."""

    def comparison(scratch: Scratch) -> Comparison:
        program, folder = named(MDTEST), place(scratch)
        launcher = shutil.which("mpirun")
        if launcher is None:
            raise Skipped("mpirun is missing: apt-get install openmpi-bin")

        def theirs() -> Sample:
            start = [launcher, "--allow-run-as-root", "--oversubscribe", "-np", str(CLIENTS)]
            own = ["-u"] if folders == "own" else []
            words = [*start, program, "-F", "-n", str(FILES), "-d", str(folder / "mdtest"), *own]
            printed = run_tool([*words, "-C", "-T", "-r"]).output
            empty(folder)
            return Sample({each: _printed(printed, name) for each, name in _PRINTED.items()})

        return Comparison("mdtest", _rates(1.0), _ours(folder, folders), theirs)

    return comparison


def against_elbencho(place: Place) -> Callable[[Scratch], Comparison]:
    """The rates that elbencho writes, in folders of its threads: in one it has no files of each."""

    def comparison(scratch: Scratch) -> Comparison:
        program, folder = named(ELBENCHO), place(scratch)
        rows = scratch.directory / "elbencho-names.csv"

        def theirs() -> Sample:
            rows.unlink(missing_ok=True)
            phases = ["--mkdirs", "--write", "--stat", "--delfiles", "--deldirs"]
            words = [program, *phases, "--nolive", f"--csvfile={rows}", f"--threads={CLIENTS}"]
            run_tool([*words, "--dirs=1", f"--files={FILES}", "--size=0", str(folder)])
            empty(folder)
            with rows.open(newline="") as lines:
                by_phase = {row["operation"]: row for row in csv.DictReader(lines)}
            found = {}
            for each, name in _OF_ELBENCHO.items():
                row = by_phase[name]
                expect(int(row["entries [last]"]), CLIENTS * FILES, f"files of {name}")
                found[each] = CLIENTS * FILES * 1e3 / float(row["time ms [last]"])
            return Sample(found)

        return Comparison("elbencho", _rates(1.0), _ours(folder, "own"), theirs)

    return comparison


def _ours(folder: Path, folders: Folders) -> Callable[[], Sample]:
    tree: dict[str, Any] = {"kind": "own"}
    if folders == "shared":
        tree = {"kind": "shared", "depth": 1, "fan_out": 1}

    def run() -> Sample:
        values: dict[str, float] = {}
        for each, phase in PHASES.items():
            result = engine.clients(
                {"kind": "path", "directory": str(folder)},
                phase,
                CLIENTS,
                FILES,
                dispatch="threads",
                interface="plain",
                files={
                    "clients": CLIENTS,
                    "files_per_client": FILES,
                    "sizes": {"kind": "cycle", "sizes_bytes": [0]},
                    "record_size_bytes": 1,
                    "tree": tree,
                },
            ).result
            values[each] = CLIENTS * FILES * 1e9 / result["elapsed_ns"]
            spent = result["cpu"]["user_ns"] + result["cpu"]["system_ns"]
            values[f"{each}-cpu"] = CLIENTS * FILES * 1e9 / spent
        empty(folder)
        return Sample(values)

    return run


def _rates(goal: float) -> list[Measure]:
    return [Measure(each, each, "files/s", f">= {goal:.3g}", _at_least(goal)) for each in PHASES]


def _at_least(goal: float) -> Callable[[float, list[Sample]], bool]:
    return lambda ratio, _: ratio >= goal


def _printed(output: str, name: str) -> float:
    """The last column but one of its summary is the mean."""
    found = re.search(rf"^\s*{name}\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", output, re.MULTILINE)
    if found is None:
        raise Skipped(f"this mdtest prints no {name}")
    return float(found[3])


def named(variable: str) -> str:
    """The program that a variable names."""
    path = shutil.which(os.environ.get(variable, ""))
    if path is None:
        raise Skipped(f"{variable} names no program")
    return path


def empty(folder: Path) -> None:
    """Remove what a tool left, and let the file system have done with it."""
    for entry in folder.iterdir():
        shutil.rmtree(entry)
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
