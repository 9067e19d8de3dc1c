"""Searches a device for data without a signature: any byte that is not zero.

The whole device is read if that takes about a minute; holes of a loop device's file are not read.
Otherwise the superblock places are read, then samples spread over the device. 0xff is data: some
disks return it for discarded blocks, but it may also have been written.
"""

from __future__ import annotations

import errno
import math
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.device_bytes import (
    ALIGNMENT_BYTES,
    LARGEST_READ_BYTES,
    DeviceBytes,
    device_bytes,
    superblock_places,
)
from fsgauge.machine.device.loop_devices import LoopBacking, backing_of, identity_at
from fsgauge.plain_files.opening import closing
from fsgauge.units import format_duration, format_size

_CONFIDENCE = 0.95
_SHOWN_BYTES = 16


@dataclass(frozen=True)
class FoundData:
    offset: int
    first_bytes: bytes

    def __str__(self) -> str:
        shown = self.first_bytes[:_SHOWN_BYTES]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in shown)
        return f'data at byte {self.offset}: {shown.hex(" ")} "{text}"'


@dataclass(frozen=True)
class Looked:
    """The search for data on one device.

    `hole_bytes` are holes of a loop device's backing file, zero without being read. `samples` were
    spread over all that the search did not read whole.
    """

    path: str
    size_bytes: int
    whole: bool = False
    hole_bytes: int = 0
    places: int = 0
    samples: int = 0
    sample_bytes: int = 0
    whole_seconds: float = 0.0
    """Time to read all of it at the measured rate."""
    data: FoundData | None = None
    unreadable: tuple[int, ...] = ()

    @property
    def zero(self) -> bool:
        return self.whole and self.data is None and not self.unreadable

    @property
    def missed_percent(self) -> float:
        """Data in this share of the device or more would have been found with 95 % confidence. A
        sample misses a share p with probability 1 - p; stratified samples do no worse."""
        return 100 * (1 - (1 - _CONFIDENCE) ** (1 / self.samples)) if self.samples else 100.0

    def sentences(self) -> list[str]:
        lines = [f"{self.path}  {format_size(self.size_bytes)}, {self._extent()}"]
        if self.data is not None:
            lines.append(f"{self.path}  {self.data}")
        if self.unreadable:
            where = ", ".join(str(offset) for offset in self.unreadable)
            lines.append(f"{self.path}  cannot be read at byte {where}")
        return lines

    def _extent(self) -> str:
        if self.data is not None:
            return "read until data was found"
        holes = (
            f" ({format_size(self.hole_bytes)} are holes of its file)" if self.hole_bytes else ""
        )
        if self.whole:
            return f"read whole{holes}: zero" if self.zero else f"readable parts{holes}: zero"
        places = f"{self.places} places of superblocks"
        if not self.samples:
            return f"{places} read: zero; the rest is unknown"
        takes = format_duration(int(self.whole_seconds * 1e9))
        return (
            f"{places} and {self.samples:,} spread samples of {format_size(self.sample_bytes)}"
            f" read{holes}: zero; data in less than {_rounded_up(self.missed_percent)} % of it"
            f" could have been missed (95 % confidence); reading all of it takes about {takes}"
        )


def _rounded_up(percent: float) -> str:
    """One significant digit, never too small."""
    power = 10.0 ** math.floor(math.log10(percent))
    return f"{math.ceil(percent / power - 1e-9) * power:.6f}".rstrip("0").rstrip(".")


SEARCH_SECONDS = 60.0
_FIRST_LOOK_SECONDS = 2.0
"""After this time the measured rate is used."""
_SAMPLE_BYTES = ALIGNMENT_BYTES
_SAMPLES_OF_A_ROUND = 1024
_ROUNDS_LIMIT = 64
_SAMPLING_SHARE = 0.5
_UNREADABLE_LIMIT = 8
_EXTENTS_LIMIT = 65536


def look_for_data(
    device: BlockDevice,
    seconds: float = SEARCH_SECONDS,
    say: Callable[[str], None] = lambda _: None,
) -> Looked:
    """Read as much of the device as `seconds` allow; stops at the first data. `say` gets a line if
    it takes longer than a moment."""
    looked = Looked(device.path, device.size_bytes)
    with device_bytes(device.path) as source:
        search = _Search(source, looked, seconds, _extents(device), say)
        return search.run()


class _TooMuchIsUnreadable(Exception):
    """A broken device is not read to its end."""


class _DataFound(Exception):
    def __init__(self, data: FoundData) -> None:
        self.data = data


