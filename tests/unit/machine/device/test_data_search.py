"""The search on devices of every size and speed, over a made-up source with a clock of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from fsgauge.machine.device import data_search
from fsgauge.machine.device.data_search import Looked, _Search

MEBIBYTE, GIBIBYTE, TEBIBYTE = 1 << 20, 1 << 30, 1 << 40


@dataclass
class Disk:
    """Answers as a disk of some rate and latency would; `data` holds offsets of single bytes."""

    size_bytes: int
    bytes_per_second: float = 200e6
    latency_seconds: float = 0.008
    data: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    stretch: range = range(0)
    """Data in one stretch: offsets of every byte."""
    now: float = 0.0
    reads: int = 0

    def is_zero(self, offset: int, size_bytes: int) -> bool:
        self._pay(offset, size_bytes)
        return not self._inside(offset, size_bytes)

    def read(self, offset: int, size_bytes: int) -> bytes:
        self._pay(offset, size_bytes)
        found = bytearray(size_bytes)
        for at in self._inside(offset, size_bytes):
            found[at - offset] = 7
        return bytes(found)

    def _inside(self, offset: int, size_bytes: int) -> list[int]:
        end = offset + size_bytes
        found = [at for at in self.data if offset <= at < end]
        begin = max(offset, self.stretch.start)
        found += [begin] if begin < min(end, self.stretch.stop) else []
        return found

    def _pay(self, offset: int, size_bytes: int) -> None:
        assert offset >= 0
        assert offset + size_bytes <= self.size_bytes
        self.reads += 1
        self.now += self.latency_seconds + size_bytes / self.bytes_per_second
        if any(offset <= at < offset + size_bytes for at in self.broken):
            raise OSError(5, "Input/output error")


def look(
    disk: Disk,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float = 60.0,
    extents: list[tuple[int, int]] | None = None,
) -> Looked:
    monkeypatch.setattr(data_search.time, "monotonic", lambda: disk.now)
    looked = Looked("/dev/sdx", disk.size_bytes)
    said: list[str] = []
    whole = [(0, disk.size_bytes)]
    return _Search(disk, looked, seconds, extents or whole, said.append).run()  # type: ignore[arg-type]


@pytest.mark.parametrize("size_bytes", [16 * MEBIBYTE, 200 * MEBIBYTE + 512, 4 * GIBIBYTE])
def test_what_can_be_read_in_a_minute_is_read_whole(
    size_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(Disk(size_bytes), monkeypatch).zero
    for at in (0, 1, size_bytes // 3, size_bytes - 1):
        found = look(Disk(size_bytes, data=[at]), monkeypatch)
        assert found.data is not None and found.data.offset == at
        assert not found.zero
        assert f"data at byte {at}: 07" in found.sentences()[1]


def test_a_large_disk_is_sampled_within_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 TiB that move: hours to read, about half a minute is taken."""
    disk = Disk(4 * TEBIBYTE)
    found = look(disk, monkeypatch)
    assert not found.zero and found.data is None
    assert found.samples >= 2048
    assert disk.now < 60
    assert 2.9 / found.samples < found.missed_percent / 100 < 3.0 / found.samples
    said = found.sentences()[0]
    assert "data in less than 0.1 % of it could have been missed (95 % confidence)" in said
    assert "reading all of it takes about 8.44 h" in said


def test_a_fast_disk_is_sampled_more(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(4 * TEBIBYTE, bytes_per_second=3e9, latency_seconds=80e-6)
    found = look(disk, monkeypatch)
    assert found.samples == 65536
    assert "less than 0.005 % of it" in found.sentences()[0]


@pytest.mark.parametrize("at", [0, 512, 4 * TEBIBYTE - 1, 64 << 20, 256 << 30, 128 << 20, TEBIBYTE])
def test_superblocks_and_ends_are_looked_at_on_any_size(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(4 * TEBIBYTE, data=[at])
    found = look(disk, monkeypatch)
    assert found.data is not None and found.data.offset == at
    assert disk.now < 10


def test_the_bound_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data of the stated share, in the worst places, is missed in at most 5 % of searches."""
    chance = random.Random(3)
    size_bytes, missed, tries = 256 * GIBIBYTE, 0, 100
    for _ in range(tries):
        share = look(Disk(size_bytes, 1e9, 0.02), monkeypatch).missed_percent / 100
        begin = chance.randrange(int(size_bytes * (1 - share)))
        stretch = range(begin, begin + int(size_bytes * share))
        found = look(Disk(size_bytes, 1e9, 0.02, stretch=stretch), monkeypatch)
        missed += found.data is None
    assert missed <= 12, "5 % are expected at most; 12 of 100 happen once in 200"


def test_holes_of_the_file_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    part = (TEBIBYTE, TEBIBYTE + 64 * MEBIBYTE)
    disk = Disk(4 * TEBIBYTE)
    found = look(disk, monkeypatch, extents=[part])
    assert found.zero and disk.now < 10
    assert "read whole (4 TiB are holes of its file): zero" in found.sentences()[0]
    disk = Disk(4 * TEBIBYTE, data=[part[1] - 1])
    assert look(disk, monkeypatch, extents=[part]).data is not None


def test_samples_fall_into_every_extent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples are spread over what has blocks, not over the holes between."""
    extents = [(index * TEBIBYTE, index * TEBIBYTE + 16 * GIBIBYTE) for index in range(1, 4)]
    for begin, end in extents:
        middle = range(begin + 4 * GIBIBYTE, end, MEBIBYTE)
        disk = Disk(4 * TEBIBYTE, latency_seconds=0.001, data=list(middle))
        found = look(disk, monkeypatch, extents=extents)
        assert found.data is not None and begin <= found.data.offset < end


def test_what_cannot_be_read_is_not_taken_for_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(GIBIBYTE, broken=[700 * MEBIBYTE])
    found = look(disk, monkeypatch)
    assert found.whole and not found.zero
    assert "readable parts: zero" in found.sentences()[0]
    assert f"cannot be read at byte {700 * MEBIBYTE}" in found.sentences()[1]
    dying = Disk(4 * TEBIBYTE, broken=list(range(0, TEBIBYTE, 64 * MEBIBYTE)))
    found = look(dying, monkeypatch)
    assert not found.zero and len(found.unreadable) == 8
    assert dying.reads < 1000


def test_a_disk_that_crawls_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(4 * TEBIBYTE, latency_seconds=1.0)
    found = look(disk, monkeypatch)
    assert not found.zero and found.samples == 0
    assert disk.now < 600
    assert "the rest is unknown" in found.sentences()[0]
