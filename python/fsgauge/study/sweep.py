"""What every kind of workload shares: the limits of a sweep, and the two refusals of all kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from fsgauge.errors import did_you_mean, nearest
from fsgauge.study.base import StudyModel, conflict, written
from fsgauge.units import SizeBytes, WholePercent, exact_duration, exact_size, format_size

SECTOR_BYTES = 512
CELLS_LIMIT = 1000
CONNECTION_DEPTH_LIMIT = 512
MOST_RECORD_BYTES = 2 << 30
"""Record buffers of all clients together: with io_uring each client has one."""

BlockSize = Annotated[SizeBytes, Field(le=1 << 30)]
QueueDepth = Annotated[int, Field(ge=1, le=32_768)]
Jobs = Annotated[int, Field(ge=1, le=1024)]
Hosts = Annotated[int, Field(ge=1, le=10_000)]
SubmitBatch = Annotated[int, Field(ge=1, le=32_768)]
Fill = Annotated[WholePercent, Field(ge=1)]
Data = Literal["incompressible", "zero"]
Weight = Annotated[int, Field(ge=1, le=1_000_000)]
"""How often something is drawn, relative to others."""

SUBMIT_BATCH = (
    "The most operations that one io_uring call submits. Default: 1 where a load bypasses the page"
    " cache, else 16. The block layer merges neighbours that arrive in one call: with 16, a device"
    ' gets requests of 25 to 60 KiB in a sequential cell of "4 KiB, depth 32". The records hold the'
    " device's mean request size, and a finding reports when it differs from the operation's. The"
    " kernel also holds back three or more until the last one is prepared: with 16, a loop device"
    " gave 0.8 of the rate at depth 32. Larger batches save calls on devices that take more than a"
    " few hundred thousand operations a second from one thread."
)
HOSTS = (
    "With --rig fleet: how many hosts take part, a cell for each number: [1, 2, 4]. Each brings all"
    " {load} of a cell, so that all together ideally do as many times what one does. Default: all"
    " hosts in every cell, and its {load} are dealt out to them."
)
SCAN = (
    "Scan each system's files and free space after the files are laid out and after the last run "
    "of each turn. The report then shows what the load did to the layout. A raw device has none."
)
DISTRIBUTION = (
    "How file sizes are chosen: from file_sizes, or drawn from a log-normal distribution."
)
MEDIAN_SIZE = "Log-normal sizes: half of the files are smaller."
SIZE_SIGMA = (
    "Log-normal sizes: standard deviation of the size's natural logarithm; above 0, at most 10."
)
SMALLEST_SIZE = "Log-normal sizes: the smallest size; anything drawn smaller gets this size."
LARGEST_SIZE = "Log-normal sizes: the largest size; anything drawn larger gets this size."
WAITS_AS_RATES_FALL = (
    "has writes wait for others that share their sync, the longer the lower the rate: a curve looks"
    " for the rate above which they wait too long"
)

Inapplicable = dict[str, tuple[str, str]]
"""Keys that have no effect: why, and the key that makes it so."""
Key = str | tuple[str | int, ...]
"""A key, or the path of an entry of its list."""


class Listed(StudyModel):
    """A table of which [workload] has several, as [[workload.group]]; its `name` addresses it on
    the command line."""

    def inapplicable(self) -> Inapplicable:
        """Keys that have no effect in this table: why, and the key that makes it so."""
        return {}


def only(known: Sequence[str], what: str) -> AfterValidator:
    """Refuses a weight of anything else; `what` says of what it is an operation: "a mix"."""

    def check(weights: dict[str, int]) -> dict[str, int]:
        for name in weights:
            if name not in known:
                near = nearest(name, known)
                raise conflict(
                    f'"{name}" is not an operation of {what}',
                    [(name,)],
                    hint=did_you_mean(near) if near else f"known: {', '.join(known)}",
                )
        return weights

    return AfterValidator(check)


def mean_bytes(drawn: Sequence[tuple[int, int]]) -> float:
    return sum(size * weight for size, weight in drawn) / sum(weight for _, weight in drawn)


def require_few_cells(workload: StudyModel, lists: list[str]) -> None:
    """Refuse a sweep of too many cells; `lists` are the keys that span it."""
    there = [key for key in lists if getattr(workload, key) is not None]
    require_few(prod(len(getattr(workload, key)) for key in there), there)


def host_counts(hosts: list[int] | None) -> list[int | None]:
    """From the fewest hosts to the most; None alone where a study does not vary them."""
    return [*sorted(hosts)] if hosts else [None]


def require_few(cells: int, lists: list[str]) -> None:
    if cells > CELLS_LIMIT:
        raise conflict(
            f"the sweep has {cells} cells, and {CELLS_LIMIT} is the limit",
            lists,
            next="shorten a list; one study asks one question",
        )


def require_depth_of_connection(depth: int, key: tuple[str | int, ...]) -> None:
    """Refuse more operations at a time than a server gives one connection credits for."""
    if depth > CONNECTION_DEPTH_LIMIT:
        raise conflict(
            f"a connection to a server carries at most {CONNECTION_DEPTH_LIMIT} operations at a "
            f"time, and this is {depth}",
            [("workload", *key), ("access", "server")],
            next="more jobs or writers: each has its own connection",
        )


def refuse_ignored(workload: StudyModel, info: ValidationInfo, without: Inapplicable) -> None:
    """Refuse the first key that a person wrote and that would have no effect."""
    for key in written(workload, info, list(without)):
        reason, because = without[key]
        raise conflict(f"{key} would be ignored: {reason}", [key, because])


def places_to_verify(queue_depth: int) -> int:
    """The fewest blocks of a job whose writes are verified: each pass over them ends with an empty
    queue, and has to fill it first."""
    return 1 if queue_depth == 1 else 2 * queue_depth


def refuse_to_verify_zeros() -> None:
    """Refuse data that says nothing of its place, where a kind's records would be compared."""
    raise conflict(
        "zeros cannot be verified: a record carries its file and offset",
        ["data", "verify"],
        next='data = "incompressible", or verify = false',
    )