@dataclass
class _Search:
    source: DeviceBytes
    looked: Looked
    seconds: float
    extents: list[tuple[int, int]]
    say: Callable[[str], None]
    unreadable: list[int] = field(default_factory=list)
    whole_seconds: float = 0.0

    def run(self) -> Looked:
        places = superblock_places(self.looked.size_bytes)
        samples, whole, data = 0, False, None
        try:
            for offset, length in places:
                self._look(offset, length)
            whole = self._read_whole()
            samples = 0 if whole else self._read_samples()
        except _DataFound as found:
            data = found.data
        except _TooMuchIsUnreadable:
            whole = False
        return replace(
            self.looked,
            whole=whole,
            hole_bytes=self.looked.size_bytes - self._extent_bytes(),
            places=len(places),
            samples=samples,
            sample_bytes=_SAMPLE_BYTES,
            whole_seconds=self.whole_seconds,
            data=data,
            unreadable=tuple(self.unreadable),
        )

    def _read_whole(self) -> bool:
        total, done, began = self._extent_bytes(), 0, time.monotonic()
        patience, told = min(_FIRST_LOOK_SECONDS, self.seconds / 2), False
        for begin, end in self.extents:
            for offset in range(begin, end, LARGEST_READ_BYTES):
                length = min(LARGEST_READ_BYTES, end - offset)
                self._look(offset, length)
                done += length
                elapsed = time.monotonic() - began
                self.whole_seconds = elapsed * total / done
                if elapsed < patience:
                    continue
                if self.whole_seconds > self.seconds:
                    self.say(f"sampling {self.looked.path} for data")
                    return False
                if not told:
                    self.say(
                        f"reading {self.looked.path} to see whether it is empty: about"
                        f" {format_duration(int(self.whole_seconds * 1e9))}"
                    )
                told = True
        return True

    def _read_samples(self) -> int:
        """How many samples were taken, in complete rounds of one per stratum."""
        began, samples = time.monotonic(), 0
        for _ in range(_ROUNDS_LIMIT):
            for offset in self._round():
                self._look(offset, min(_SAMPLE_BYTES, self.looked.size_bytes - offset))
                limit = self.seconds * (_SAMPLING_SHARE if samples else 1)
                if time.monotonic() - began > limit:
                    return samples
            samples += _SAMPLES_OF_A_ROUND
        return samples

    def _round(self) -> Iterator[int]:
        """Offsets of a round: one random chunk in each equal part of the extents."""
        chance = random.SystemRandom()
        extents = iter(self.extents)
        begin, end = next(extents)
        before, chunks = 0, self._extent_bytes() // _SAMPLE_BYTES
        for stratum in range(_SAMPLES_OF_A_ROUND):
            first = chunks * stratum // _SAMPLES_OF_A_ROUND
            last = max(chunks * (stratum + 1) // _SAMPLES_OF_A_ROUND, first + 1)
            at = chance.randrange(first, last) * _SAMPLE_BYTES
            while at - before >= end - begin:
                before += end - begin
                begin, end = next(extents)
            yield begin + at - before

    def _look(self, offset: int, length: int) -> None:
        try:
            if self.source.is_zero(offset, length):
                return
            found = self.source.read(offset, length)
        except OSError:
            self.unreadable.append(offset)
            if len(self.unreadable) >= _UNREADABLE_LIMIT:
                raise _TooMuchIsUnreadable from None
            return
        rest = found.lstrip(b"\0")
        if rest:
            raise _DataFound(FoundData(offset + length - len(rest), rest[:64]))

    def _extent_bytes(self) -> int:
        return sum(end - begin for begin, end in self.extents)


def _extents(device: BlockDevice) -> list[tuple[int, int]]:
    """The parts of a device that may hold data: all of it, or what its file has blocks for."""
    everything = [(0, device.size_bytes)]
    backing = backing_of(device.path)
    if backing is None or backing.path is None or backing.identity.is_device:
        return everything
    try:
        return _file_extents(backing, device.size_bytes) or [(0, ALIGNMENT_BYTES)]
    except (OSError, OverflowError):  # no SEEK_DATA there, or the file is out of reach
        return everything


def _file_extents(backing: LoopBacking, size_bytes: int) -> list[tuple[int, int]]:
    """SEEK_DATA and SEEK_HOLE over what the loop shows of the file, widened to whole blocks."""
    found: list[tuple[int, int]] = []
    flags, first = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC, backing.first_byte
    with closing(os.open(str(backing.path), flags)) as descriptor:
        if identity_at(f"/proc/self/fd/{descriptor}") != backing.identity:
            return [(0, size_bytes)]
        at, end = first, first + size_bytes
        while at < end:
            try:
                begin = os.lseek(descriptor, at, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                break
            at = os.lseek(descriptor, begin, os.SEEK_HOLE)
            if begin < end:
                _add(found, begin - first, min(at, end) - first, size_bytes)
            if len(found) > _EXTENTS_LIMIT:
                return [(0, size_bytes)]
    return found


def _add(found: list[tuple[int, int]], begin: int, end: int, size_bytes: int) -> None:
    begin -= begin % ALIGNMENT_BYTES
    end = min(-(-end // ALIGNMENT_BYTES) * ALIGNMENT_BYTES, size_bytes)
    if found and begin <= found[-1][1]:
        found[-1] = (found[-1][0], max(end, found[-1][1]))
    else:
        found.append((begin, end))
