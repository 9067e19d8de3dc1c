"""The engine's job of one test, and the rate that the test's program would print for it."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.kinds.sharing.tests import FileTest, FolderTest

SEEKS = 8000
SEEK_PROCESSES = 3
"""As Bonnie++ up to version 1.03: 8,000 seeks by three processes."""


@dataclass(frozen=True)
class Limits:
    """How long a test may take, and what its randomness comes from."""

    duration_ns: int
    seed: int


def file_job(
    test: FileTest,
    path: str,
    *,
    size_bytes: int,
    record_bytes: int,
    finish: wire.Finish,
    limits: Limits,
    seeks: int = SEEKS,
) -> wire.LoadJob:
    """A test on one file. What is not a new file must hold `size_bytes`."""
    whole: dict[str, object] = {
        "passes": 1,
        "ranges": wire.SharedRanges(),
        "access": wire.SequentialAccess(),
    }
    drawn = {
        "size_limit_bytes": seeks * record_bytes,
        "access": wire.RandomAccess(),
        "jobs": SEEK_PROCESSES,
        "workers": "processes",
    }
    return wire.LoadJob.model_validate(
        {
            "target": wire.FileTarget(path=path, size_bytes=size_bytes),
            "interface": "psync",
            "direct": False,
            "read_percent": test.read_percent,
            "block_sizes": [wire.BlockSize(size_bytes=record_bytes, weight=1)],
            "queue_depth": 1,
            "jobs": 1,
            "duration_ns": limits.duration_ns,
            "seed": limits.seed,
            "extend": test.is_new_file,
            "transfer": test.transfer,
            "finish": finish,
            **(drawn if test.is_random else whole),
        }
    )


def folder_job(
    test: FolderTest, directory: str, *, files: int, sync_at_end: bool, limits: Limits
) -> wire.ClientsJob:
    phases = {"write": wire.WritePhase(), "stat": wire.StatPhase(), "delete": wire.DeletePhase()}
    return wire.ClientsJob(
        target=wire.PathTarget(directory=directory),
        phase=phases[test.phase],
        clients=1,
        dispatch="threads",
        interface="plain",
        files=wire.FileSet(
            clients=1,
            files_per_client=files,
            sizes=wire.CycleSizes(sizes_bytes=[0]),
            record_size_bytes=4096,
            tree=wire.OwnTree(),
        ),
        order=test.order,
        sync_at_end=sync_at_end,
        time_limit_ns=limits.duration_ns,
        seed=limits.seed,
    )