def require_whole_tags(size_bytes: int, key: Key) -> None:
    """Refuse a size whose sectors cannot each say where they belong, where it is verified."""
    if size_bytes % SECTOR_BYTES:
        raise conflict(
            f"verified data is written in sectors of {SECTOR_BYTES} B,"
            f" and {_noun(key)} is {size_bytes} B",
            [key, "verify"],
            next="a multiple of 512 B, or verify = false",
        )


def require_some_due(
    per_second: float | None,
    duration_ns: int,
    keys: Sequence[Key],
    *,
    noun: str = "operations",
    together: int = 1,
    how: str = "at a time",
    fewer: str = "burst",
) -> None:
    """Refuse a pace at which a run may end before anything is due; `together` of what is due are
    done together: `how`, and the key that makes them fewer."""
    due = math.inf if per_second is None else per_second * duration_ns / 1e9
    if due < together:
        number = f"{due:,.0f}" if due >= 10 else f"{due:.2g}"
        raise conflict(
            f"{number} {noun} are due in the {exact_duration(duration_ns)} that are measured"
            + (f", and {together:,} {how}" if together > 1 else ""),
            keys,
            next="a longer duration, or a higher pace"
            + (f", or a smaller {fewer}" if together > 1 else ""),
        )


def require_records_fit(
    clients: int, record_bytes: int, keys: Sequence[Key], instead: str = "fewer clients"
) -> None:
    """Refuse records that take more memory than the engine gives them: each client's is its own."""
    needed = clients * record_bytes
    if needed > MOST_RECORD_BYTES:
        raise conflict(
            f"the records of all clients would take {format_size(needed)} of memory, and the"
            f" limit is {exact_size(MOST_RECORD_BYTES)}",
            keys,
            next=f"a smaller record_size, or {instead}",
        )


def require_whole_sectors(size_bytes: int, key: Key, because: Key, way: str) -> None:
    """Refuse a size that direct I/O cannot move; `way` is the edit that helps instead."""
    if size_bytes % SECTOR_BYTES:
        raise conflict(
            f"direct I/O moves whole sectors of {SECTOR_BYTES} B,"
            f" and {_noun(key)} is {size_bytes} B",
            [key, because],
            next=f"a multiple of 512 B, or {way}",
        )


def _noun(key: Key) -> str:
    return key if isinstance(key, str) else "a block size"
