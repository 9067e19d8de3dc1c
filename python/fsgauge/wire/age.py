"""Ageing: wear a file system by replaying an operation log on it. Sizes are bytes, times ns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsgauge.wire.base import Wire
from fsgauge.wire.engine import Engine, Note

AgeMode = Literal["write", "direct", "fast"]
AgeOperation = Literal["create", "append", "overwrite", "truncate", "delete", "fsync"]
AgeEnded = Literal["complete", "time_limit", "out_of_space", "gave_up", "interrupted"]


class LognormalParetoSizes(Wire):
    """A log-normal body and a Pareto tail; the form that Agrawal and others fitted (FAST 2009).

    `largest_bytes` null: a twentieth of the live bytes at the fill level.
    """

    kind: Literal["lognormal_pareto"] = "lognormal_pareto"
    median_bytes: int = 13_095
    sigma: float = 2.46
    tail_percent: float = 0.006
    tail_from_bytes: int = 512 << 20
    tail_alpha: float = 0.91
    largest_bytes: int | None = None


class AgeSizeBin(Wire):
    """Sizes from `at_least_bytes` to below `below_bytes`."""

    at_least_bytes: int
    below_bytes: int
    weight: float


class BinnedSizes(Wire):
    """A bin is drawn by weight, then a size within it, evenly on the scale of logarithms."""

    kind: Literal["bins"] = "bins"
    bins: list[AgeSizeBin]


AgeSizes = Annotated[LognormalParetoSizes | BinnedSizes, Field(discriminator="kind")]


class LognormalLifetimes(Wire):
    """35 % end within 10 minutes (Wang and Hu, FAST 2002, traces RES and Harp), half in an hour."""

    kind: Literal["lognormal"] = "lognormal"
    median_ns: int = 3600 * 1_000_000_000
    sigma: float = 4.65


class ExponentialLifetimes(Wire):
    """Every file is as likely to be the next one deleted, whatever its age."""

    kind: Literal["exponential"] = "exponential"
    mean_ns: int


class AgeLifetimeBin(Wire):
    """Lifetimes from `at_least_ns` to below `below_ns`."""

    at_least_ns: int
    below_ns: int
    weight: float


class BinnedLifetimes(Wire):
    """A bin is drawn by weight, then a lifetime within it, evenly on the scale of logarithms."""

    kind: Literal["bins"] = "bins"
    bins: list[AgeLifetimeBin]


AgeLifetimes = Annotated[
    LognormalLifetimes | ExponentialLifetimes | BinnedLifetimes, Field(discriminator="kind")
]


class IntermingledProfile(Wire):
    """Equal files written in turns, chunk by chunk; then deleted one by one until some are left.

    `file_size_bytes` null: as fills the space; `keep_files` null: all.
    """

    kind: Literal["intermingled"] = "intermingled"
    files: int = 20
    file_size_bytes: int | None = None
    chunk_bytes: int = 1 << 20
    keep_files: int | None = None


class ChurnProfile(Wire):
    """Creates up to the fill level; then the file whose lifetime ends next makes room for more."""

    kind: Literal["churn"] = "churn"
    sizes: AgeSizes = LognormalParetoSizes()
    lifetimes: AgeLifetimes = LognormalLifetimes()
    streams: int = 64
    rewrite_percent: int = 0


class ConnectionsProfile(Wire):
    """Many clients write a file each, record by record, in turns."""

    kind: Literal["connections"] = "connections"
    clients: int = 590
    file_size_bytes: int = 1 << 20
    record_bytes: int = 4096
    fsync: bool = False


class GitLikeProfile(Wire):
    """A tree of sources and its updates; each makes new files beside the old and deletes these."""

    kind: Literal["git_like"] = "git_like"
    sizes: AgeSizes = LognormalParetoSizes(
        median_bytes=4096, sigma=1.5, tail_percent=0.0, tail_from_bytes=1 << 20, tail_alpha=1.0
    )
    files_per_directory: int = 16
    update_percent: float = 1.0


class DatabaseProfile(Wire):
    """Files of fixed size, filled, then overwritten page by page at drawn places.

    `fsync_every` 0: none.
    """

    kind: Literal["database"] = "database"
    files: int = 4
    page_bytes: int = 4096
    extend_bytes: int = 1 << 20
    fsync_every: int = 64


AgeProfile = Annotated[
    IntermingledProfile | ChurnProfile | ConnectionsProfile | GitLikeProfile | DatabaseProfile,
    Field(discriminator="kind"),
]


class CompleteEnd(Wire):
    """The profile's own end: intermingled: written and deleted; all others: the space is filled."""

    kind: Literal["complete"] = "complete"


class OperationsEnd(Wire):
    """After so many operations of all kinds."""

    kind: Literal["operations"] = "operations"
    operations: int


class StorageAgeEnd(Wire):
    """Once bytes written are so many times the live bytes; a space just filled has 1."""

    kind: Literal["storage_age"] = "storage_age"
    storage_age: float


class VirtualTimeEnd(Wire):
    """After so much virtual time."""

    kind: Literal["virtual_time"] = "virtual_time"
    virtual_time_ns: int


AgeEnd = Annotated[
    CompleteEnd | OperationsEnd | StorageAgeEnd | VirtualTimeEnd, Field(discriminator="kind")
]


class AgeJob(Wire):
    """Make, change and remove files in an empty directory as a log says, and leave them there.

    `space_bytes` null: what is available at the start; `sync_every_bytes` null: 256 MiB in modes
    write and direct, never in fast; 0: never. With `fresh_copy` only the files that the log leaves
    are written, each at once.
    """

    format: Literal[1] = 1
    kind: Literal["age"] = "age"
    directory: str
    profile: AgeProfile
    mode: AgeMode
    space_bytes: int | None = None
    fill_percent: float = 80.0
    end: AgeEnd
    time_limit_ns: int
    sync_every_bytes: int | None = None
    seed: int
    fresh_copy: bool = False


class AgeOperationResult(Wire):
    """All operations of one kind; `skipped`: their file could not be made before."""

    operation: AgeOperation
    done: int
    failed: int
    skipped: int
    size_bytes: int


class AgeError(Wire):
    """Errors of one operation (null: syncfs) with one number; `first_operation` counts from 1."""

    operation: AgeOperation | None = None
    errno: int
    text: str
    count: int
    first_operation: int


class AgeProgress(Wire):
    """How far ageing is; `share` of the log, 0 to 1, as far as it can be told."""

    operations: int
    share: float | None = None
    failed: int
    written_bytes: int
    live_files: int
    live_bytes: int
    elapsed_ns: int


class AgeResult(Wire):
    """What ageing did; two results of one `log_checksum` replayed the same operations."""

    format: Literal[1]
    kind: Literal["age"]
    engine: Engine
    ended: AgeEnded
    mode: AgeMode
    profile: AgeProfile
    end: AgeEnd
    seed: int
    space_bytes: int
    fill_percent: float
    sync_every_bytes: int
    log_checksum: str
    operations: list[AgeOperationResult]
    errors: list[AgeError]
    written_bytes: int
    live_files: int
    live_bytes: int
    storage_age: float | None = None
    virtual_time_ns: int
    directories: int
    reopened: int
    syncs: int
    sync_ns: int
    user_ns: int
    system_ns: int
    notes: list[Note]
    started_unix_ns: int
    elapsed_ns: int
