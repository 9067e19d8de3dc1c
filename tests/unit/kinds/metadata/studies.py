"""A study of metadata to vary, and its runs as records have them."""

from __future__ import annotations

from fsgauge.engine.wire import ClientOperationResult, ClientsJob, ClientsResult, LoadResult
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.kinds.metadata.method import MetadataMethod
from fsgauge.record.parts import DeviceRun
from fsgauge.record.records import Cell, RunRecord
from fsgauge.study.parse import parse_study
from fsgauge.workload.folders import ClientFolders

PLACE = ClientFolders(directory="/mnt/x", files_per_client=0, backup_files_per_client=0)
HEAD = """\
format = 1
question = "How many?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "metadata"
"""
DROPPED = "synced; page, dentry and inode caches dropped"


def workload(*overrides: str) -> MetadataWorkload:
    """[workload] with these lines; raises InputError."""
    found = parse_study("\n".join([HEAD, *overrides, ""]), "my.toml", "my").workload
    assert isinstance(found, MetadataWorkload)
    return found


def cell_of(made: MetadataWorkload, operation: str) -> Cell:
    """The first cell of an operation."""
    return next(cell for cell in made.cells() if cell.factors["operation"] == operation)


def job(operation: str, *overrides: str) -> ClientsJob:
    """What the engine is asked for in the first cell of an operation."""
    made = workload(*overrides)
    found = MetadataMethod(made).load_job(cell_of(made, operation), PLACE, 7)
    assert isinstance(found, ClientsJob)
    return found


def records(
    operation: str, *overrides: str, elapsed_ns: int, ended: str = "size_limit"
) -> RunRecord:
    """A run on the shared file that came to the end of it, or to its limit, after so long."""
    made = workload(*overrides)
    cell = cell_of(made, operation)
    record = RunRecord.model_construct(
        block=0,
        turn=0,
        position=0,
        system="ext4",
        again=False,
        cell=cell,
        job=MetadataMethod(made).load_job(cell, PLACE, 7),
        parts=[],
    )
    record.__dict__["result"] = LoadResult.model_construct(
        ended=ended, clients=None, elapsed_ns=elapsed_ns
    )
    return record


def run(
    operation: str,
    *overrides: str,
    ended: str = "size_limit",
    caches: str = DROPPED,
    read_requests: int | None = 5,
    **clients: object,
) -> RunRecord:
    """A run whose clients did that; `read_requests` of the device."""
    made = workload(*overrides)
    counts = {"files": 0, "names": 0, "fewest_files": 0, "most_files": 0, "stonewall_ns": None}
    of_clients = ClientsResult.model_construct(
        **{**counts, **clients}, operations=list[ClientOperationResult]()
    )
    result = LoadResult.model_construct(ended=ended, clients=of_clients)
    device = None
    if read_requests is not None:
        device = DeviceRun.model_construct(name="loop0", read_requests=read_requests)
    record = RunRecord.model_construct(
        block=0,
        turn=0,
        system="ext4",
        again=False,
        cell=cell_of(made, operation),
        job=job(operation, *overrides),
        caches=caches,
        parts=[],
        device=device,
        not_read=[],
    )
    record.__dict__["result"] = result
    return record
