"""The rates at which a disk would move files with given extents: the engine's model says.

Many passes are one job, for each job is a process; a job is no larger than some hundred thousand
extents, so that its text fits in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fsgauge.engine import wire
from fsgauge.engine.client import Engine
from fsgauge.kinds.aging.disk import MODEL, DiskModel

_MOST_EXTENTS = 300_000


Files = Sequence[wire.PassedFile]
"""Files that are moved at the same time, a stream each: of every one the places and lengths of its
extents, in the order of the file."""


def predict_rates(passes: Iterable[Files], disk: DiskModel) -> list[float | None]:
    """Bytes per second of all streams of each pass; None for one without extents. Raises RigError
    where the engine cannot be run."""
    found: list[float | None] = []
    engine = Engine()
    for some in _in_jobs(passes):
        changes = [
            wire.DeviceChange(name=name, value=value) for name, value in disk.changes().items()
        ]
        job = wire.PredictJob(
            device=wire.SimulatedDevice(model=MODEL, changes=changes),
            passes=[wire.PassedFiles(files=list(files)) for files in some],
        )
        found += [
            moved.size_bytes * 1e9 / moved.slowest_ns if moved.size_bytes else None
            for moved in engine.predict(job).passes
        ]
    return found


def _in_jobs(passes: Iterable[Files]) -> Iterator[list[Files]]:
    some: list[Files] = []
    extents = 0
    for files in passes:
        some.append(files)
        extents += sum(len(file.length_bytes) for file in files)
        if extents >= _MOST_EXTENTS:
            yield some
            some, extents = [], 0
    if some:
        yield some
