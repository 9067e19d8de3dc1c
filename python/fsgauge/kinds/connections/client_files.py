"""How many files the clients have, as the study says or as many as the room allows, and what they
take.

Raises InputError with the numbers that would fit where the room does not hold them. Sizes that
are drawn have the mean's sum, and a margin of three standard deviations of the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from fsgauge.errors import InputError
from fsgauge.kinds.connections.fields import MOVING_A_FILE
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.study.file_sizes import FileSizes, weighted
from fsgauge.units import count, exact_duration, format_duration, format_size, listed
from fsgauge.workload.assumed import METADATA_BYTES, Room, Speed
from fsgauge.workload.folders import FileSets

ALLOCATION_BYTES = 4096
"""Files take whole blocks; 4 KiB is what every kind's mkfs chooses on storage of usual sizes."""
_STEPS = 400
_MARGIN_DEVIATIONS = 3.0
USABLE_PERCENT = 97
"""Share of the free space that files may take: file systems need the rest as they fill."""
DIRECTORY_BYTES = 8 << 10
"""A directory's own blocks, one for its first names and one as it grows."""
_MOST_FILES = 999_999
CALL_SECONDS = 5e-6
"""A call that needs no storage, with what surrounds it."""
CALLS_OF_FILE = 4
_SECOND_NS = 1_000_000_000
_MILLISECOND_NS = 1_000_000
_SHORTEST_MIX_NS = 10 * _MILLISECOND_NS


@dataclass(frozen=True)
class FileSpace:
    """Mean bytes of one file: of its contents, on storage, and the deviation of the latter.
    `in_turn` are the sizes that each client has in turn; empty where they are drawn."""

    contents: float
    allocated: float
    deviation: float
    in_turn: tuple[int, ...] = ()

    def contents_of(self, clients: int, files_each: int) -> float:
        if self.in_turn:
            counts = _counts(len(self.in_turn), clients, files_each)
            return sum(size * count for size, count in zip(self.in_turn, counts, strict=True))
        return self.contents * clients * files_each

    def allocated_of(self, clients: int, files_each: int) -> float:
        """Space of all files of so many clients, hardly ever more."""
        if self.in_turn:
            counts = _counts(len(self.in_turn), clients, files_each)
            pairs = zip(self.in_turn, counts, strict=True)
            return sum(_rounded(size) * count for size, count in pairs)
        files = clients * files_each
        return self.allocated * files + _MARGIN_DEVIATIONS * self.deviation * math.sqrt(files)

    @property
    def allocated_of_one(self) -> float:
        """Space of a file that nothing else is known of, hardly ever more."""
        return self.allocated + _MARGIN_DEVIATIONS * self.deviation


def own_file_space(workload: ConnectionsWorkload) -> FileSpace:
    if FileSizes.of(workload).is_log_normal:
        return _weighed(_log_normal(workload), drawn=True)
    pairs = weighted(workload.file_sizes, workload.size_weights)
    return _weighed(pairs, drawn=bool(workload.size_weights))


def backup_file_space(workload: ConnectionsWorkload) -> FileSpace:
    """A file of the set that is backed up: all are alike."""
    return _weighed([(workload.backup_file_size, 1)], drawn=False)


def _weighed(sizes: list[tuple[int, int]], *, drawn: bool) -> FileSpace:
    total = sum(weight for _, weight in sizes)
    contents = sum(size * weight for size, weight in sizes) / total
    allocated = sum(_rounded(size) * weight for size, weight in sizes) / total
    variance = sum((_rounded(size) - allocated) ** 2 * weight for size, weight in sizes) / total
    if not drawn:
        return FileSpace(contents, allocated, 0.0, tuple(size for size, _ in sizes))
    return FileSpace(contents, allocated, math.sqrt(variance))


def _counts(sizes: int, clients: int, files_each: int) -> list[int]:
    """How many files have each size: file f of client c has the size of number c + f, in turn. A
    whole round of clients, or of a client's files, has all sizes equally often. What is left is a
    rectangle of fewer clients and files than sizes, whose diagonals are counted."""
    rounds, clients = divmod(clients, sizes)
    file_rounds, files = divmod(files_each, sizes)
    even = rounds * files_each + clients * file_rounds

    def diagonal(total: int) -> int:
        return max(0, min(total + 1, clients, files, clients + files - 1 - total))

    return [even + diagonal(at) + diagonal(at + sizes) for at in range(sizes)]


def _log_normal(workload: ConnectionsWorkload) -> list[tuple[int, int]]:
    from statistics import NormalDist

    normal = NormalDist(math.log(workload.median_size), workload.size_sigma)
    low, high = math.log(workload.smallest_size), math.log(workload.largest_size)
    logs = (normal.inv_cdf((step + 0.5) / _STEPS) for step in range(_STEPS))
    return [(round(math.exp(min(max(each, low), high))), 1) for each in logs]


