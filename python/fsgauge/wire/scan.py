"""A scan: what lies where on a file system. Sizes and offsets are bytes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import SerializerFunctionWrapHandler, model_serializer

from fsgauge.wire.base import Wire
from fsgauge.wire.engine import Engine, Note


class ScanJob(Wire):
    """Read extents of files and free space of a folder, device or image; nothing is written.

    `map_order` 0 makes no map; otherwise it has 4^order cells. `top` files of most extents are
    listed, those of one extent only with `list_whole`.
    """

    format: Literal[1] = 1
    kind: Literal["scan"] = "scan"
    path: str
    threads: int | None = None
    top: int = 0
    list_whole: bool = False
    map_order: int = 0
    space: bool = True

    @model_serializer(mode="wrap")
    def _as_engines_before_it_read(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without `list_whole` where it is not asked for: engines that lack it refuse the key."""
        written: dict[str, Any] = write(self)
        if not self.list_whole:
            written.pop("list_whole", None)
        return written


class ScanSource(Wire):
    """What was read, and how; `writable` means that it may have changed meanwhile.

    `space_reason` says why free space was not read as the kernel lists it.
    `address_bytes` is how far places reach where they are addresses, not offsets on one device.
    """

    path: str
    device: str
    file_system: str
    mount_point: str | None = None
    writable: bool
    files_by: str
    space_by: str
    space_reason: str | None = None
    block_size_bytes: int
    size_bytes: int
    address_bytes: int | None = None


class ScanCounts(Wire):
    """Files and extents; kinds are counted among the raw extents, which touch and are not alike.

    Delayed and inline extents are no raw ones: they have no place on the device.
    """

    files: int
    folders: int
    files_without_extents: int
    fragmented_files: int
    sparse_files: int
    extents: int
    extent_bytes: int
    raw_extents: int
    unwritten_extents: int
    delayed_extents: int
    inline_extents: int
    compressed_extents: int
    encrypted_extents: int
    shared_extents: int
    block_pairs: int
    contiguous_block_pairs: int


class LengthBin(Wire):
    """Extents from `at_least_bytes`, a power of two, to below twice that."""

    at_least_bytes: int
    extents: int
    size_bytes: int


class FilesBin(Wire):
    """Files of `at_least_extents` extents, a power of two, to below twice that."""

    at_least_extents: int
    files: int
    extents: int


class FreeAtLeast(Wire):
    """Free bytes in free extents of at least some length."""

    at_least_bytes: int
    size_bytes: int


class FreeSpace(Wire):
    """Free space; pieces are null where only the sum is known.

    `device_bytes` is what it takes with its copies, `unallocated_bytes` what no chunk has taken;
    of `unread_bytes` nobody knows whether they are free. Records before these have none of them.
    """

    size_bytes: int
    device_bytes: int | None = None
    unallocated_bytes: int | None = None
    unread_bytes: int | None = None
    extents: int | None = None
    largest_bytes: int | None = None
    lengths: list[LengthBin]
    at_least: list[FreeAtLeast]


class Group(Wire):
    """One allocation group, block group or chunk."""

    offset_bytes: int
    size_bytes: int
    free_bytes: int
    free_extents: int
    largest_free_bytes: int


class ScanMap(Wire):
    """The device in 4^order equal cells; shares are 0 to 255, `owner` indexes `names` or is -1."""

    order: int
    cell_bytes: int
    data: list[int]
    metadata: list[int]
    free: list[int]
    unallocated: list[int]
    owner: list[int]
    names: list[str]


class ListedExtent(Wire):
    """Where a piece of a file begins in the file and on the device, and its length."""

    logical_bytes: int
    physical_bytes: int
    length_bytes: int


class ListedFile(Wire):
    """A file among the most fragmented ones; `list` has at most 10,000 of its extents."""

    name: str
    size_bytes: int
    extents: int
    list: list[ListedExtent]


class ScanProblem(Wire):
    """What kept the scan from being complete or exact; at most 10 examples."""

    code: str
    text: str
    count: int
    examples: list[str]


class ScanProgress(Wire):
    """How far a scan is; `of_files` where that is known."""

    files: int
    of_files: int | None = None
    extents: int


class ScanResult(Wire):
    """What a scan found; `ended` is "interrupted" for one that was stopped before its end."""

    format: Literal[1]
    kind: Literal["scan"]
    engine: Engine
    source: ScanSource
    ended: Literal["duration", "size_limit", "interrupted"]
    counts: ScanCounts
    extent_lengths: list[LengthBin]
    files_by_extents: list[FilesBin] = []
    free: FreeSpace | None = None
    groups: list[Group]
    map: ScanMap | None = None
    top: list[ListedFile]
    problems: list[ScanProblem]
    notes: list[Note]
    started_unix_ns: int
    elapsed_ns: int
