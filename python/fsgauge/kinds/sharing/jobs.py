"""The engine's job of one test, and the rate that the test's program would print for it."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine.wire import (
    BlockSize,
    ClientsJob,
    CycleSizes,
    DeletePhase,
    FileSet,
    FileTarget,
    Finish,
    LoadJob,
    OwnTree,
    PathTarget,
    RandomAccess,
    SequentialAccess,
    SharedRanges,
    StatPhase,
    WritePhase,
)
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
    finish: Finish,
    limits: Limits,
    seeks: int = SEEKS,
    seek_processes: int = SEEK_PROCESSES,
) -> LoadJob:
    """A test on one file. What is not a new file must hold `size_bytes`."""
    whole: dict[str, object] = {"passes": 1, "ranges": SharedRanges(), "access": SequentialAccess()}
    drawn = {
        "size_limit_bytes": seeks * record_bytes,
        "access": RandomAccess(),
        "jobs": seek_processes,
        "workers": "processes",
    }
    return LoadJob.model_validate(
        {
            "target": FileTarget(path=path, size_bytes=size_bytes),
            "interface": "psync",
            "direct": False,
            "read_percent": test.read_percent,
            "block_sizes": [BlockSize(size_bytes=record_bytes, weight=1)],
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
) -> ClientsJob:
    """A test on many empty files."""
    phases = {"write": WritePhase(), "stat": StatPhase(), "delete": DeletePhase()}
    return ClientsJob(
        target=PathTarget(directory=directory),
        phase=phases[test.phase],
        clients=1,
        dispatch="threads",
        interface="plain",
        files=FileSet(
            clients=1,
            files_per_client=files,
            sizes=CycleSizes(sizes_bytes=[0]),
            record_size_bytes=4096,
            tree=OwnTree(),
        ),
        order=test.order,
        sync_at_end=sync_at_end,
        time_limit_ns=limits.duration_ns,
        seed=limits.seed,
    )