def _rounded(size_bytes: int) -> int:
    return -(-size_bytes // ALLOCATION_BYTES) * ALLOCATION_BYTES


@dataclass(frozen=True)
class _Set:
    """One file set: files of each client as asked for, its share of the storage, one file."""

    asked: int | None
    fill_percent: int
    space: FileSpace
    key: str

    @property
    def is_backup(self) -> bool:
        return self.key.startswith("backup")


@dataclass(frozen=True)
class ClientFiles:
    workload: ConnectionsWorkload

    def sets(self, room: Room) -> FileSets:
        """Files of each client in both sets; InputError where they do not fit."""
        own, backup = self._own(), self._backup()
        found = FileSets(
            files_per_client=self._files(own, room) if own else 0,
            backup_files_per_client=self._files(backup, room) if backup else 0,
        )
        self._require_bytes(found, room)
        self._require_inodes(found, room)
        return found

    def volume(self, sets: FileSets, clients: int, *, backup: bool) -> tuple[float, int]:
        """Bytes of contents, and files, of one set where so many clients share it."""
        chosen = self._backup() if backup else self._own()
        if chosen is None:
            return 0.0, 0
        of_most = sets.backup_files_per_client if backup else sets.files_per_client
        each = self.files_each(of_most, clients, backup=backup)
        return chosen.space.contents_of(clients, each), each * clients

    def require_time_for_rests(self, sets: FileSets) -> None:
        """InputError where the time limit would end clients that still rest between files."""
        workload, clients = self.workload, min(self.workload.clients)
        pairs = ((sets.files_per_client, False), (sets.backup_files_per_client, True))
        files = max(self.files_each(most, clients, backup=backup) for most, backup in pairs)
        rests = -(-files // workload.outstanding) - 1
        taken_ns = workload.ramp + rests * workload.think
        if taken_ns > workload.time_limit:
            enough = exact_duration(2 * -(-taken_ns // _SECOND_NS) * _SECOND_NS).replace(" ", "")
            raise InputError(
                f"with a rest of {exact_duration(workload.think)} after each, a client's"
                f" {files:,} files take {format_duration(taken_ns)} or more, and the time limit"
                f" ends a test after {exact_duration(workload.time_limit)}",
                next=f"--set workload.time_limit={enough}, a shorter workload.think, or fewer"
                " workload.files_per_connection",
            )

    def in_mix(self, weight: int, speed: Speed, *, is_served: bool) -> float:
        """How often the clients do, in the test mix, what has so much of its weight: as fast as is
        assumed, or as their rests allow."""
        workload = self.workload
        moved = own_file_space(workload).contents / speed.bytes_per_second
        call = speed.served_seconds if is_served else CALL_SECONDS
        seconds = sum(
            each * (moved + CALLS_OF_FILE * call if name in MOVING_A_FILE else call)
            for name, each in workload.mix.items()
        )
        rests = sum(workload.mix.values()) * workload.think / 1e9
        seconds = max(seconds, rests / (workload.most_clients * workload.outstanding))
        return weight * workload.mix_duration / 1e9 / seconds

    def files_each(self, of_most: int, clients: int, *, backup: bool) -> int:
        """Files of each of so many clients, where each of the most has `of_most`. As many as the
        study says; otherwise all numbers of clients share the same files out."""
        asked = (
            self.workload.backup_files_per_connection
            if backup
            else self.workload.files_per_connection
        )
        if asked is not None:
            return of_most
        return min(of_most * self.workload.most_clients // clients, _MOST_FILES)

    def _own(self) -> _Set | None:
        workload = self.workload
        if "write" not in workload.tests:
            return None
        space = own_file_space(workload)
        return _Set(workload.files_per_connection, workload.fill, space, "files_per_connection")

    def _backup(self) -> _Set | None:
        workload = self.workload
        if "backup" not in workload.tests:
            return None
        asked, fill = workload.backup_files_per_connection, workload.backup_fill
        return _Set(asked, fill, backup_file_space(workload), "backup_files_per_connection")

    def _files(self, chosen: _Set, room: Room) -> int:
        """As asked for, or the share of bytes and inodes; never less than a client works on."""
        if chosen.asked is not None:
            return chosen.asked
        clients = self.workload.most_clients
        budget = room.free_bytes * chosen.fill_percent // 100 - self._directory_bytes()
        files = int(budget / (chosen.space.allocated_of_one + METADATA_BYTES))
        if room.inodes is not None:
            files = min(files, room.inodes * chosen.fill_percent // 100 - self._directories())
        return min(max(files // clients, self.workload.outstanding), _MOST_FILES)

    def _grown(self, room: Room) -> float:
        """Files that a mix makes more than it removes, and those that it is about to rename."""
        mix = self.workload.mix if "mix" in self.workload.tests else {}
        saved = self.workload.most_clients * self.workload.outstanding if "save" in mix else 0
        more = mix.get("create", 0) - mix.get("delete", 0)
        grown = self.in_mix(more, room.speed, is_served=room.is_served) if more > 0 else 0.0
        return saved + grown

    def _bytes(self, sets: FileSets, room: Room) -> float:
        """Everything on storage, with a margin where sizes are drawn."""
        total = float(self._directory_bytes())
        if grown := self._grown(room):
            total += grown * (own_file_space(self.workload).allocated + METADATA_BYTES)
        for chosen, each in self._chosen(sets):
            files = each * self.workload.most_clients
            total += max(
                chosen.space.allocated_of(
                    clients, self.files_each(each, clients, backup=chosen.is_backup)
                )
                for clients in self.workload.clients
            )
            total += files * METADATA_BYTES
        return total

    def _inodes(self, sets: FileSets, room: Room) -> int:
        files = sets.files_per_client + sets.backup_files_per_client
        own = files * self.workload.most_clients + round(self._grown(room))
        return own + self._directories() * len(self._chosen(sets)) + 2

    def _chosen(self, sets: FileSets) -> list[tuple[_Set, int]]:
        pairs = (
            (self._own(), sets.files_per_client),
            (self._backup(), sets.backup_files_per_client),
        )
        return [(chosen, each) for chosen, each in pairs if chosen is not None]

    def _directories(self) -> int:
        workload = self.workload
        if workload.tree == "own":
            return workload.most_clients
        return sum(workload.fan_out**level for level in range(1, workload.depth + 1))

    def _directory_bytes(self) -> int:
        return self._directories() * DIRECTORY_BYTES

    def _fits(self, sets: FileSets, room: Room) -> bool:
        has_inodes = room.inodes is None or self._inodes(sets, room) <= room.inodes
        return has_inodes and self._bytes(sets, room) <= _usable(room)

    def _require_bytes(self, sets: FileSets, room: Room) -> None:
        needed = self._bytes(sets, room)
        if needed > _usable(room):
            raise InputError(
                f"{self._asked_words(sets, room)} need about {format_size(needed)}",
                cause=f"{_name(room.least)} leaves {format_size(room.free_bytes)}, and files may"
                f" take up {USABLE_PERCENT} % of that",
                next=f"{self._way_out(sets, room)}larger storage",
            )

    def _require_inodes(self, sets: FileSets, room: Room) -> None:
        needed = self._inodes(sets, room)
        if room.inodes is not None and needed > room.inodes:
            raise InputError(
                f"{self._asked_words(sets, room)} need {needed} inodes",
                cause=f"{_name(room.fewest)} has {room.inodes}: mkfs decides how many",
                next=f"{self._way_out(sets, room)}larger storage, or {room.more_inodes(needed)}",
            )

    def _way_out(self, sets: FileSets, room: Room) -> str:
        """The largest numbers that fit: a shorter mix, fewer files, otherwise fewer clients."""
        most = self.workload.most_clients
        shorter = partial(self._fits_for, sets, room)
        fitting = _largest(self.workload.mix_duration // _MILLISECOND_NS, shorter)
        if fitting * _MILLISECOND_NS > max(self.workload.ramp, _SHORTEST_MIX_NS):
            duration = exact_duration(fitting * _MILLISECOND_NS).replace(" ", "")
            return f"--set workload.mix_duration={duration}, or "
        by_size = sorted(
            self._chosen(sets), key=lambda pair: -pair[0].space.contents_of(most, pair[1])
        )
        for chosen, _ in by_size:
            fits = partial(self._fits_with, chosen, sets, room)
            if chosen.asked is not None and (fitting := _largest(chosen.asked, fits)):
                return f"--set workload.{chosen.key}={fitting}, or "
        fitting = _largest(most, partial(self._fits_clients, sets, room))
        return f"--set workload.clients={fitting}, or " if fitting else "smaller files, or "

    def _fits_with(self, chosen: _Set, sets: FileSets, room: Room, files: int) -> bool:
        if chosen.is_backup:
            return self._fits(replace(sets, backup_files_per_client=files), room)
        return self._fits(replace(sets, files_per_client=files), room)

    def _fits_for(self, sets: FileSets, room: Room, milliseconds: int) -> bool:
        update = {"mix_duration": milliseconds * _MILLISECOND_NS}
        return ClientFiles(self.workload.model_copy(update=update))._fits(sets, room)

    def _fits_clients(self, sets: FileSets, room: Room, clients: int) -> bool:
        fewer = ClientFiles(self.workload.model_copy(update={"clients": [clients]}))
        return fewer._fits(sets, room)

    def _asked_words(self, sets: FileSets, room: Room) -> str:
        own, backup = sets.files_per_client, sets.backup_files_per_client
        parts = [f"{own} file{'s' if own > 1 else ''} each"] if own else []
        parts += [f"{backup} to back up"] if backup else []
        if grown := round(self._grown(room)):
            parts += [f"about {grown:,} that the mix adds"]
        return f"{count(self.workload.most_clients, 'client')} with {listed(parts)}"


def _name(system: str) -> str:
    return f'"{system}"' if system else "the storage"


def _usable(room: Room) -> int:
    return room.free_bytes * USABLE_PERCENT // 100


def _largest(below: int, fits: Callable[[int], bool]) -> int:
    """The largest number under `below` that fits, 0 where none does; what fits is monotonic."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
