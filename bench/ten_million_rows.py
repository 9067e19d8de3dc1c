"""A study of ten million stored rows, and what its report takes.

1920 runs with invented numbers; their rows are moved to Parquet as `fsgauge run` does, which
takes some minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

import numpy as np  # noqa: E402 - the repository's tests must be on the path first
from tests.sealing import compacted, seal  # noqa: E402 - as below
from tests.synthetic import make_study  # noqa: E402 - as above

from fsgauge.record.records import RunRecord  # noqa: E402 - as above
from fsgauge.record.series import INTERVAL_COLUMNS, Counts, Intervals  # noqa: E402 - as above
from fsgauge.store.rows import changed, filled, histograms  # noqa: E402 - as above

BUCKETS, INTERVALS, BLOCKS = 1500, 2200, 20
MEASURED = r"""
import pathlib, re, sys, time
begin = time.monotonic()
from fsgauge.report import write_report
write_report(pathlib.Path(sys.argv[1]))
status = pathlib.Path("/proc/self/status").read_text()  # rusage has its starter's peak too
memory = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
print(time.monotonic() - begin, time.process_time(), memory)
"""


def many_rows(run: RunRecord, chance: np.random.Generator) -> RunRecord:
    """The run with as many rows as a long one has."""
    spread = np.exp(-(((np.arange(BUCKETS) - BUCKETS / 3) / (BUCKETS / 6)) ** 2))
    assert run.result is not None  # noqa: S101 - synthetic runs here have no faults
    only, counts = run.result, {}
    for name, histogram in histograms(only).items():
        share = histogram.operations * spread / spread.sum()
        operations = share.astype(np.int64) + 1 + chance.integers(0, 3, BUCKETS)
        counts[name] = list(zip(range(600, 600 + BUCKETS), operations.tolist(), strict=True))
    rows = chance.integers(900, 1100, (INTERVALS, len(INTERVAL_COLUMNS)))
    rows[:, 0], rows[:, 1] = np.arange(INTERVALS) * 5_000_000, 5_000_000
    rows[:, 2] = np.arange(INTERVALS) < INTERVALS // 6
    columns = {name: rows[:, at] for at, name in enumerate(INTERVAL_COLUMNS)}
    intervals = Intervals(lambda: (columns, 0, INTERVALS))
    arrays = {name: Counts.of(each) for name, each in counts.items()}
    return changed(run, lambda _, result: filled(result, arrays, intervals))


def as_json(run: RunRecord) -> str:
    """The run as it is stored before its block is whole."""
    assert run.result is not None  # noqa: S101 - synthetic runs here have no faults
    document = run.model_copy(update={"parts": []}).model_dump(mode="json")
    shell = run.result.model_copy(update={"intervals": [], "read": None, "write": None})
    result = shell.model_dump(mode="json")
    result["intervals"] = [
        each._asdict() | {"read": each.read._asdict(), "write": each.write._asdict()}
        for each in run.result.intervals
    ]
    for operation in ("read", "write"):
        part = getattr(run.result, operation)
        if part is not None:
            histogram = part.service_latency.model_copy(update={"counts": []})
            bare = part.model_copy(update={"service_latency": histogram}).model_dump(mode="json")
            bare["service_latency"]["counts"] = list(part.service_latency.counts)
            result[operation] = bare
    only = {"start_ns": 0, "result": result}
    parts = [{"machine": run.parts[0].machine, "slices": [only]}]
    return json.dumps(document | {"parts": parts})


def make(parent: Path) -> tuple[Path, int]:
    """Write the study below `parent`; gives its folder and how many rows it has."""
    chance = np.random.default_rng(1)
    systems = {name: name for name in ("raw", "ext4", "xfs", "btrfs", "f2fs")}
    study = make_study(
        systems=systems,
        patterns=("randrw",),
        block_sizes=(4096, 8192, 16384, 65536),
        queue_depths=(1, 4, 16, 32),
        blocks=BLOCKS,
    )
    folder = study.write(parent / "study")
    for run in study.runs:
        turn = f"{run.block:03d}-{run.turn:02d}-{run.system}"
        path = folder / "records" / turn / f"{run.position:02d}-{run.cell.id}.json"
        path.write_text(as_json(many_rows(run, chance)))
    seal(folder)
    for block in sorted({run.block for run in study.runs}):
        compacted(folder, block)
    marks = [json.loads(path.read_text()) for path in folder.glob("series/*.json")]
    rows = sum(mark[kind]["rows"] for mark in marks for kind in ("counts", "intervals"))
    return folder, rows


def report(folder: Path) -> tuple[float, float, float]:
    """Report the study in a process of its own: seconds, processor seconds, most memory in MB."""
    command = [sys.executable, "-c", MEASURED, str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    wall, processor, memory = (float(word) for word in said)
    return wall, processor, memory
