"""The types of the crate `fsgauge-wire`: jobs that go to the engine, events that come back.

`scripts/wire` makes `generated` from the JSON schemas in `schema/`, which the crate generates; a
test makes it again and compares. Every key is raw and carries its unit last.
"""

from __future__ import annotations

from fsgauge.engine.wire.base import Wire as Wire
from fsgauge.engine.wire.generated import *  # noqa: F403 - the types of the crate, all of them
from fsgauge.engine.wire.generated import (
    ClientOperationResult,
    ClientsResult,
    LoadResult,
    OperationResult,
)


def sides_of(result: LoadResult) -> list[OperationResult]:
    return [side for side in (result.read, result.write) if side is not None]


def timed_parts(clients: ClientsResult) -> list[ClientOperationResult]:
    """Operations of the measured part: clients connect before it."""
    return [part for part in clients.operations if part.operation != "connect"]


def timed_operations(result: LoadResult) -> int:
    """How many of any kind, in the measured part: with many clients also opens and the like."""
    parts = sides_of(result) if result.clients is None else timed_parts(result.clients)
    return sum(part.operations for part in parts)


def elapsed_with_finish_ns(result: LoadResult) -> int:
    """The measured time, with the fsync and close, or the sync, that a job asked for at its end."""
    if result.finish is not None:
        return max(result.elapsed_ns, result.finish.elapsed_ns)
    synced_ns = result.clients.sync_at_end_ns if result.clients is not None else None
    return result.elapsed_ns + (synced_ns or 0)


def processor_with_finish_ns(result: LoadResult) -> int:
    """CPU time of the threads or processes in that time, user and system."""
    cpu = result.finish.cpu if result.finish is not None else result.cpu
    return cpu.user_ns + cpu.system_ns
