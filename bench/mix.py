"""Unlike loads at once: eight of one job file in fio and, taken over, in the engine.

On files in memory, where the kernel's part is in both, and on nothing, where what the tools cost is
all there is. And what drawing among operations on files adds to an operation that costs nothing.
CPU time of an operation is the difference of two lengths, so start-up and laying out are not in it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine
import fio
from compiled import compiled
from null_depth import TARGET, difference
from scratch import MEMORY, Scratch
from side_by_side import Comparison, Failed, Measure, Sample, Skipped
from tool import run_tool
from unlike_calls import FILE_BYTES, unlike_calls

JOB_FILE = Path(__file__).with_name("unlike.fio")
SHORT_SECONDS, LONG_SECONDS = 0.3, 1.2
RATE, COST = "operations_per_second", "cpu_ns_per_operation"
DRAWN = {"read": 5, "write": 2, "stat": 2, "append": 1}


def in_memory(scratch: Scratch) -> Comparison:
    """Each load on a file in memory."""
    del scratch
    folder, loads = laid_out()
    of_fio = folder / "fio"
    of_fio.mkdir(exist_ok=True)
    return compare(loads, JOB_FILE, [f"--directory={of_fio}"])


def over_a_plain_loop(scratch: Scratch) -> Comparison:
    """The same loads in memory over the same calls in a C loop: how much of it is the kernel's."""
    _, loads = laid_out()
    program = compiled("plain_mix.c", scratch.directory)
    words = []
    for load, (name, (calls, syncs)) in zip(loads, unlike_calls().items(), strict=True):
        (file,) = (each for each in Path(load["target"]["directory"]).iterdir() if each.is_file())
        if file.stat().st_size < FILE_BYTES:
            raise Failed(f"{file} of {name} is not laid out")
        calls.tofile(scratch.directory / name)
        words.append(f"{file},{scratch.directory / name},{int(syncs)}")

    def loop(seconds: float) -> tuple[float, int, float]:
        done = run_tool([str(program), str(seconds), *words])
        operations = int(done.output)
        return operations / seconds, operations, done.cpu_ns

    measure = Measure(
        COST, "cpu", "ns of CPU per operation", "<= 1.1", lambda ratio, _: ratio <= 1.1
    )
    return Comparison(
        "plain loop in C",
        [measure],
        lambda: sample(lambda seconds: engine_mix(loads, seconds)),
        lambda: sample(loop),
    )


def laid_out() -> tuple[Path, list[dict[str, Any]]]:
    """A folder in memory, and the loads with their files in it."""
    if not MEMORY.parent.is_dir():
        raise Skipped(f"{MEMORY.parent} is missing: mount -t tmpfs tmpfs {MEMORY.parent}")
    folder = MEMORY / "unlike"
    loads = loads_of_job(folder)
    for load in loads:
        Path(load["target"]["directory"]).mkdir(parents=True, exist_ok=True)
    engine_mix(loads, SHORT_SECONDS, lay_out=True)
    return folder, loads


def on_nothing(scratch: Scratch) -> Comparison:
    """Each load on as many bytes of nothing, which is not synced: fio's null engine, the engine's
    null target."""
    text = JOB_FILE.read_text(encoding="utf-8").replace("fdatasync=1\n", "")
    job_file = scratch.directory / "unlike-on-nothing.fio"
    job_file.write_text(text, encoding="utf-8")
    loads = loads_of_job(scratch.directory, job_file)
    job_file.write_text(text.replace("ioengine=psync", "ioengine=null"), encoding="utf-8")
    for load in loads:
        load["target"] = {"kind": "null", "size_bytes": load["target"]["file_size_bytes"]}
    return compare(loads, job_file, [])


