"""The disk model on layouts that a real ext4 made: the published rates at 5 % free, at 1/40 scale.

Published on 20 files of 93.75 GiB (Sonexion 1600, ldiskfs); here 20 of 2.34 GiB on a sparse image,
by fallocate in turns, chunk by chunk. Stock ext4 gives each chunk an extent of its own, as it does
not round what fallocate asks for (fs/ext4/extents.c, EXT4_GET_BLOCKS_NO_NORMALIZE; seen on 6.18).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fsgauge.engine.client import Engine
from fsgauge.engine.wire import PassedFile, ScanJob
from fsgauge.kinds.aging.analysis.layouts import streams_of
from fsgauge.kinds.aging.disk import DiskModel
from fsgauge.kinds.aging.predicting import predict_rates
from tests.rigs.conftest import MEBIBYTE, MakeLoop, run

pytestmark = pytest.mark.root
FILES, STREAMS = 20, 4
FILE_BYTES = 2400 * MEBIBYTE
IMAGE_BYTES = 50_000 * MEBIBYTE
RATE_BYTES = FILE_BYTES * 9 // 10
TOLERANCE = 0.05
"""How far a prediction may be from what was published."""


@pytest.fixture
def mounted(make_loop: MakeLoop, tmp_path: Path) -> Iterator[Path]:
    device = make_loop(IMAGE_BYTES)
    options = "lazy_itable_init=1,lazy_journal_init=1"
    run("mkfs.ext4", "-q", "-m", "0", "-E", options, "-i", "16777216", device)
    folder = tmp_path / "mounted"
    folder.mkdir()
    run("mount", "-o", "noinit_itable", device, str(folder))
    yield folder
    run("umount", str(folder))


@contextmanager
def opened(folder: Path, name: str, count: int) -> Iterator[list[int]]:
    """Descriptors of new files, closed at the end."""
    with ExitStack() as stack:
        found = []
        for number in range(count):
            descriptor = os.open(folder / f"{name}-{number:02d}", os.O_CREAT | os.O_WRONLY, 0o600)
            stack.callback(os.close, descriptor)
            found.append(descriptor)
        yield found


def in_turns(folder: Path, name: str, count: int, each_bytes: int, chunk: int) -> None:
    """Files that grow chunk by chunk, one after the other."""
    with opened(folder, name, count) as descriptors:
        for place in range(0, each_bytes, chunk):
            for descriptor in descriptors:
                os.posix_fallocate(descriptor, place, chunk)


def streams(folder: Path, engine: Engine, chunk: int) -> list[PassedFile]:
    """Where the streams' files lie when they are written now; they are removed."""
    place = folder / "rate"
    place.mkdir()
    each = RATE_BYTES // STREAMS // chunk * chunk
    in_turns(place, "rate", STREAMS, each, chunk)
    os.sync()
    found = engine.scan(ScanJob(path=str(place), top=STREAMS, space=False))
    assert found.counts.files == len(found.top) == STREAMS
    for file in place.iterdir():
        file.unlink()
    place.rmdir()
    os.sync()
    return streams_of(found)


def take_the_rest(folder: Path) -> None:
    """A file of ballast, in large pieces, then in ever smaller ones."""
    with opened(folder, "ballast", 1) as (descriptor,):
        end, piece = 0, 1024 * MEBIBYTE
        while piece >= MEBIBYTE:
            try:
                os.posix_fallocate(descriptor, end, piece)
                end += piece
            except OSError:
                piece //= 2
        os.ftruncate(descriptor, end - 4 * MEBIBYTE)


@pytest.mark.parametrize(
    ("mebibytes", "window", "published"),
    [(1, 64, 0.29), (2, 64, 0.50), (4, 64, 0.74), (8, 64, 0.90), (8, 16, 0.87)],
)
def test_one_file_of_twenty_deleted(
    mounted: Path, engine: Engine, mebibytes: int, window: int, published: float
) -> None:
    disk, chunk = DiskModel().model_copy(update={"window": window}), mebibytes * MEBIBYTE
    before = streams(mounted, engine, chunk)
    in_turns(mounted, "aged", FILES, FILE_BYTES // chunk * chunk, chunk)
    take_the_rest(mounted)
    (mounted / "aged-07").unlink()
    os.sync()
    files = streams(mounted, engine, chunk)
    lengths = {length for file in files for length in file.length_bytes}
    clean, aged = predict_rates([before, files], disk)
    assert aged is not None and clean is not None
    assert min(lengths) == chunk
    assert aged / clean == pytest.approx(published, abs=TOLERANCE)
