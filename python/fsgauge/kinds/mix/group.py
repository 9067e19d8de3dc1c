"""A [[workload.group]] checked: its keys agree, what it draws can be drawn, it can run."""

from __future__ import annotations

from typing import Self

from pydantic import ValidationInfo, model_validator

from fsgauge.kinds.mix.group_keys import (
    AT_A_PLACE,
    MOVING_A_BLOCK,
    PLAIN,
    READING,
    Calls,
    GroupKeys,
)
from fsgauge.study import sweep
from fsgauge.study.base import conflict
from fsgauge.study.file_sizes import OF_SIZES, FileSizes, weighted
from fsgauge.units import exact_size

_OF_A_DISTRIBUTION = {
    "zipf_theta": "zipf", "pareto_h": "pareto", "normal_deviation": "normal",
    "zone_sizes": "zones", "zone_weights": "zones",
}  # fmt: skip
_WEIGHTS = {
    "block_weights": "block_sizes", "write_block_weights": "write_block_sizes",
    "size_weights": "file_sizes", "zone_weights": "zone_sizes",
}  # fmt: skip


class Group(GroupKeys):
    """Clients that all do the same; the groups of a mix run side by side."""

    @model_validator(mode="after")
    def _makes_sense(self, info: ValidationInfo) -> Self:
        self._weights_fit()
        self._calls_can_be_made()
        self._blocks_fit()
        self._files_can_be()
        self._can_be_verified()
        sweep.refuse_ignored(self, info, self.inapplicable())
        return self

    @property
    def is_plain(self) -> bool:
        return all(operation in PLAIN for operation in self.operations)

    @property
    def timed(self) -> str:
        """The operation that it does most; "commit" where that is a write with the call that makes
        it durable."""
        most = max(self.operations, key=lambda name: self.operations[name])
        return "commit" if most == "write" and self.is_synced_by_calls else most

    @property
    def is_synced_by_calls(self) -> bool:
        return self.sync in ("fsync", "fdatasync")

    @property
    def changes_files(self) -> bool:
        return any(operation not in READING for operation in self.operations)

    @property
    def read_percent(self) -> int:
        """Share of reads among its reads and writes; of other operations, of those that change
        nothing."""
        total = sum(self.operations.values())
        reads = sum(each for name, each in self.operations.items() if name in READING)
        share = round(100 * reads / total)
        is_mixed = 0 < reads < total
        return min(max(share, 1), 99) if is_mixed else share

    @property
    def file_count(self) -> int:
        """Its own files, those of all jobs together; none where it uses another group's."""
        if self.files_of is not None:
            return 0
        return self.files * (self.jobs if self.files_of_jobs == "own" else 1)

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Each size with its weight; where writes have their own, those of reads."""
        return weighted(self.block_sizes, self.block_weights)

    @property
    def write_blocks(self) -> list[tuple[int, int]]:
        """Each size of a write with its weight; empty where writes have the sizes of reads."""
        return weighted(self.write_block_sizes or [], self.write_block_weights)

    @property
    def every_block_size(self) -> list[int]:
        return [*self.block_sizes, *(self.write_block_sizes or [])]

    @property
    def mean_block_bytes(self) -> float:
        """Mean size of one operation, by weights and by the share of reads."""
        reads = self.read_percent / 100 if self.write_block_sizes else 1
        return reads * sweep.mean_bytes(self.blocks) + (1 - reads) * self.mean_write_bytes

    @property
    def mean_write_bytes(self) -> float:
        return sweep.mean_bytes(self.write_blocks or self.blocks)

    @property
    def calls(self) -> Calls:
        if self.interface != "auto":
            return self.interface
        return "psync" if self.queue_depth == 1 else "io_uring"

    @property
    def operations_per_second(self) -> float | None:
        """Its pace, all jobs together; none for one that starts an operation when one ends."""
        if self.bandwidth is not None:
            return self.bandwidth / self.mean_block_bytes
        return self.rate

    @property
    def offered_per_second(self) -> float | None:
        """Its pace, or what rests leave it at most; none for one that has neither."""
        if self.think:
            return self.jobs * self.think_every / self.think * 1e9
        return self.operations_per_second

    @property
    def largest_block_bytes(self) -> int:
        return max(self.every_block_size)

    @property
    def largest_file_bytes(self) -> int:
        return FileSizes.of(self).largest_bytes

    @property
    def _has_hot_places(self) -> bool:
        return self.distribution in ("zipf", "pareto")

    def inapplicable(self) -> sweep.Inapplicable:
        """Keys that change nothing in this group, each with the first reason that holds."""
        is_random, has_own = self.order == "random", self.files_of is None
        all_drawn = is_random and self.random_percent == 100
        is_mixed = {"read", "write"} <= self.operations.keys()
        of_order = (f'the order is "{self.order}"', "order")
        of_blocks = "write_block_sizes" if self.write_block_sizes else "block_sizes"
        several = len(self.every_block_size) > 1
        rules: list[tuple[str, bool, str, str]] = [
            ("stride", self.order != "strided", *of_order),
            ("random_percent distribution align", not is_random, *of_order),
            ("apart write_block_sizes write_block_weights", not is_mixed,
             "it does not read and write", "operations"),
            ("apart", all_drawn, *of_order),
            ("align", not all_drawn, "not all offsets are drawn", "random_percent"),
            ("align", not self.is_plain, "operations on names have no offsets", "operations"),
            *((key, not is_random or self.distribution != distribution,
               f'the distribution is not "{distribution}"', "distribution")
              for key, distribution in _OF_A_DISTRIBUTION.items()),
            ("hashed", not is_random or not self._has_hot_places,
             "the distribution has no hot places anywhere", "distribution"),
            ("each_once", not all_drawn or self.distribution != "uniform",
             "not all offsets are drawn evenly", "distribution"),
            ("each_once", several or not self.is_plain,
             "there are no blocks of one size to go through", of_blocks),
            ("each_once", self.align is not None,
             "blocks that are aligned otherwise may overlap", "align"),
            ("block_weights", len(self.block_sizes) == 1, "there is one block size", "block_sizes"),
            ("write_block_weights", len(self.write_block_sizes or []) < 2,
             "there is one block size of writes", "write_block_sizes"),
            ("submit_batch", self.queue_depth == 1,
             "there is one operation at a time", "queue_depth"),
            (" ".join(("files", "files_of_jobs", *OF_SIZES)), not has_own,
             "the files are those of another group", "files_of"),
            *((key, True, *reason) for key, reason in FileSizes.of(self).without_effect().items()),
            ("size_weights", len(self.file_sizes) == 1, "there is one file size", "file_sizes"),
            ("files_in_turns", not self.is_plain, "operations on names draw their files",
             "operations"),
            ("files_in_turns", self.files == 1 and has_own, "there is one file", "files"),
            ("files_of_jobs", self.jobs == 1 and has_own, "there is one job", "jobs"),
            ("arrival burst", self.operations_per_second is None,
             "there is no rate, so operations start when others end", "rate"),
            ("think_every think_spread", not self.think, "jobs do not rest", "think"),
            ("continue_when_full", not self.changes_files, "nothing that it does takes space",
             "operations"),
            ("sync", "write" not in self.operations, "nothing is written by write", "operations"),
            ("sync_every", not self.is_synced_by_calls, f'sync is "{self.sync}"', "sync"),
            ("compressible duplicates", self.data == "zero", "all of it is zeros", "data"),
        ]  # fmt: skip
        found: sweep.Inapplicable = {}
        for keys, holds, *reason in rules:
            for key in keys.split() if holds else ():
                found.setdefault(key, (reason[0], reason[1]))
        return found

    def _weights_fit(self) -> None:
        for key, of in _WEIGHTS.items():
            weights, drawn = getattr(self, key), getattr(self, of) or []
            if weights and len(weights) != len(drawn):
                raise conflict(
                    f"{len(weights)} weights are given for {len(drawn)} sizes",
                    [key, of],
                    next="a weight for each size",
                )

        is_whole = sum(self.zone_sizes) == 100 and self.zone_weights and 0 not in self.zone_sizes
        if self.order == "random" and self.distribution == "zones" and not is_whole:
            raise conflict(
                f"the zones are {sum(self.zone_sizes)} % of the space, with"
                f" {len(self.zone_weights)} weights",
                ["zone_sizes", "zone_weights", "distribution"],
                next='zone_sizes = ["10 %", "90 %"], zone_weights = [3, 1]',
            )

    def _calls_can_be_made(self) -> None:
        if self.interface == "psync" and self.queue_depth > 1:
            raise conflict(
                "interface psync does one operation at a time, and the queue depth is"
                f" {self.queue_depth}",
                ["interface", "queue_depth"],
                next='interface = "auto", or queue_depth = 1 with more jobs',
            )
        is_queued = self.interface not in ("auto", "psync")
        if not self.is_plain and (self.queue_depth > 1 or is_queued):
            other = next(each for each in self.operations if each not in PLAIN)
            raise conflict(
                f"{other} is one call at a time, and the queue depth is {self.queue_depth}"
                if self.queue_depth > 1
                else f"{other} is a plain call, and the interface is {self.interface}",
                [("operations", other), "queue_depth" if self.queue_depth > 1 else "interface"],
                next="queue_depth = 1 with more jobs, or a group of its own for reads and writes",
            )
        is_called = self.is_synced_by_calls and list(self.operations) == ["write"]
        if is_called and self.queue_depth > self.sync_every:
            raise conflict(
                f"writes end before each {self.sync}, so {self.sync_every} at most are in flight,"
                f" and the queue depth is {self.queue_depth}",
                ["queue_depth", "sync_every"],
                next=f"queue_depth = {self.sync_every}, or more jobs",
            )
        if not self.is_plain:
            self._names_are_drawn_evenly()
        if self.think and (self.queue_depth > 1 or self.operations_per_second is not None):
            raise conflict(
                "a job rests between operations, and here others are under way or due then",
                ["think", "queue_depth" if self.queue_depth > 1 else "rate"],
                next="queue_depth = 1 without a rate",
            )
        if self.rate is not None and self.bandwidth is not None:
            raise conflict("the pace is given twice", ["bandwidth", "rate"], next="leave one out")
        for unlike in self.operations if self.bandwidth is not None else ():
            if unlike not in MOVING_A_BLOCK:
                raise conflict(
                    f"bandwidth is a pace of blocks, and {unlike} does not move one",
                    ["bandwidth", ("operations", unlike)],
                    next="rate, in operations of any kind",
                )

    def _names_are_drawn_evenly(self) -> None:
        other = next(each for each in self.operations if each not in PLAIN)
        asked = {
            "direct": self.direct,
            "order": self.order != "random",
            "distribution": self.distribution != "uniform",
            "random_percent": self.random_percent < 100,
            "sync": self.is_synced_by_calls,
            "files_of": self.files_of is not None,
        }
        for key, is_asked in asked.items():
            if is_asked:
                raise conflict(
                    f"with {other} a group draws its files evenly and goes through the page cache",
                    [key, ("operations", other)],
                    next="a group of its own for reads and writes; fsync by its weight",
                )
        if self.jobs > self.files:
            raise conflict(
                f"each of {self.jobs} jobs has files of its own, and there are {self.files}",
                ["jobs", "files"],
                next=f"files = {self.jobs}, or fewer jobs",
            )

    def _blocks_fit(self) -> None:
        if self.direct:
            way = "direct = false"
            for key in ("block_sizes", "write_block_sizes"):
                for index, size_bytes in enumerate(getattr(self, key) or ()):
                    sweep.require_whole_sectors(size_bytes, (key, index), "direct", way)
            if self.order == "strided":
                sweep.require_whole_sectors(self.stride, "stride", "direct", way)
            if self.align is not None:
                sweep.require_whole_sectors(self.align, "align", "direct", way)
        largest = self.largest_block_bytes
        if self.order == "strided" and self.stride < largest:
            raise conflict(
                f"a stride of {exact_size(self.stride)} is below the block size of"
                f" {exact_size(largest)}: operations would overlap",
                ["stride", "block_sizes"],
                next='order = "sequential", or a larger stride',
            )
        if self.write_block_sizes and self.order == "random" and self._has_hot_places:
            raise conflict(
                "reads and writes of unlike sizes would not meet at the hot places",
                ["write_block_sizes", "distribution"],
                next='distribution = "zones", or a group of each',
            )
        moves = any(each in self.operations for each in AT_A_PLACE)
        sizes = FileSizes.of(self)
        of_files = min(self.file_sizes) if self.is_plain else sizes.largest_bytes
        if moves and self.files_of is None and of_files < largest:
            raise conflict(
                f"a block of {exact_size(largest)} does not fit into a file of"
                f" {exact_size(of_files)}",
                ["block_sizes", "largest_size" if sizes.is_log_normal else "file_sizes"],
                next="smaller blocks, or larger files",
            )

    def _files_can_be(self) -> None:
        sizes = FileSizes.of(self)
        drawn = len(self.file_sizes) > 1 or sizes.is_log_normal
        if self.is_plain and drawn:
            raise conflict(
                "a group that only reads and writes has files of one size",
                ["size_distribution" if len(self.file_sizes) == 1 else "file_sizes"],
                next="one of file_sizes; or read_file, write_file and append, which take any size",
            )
        if self.files_of_jobs == "own" and self.jobs > 1 and not self.is_plain:
            raise conflict(
                "operations on names draw from one set of all jobs",
                ["files_of_jobs", "operations"],
                next='files_of_jobs = "shared", or a group for each',
            )
        sizes.require_order()
        self.require_one_synced(self.files, "files")
        removed = "unlink removes every file in the end, and nothing makes new ones"
        made = "create makes a file in the place of one that was removed, and nothing removes any"
        for one, other, what in (("unlink", "create", removed), ("create", "unlink", made)):
            if one in self.operations and other not in self.operations:
                raise conflict(
                    what,
                    [("operations", one), "operations"],
                    next=f"add {other} with the same weight",
                )

    def require_one_synced(self, files: int, key: str, *place: str | int) -> None:
        """Raise a conflict where a call would come for each of so many files, which `key` says;
        `place` is the group's below what is checked."""
        if self.is_synced_by_calls and files > 1:
            raise conflict(
                f"after its writes a job would sync all of its {files} files",
                [(*place, "sync"), (*place, key)],
                next=f"files = 1; or operations with {self.sync}, which syncs one file",
            )

    def _can_be_verified(self) -> None:
        if not self.verify:
            return
        if self.data == "zero":
            sweep.refuse_to_verify_zeros()
        sweep.require_whole_tags(self.block_sizes[0], ("block_sizes", 0))
        reasons = {
            "operations": list(self.operations) != ["write"],
            "block_sizes": len(self.block_sizes) > 1,
            "align": self.align is not None,
            "order": self.order not in ("sequential", "random"),
            "distribution": self.distribution != "uniform" or self.random_percent < 100,
            "files_of": self.files_of is not None,
            "files_in_turns": bool(self.files_in_turns),
            "think": bool(self.think),
            "duplicates": bool(self.duplicates),
            "continue_when_full": self.continue_when_full,
        }
        for key, hinders in reasons.items():
            if hinders:
                raise conflict(
                    "what is verified is written by this group alone, each place once in a round",
                    ["verify", key],
                    next="verify = false, or a group that only writes: one block size, order"
                    " sequential or random, uniform",
                )