def compare(loads: list[dict[str, Any]], job_file: Path, options: list[str]) -> Comparison:
    """Operations of all loads together a second, and what one costs."""

    def ours() -> Sample:
        return sample(lambda seconds: engine_mix(loads, seconds))

    def theirs() -> Sample:
        return sample(lambda seconds: fio_mix(job_file, options, seconds))

    measures = [
        Measure(RATE, "rate", "operations/s", ">= 1", lambda ratio, _: ratio >= 1),
        Measure(COST, "cpu", "ns of CPU per operation", "<= 0.6", lambda ratio, _: ratio <= 0.6),
    ]
    return Comparison("fio, the same job file", measures, ours, theirs)


def drawn_operation(scratch: Scratch) -> Comparison:
    """An operation drawn among several kinds, over one that is always a read."""
    del scratch
    plain = {"depth": 1, "interface": "psync", "direct": False}
    drawn = [{"operation": name, "weight": weight} for name, weight in DRAWN.items()]

    def once(seconds: float, **changes: object) -> tuple[float, int, float]:
        done = engine.random_reads(TARGET, seconds=seconds, **plain, **changes)
        operations = operations_of(done.result)
        return operations / done.result["elapsed_ns"] * 1e9, operations, done.cpu_ns

    measure = Measure(
        COST, "cpu", "ns of CPU per operation", "<= 1.3", lambda ratio, _: ratio <= 1.3
    )
    return Comparison(
        "plain reads",
        [measure],
        lambda: sample(lambda seconds: once(seconds, operations=drawn)),
        lambda: sample(once),
    )


def sample(run: Callable[[float], tuple[float, int, float]]) -> Sample:
    """The rate of a long run, and the cost by the difference to a short one."""
    (_, few, short_ns), (rate, many, long_ns) = run(SHORT_SECONDS), run(LONG_SECONDS)
    return Sample({RATE: rate, **difference(short_ns, long_ns, few, many).values})


def loads_of_job(folder: Path, job_file: Path = JOB_FILE) -> list[dict[str, Any]]:
    """The job file as loads of the engine, as `study from-fio` takes it over."""
    from fsgauge.converting import study_text
    from fsgauge.converting.fio import convert_fio
    from fsgauge.kinds.mix.method import MixMethod
    from fsgauge.study.parse import parse_study
    from fsgauge.workload.folders import ClientFolders

    text = study_text(convert_fio(job_file), ["ext4"])
    workload: Any = parse_study(text, job_file.name, job_file.stem).workload
    method = MixMethod(workload)
    place = ClientFolders(directory=str(folder), files_per_client=0, backup_files_per_client=0)
    own = {"kind", "held", "lease"}
    return [
        method.load_job(cell, place, 1).model_dump(mode="json", exclude=own)
        for cell in workload.cells()
    ]


def engine_mix(
    loads: list[dict[str, Any]], seconds: float, *, lay_out: bool = False
) -> tuple[float, int, float]:
    """All loads at once: operations a second, operations, processor time of the whole process."""
    times = {"warm_up_ns": 100_000_000, "duration_ns": round(seconds * 1e9), "start_after_ns": 0}
    job = {"format": 1, "kind": "mix", "loads": [load | times for load in loads]}
    done = engine.load(job | {"lay_out": lay_out})
    results = done.result["results"]
    rate = sum(operations_of(each) / each["elapsed_ns"] * 1e9 for each in results)
    return rate, sum(map(operations_of, results)), done.cpu_ns


def operations_of(result: dict[str, Any]) -> int:
    """All operations of all jobs: what a load drew is more than its reads."""
    return sum(int(job["operations"]) for job in result["jobs"])


def fio_mix(job_file: Path, options: list[str], seconds: float) -> tuple[float, int, float]:
    """The same of fio, each load a process as in the job file."""
    times = [f"--runtime={round(seconds * 1000)}ms", "--ramp_time=100ms"]
    jobs, finished = fio.run_fio([*options, *times, str(job_file)])
    parts = [job[side] for job in jobs for side in ("read", "write")]
    rate = sum(float(part["iops"]) for part in parts)
    return rate, sum(int(part["total_ios"]) for part in parts), finished.cpu_ns
