"""Writers carried out: files, jobs, and what a run will take."""

import pytest

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.kinds.writers.method import LONGEST_RUN_NS
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of
from fsgauge.workload.assumed import ASSUMED_LATENCY_SECONDS

MIB = 1 << 20
DEVICE = wire.BlockTarget(path="/dev/loop0", size_bytes=64 * MIB)
FILE = wire.FilesTarget(directory="/x", count=1, file_size_bytes=64 * MIB)


def job(cell=0, target=DEVICE, **keys):
    workload = WritersWorkload(**keys)
    return method_of(workload).load_job(cells_of(workload)[cell], target, seed=7)


def test_the_published_job():
    one = job(cell=1)
    assert (one.jobs, one.block_sizes[0].size_bytes, one.queue_depth) == (2, 8192, 1)
    assert (one.ranges, one.passes, one.duration_ns) == (wire.SharedRanges(), 1, LONGEST_RUN_NS)
    assert (one.direct, one.interface, one.workers) == (True, "psync", "processes")
    assert (one.read_percent, one.warm_up_ns, one.seed, one.target) == (0, 0, 7, DEVICE)
    assert one.verify and one.measure_limits and not one.extend
    assert (one.sync, one.companions) == (wire.NoSync(), [])
    layout = method_of(WritersWorkload()).layout_job(DEVICE, 3)
    assert (layout.block_size_bytes, layout.queue_depth, layout.direct) == (MIB, 1, True)


def test_a_job_says_what_the_study_says():
    one = job(
        target=FILE,
        ranges=["strided"],
        stride=64 << 10,
        order="random",
        access=["buffered"],
        workers="threads",
        descriptors="shared",
        sync="fsync",
        sync_every=32,
        readers=3,
        log_writers=2,
        duration=5 * 10**9,
        warm_up=10**9,
        verify=False,
    )
    assert (one.ranges, one.access) == (
        wire.StridedRanges(stride_bytes=64 << 10),
        wire.RandomAccess(),
    )
    assert (one.direct, one.workers, one.descriptors) == (False, "threads", "shared")
    assert (one.sync, one.passes, one.verify) == (wire.FsyncSync(every=32), None, False)
    assert (one.warm_up_ns, one.duration_ns) == (10**9, 5 * 10**9)
    assert one.companions == [
        wire.Companion(role="reader", count=3, block_size_bytes=8192),
        wire.Companion(role="log", count=2, block_size_bytes=16384),
    ]
    assert job(target=FILE, allocation=["extend"]).extend
    assert not job(target=FILE, allocation=["extend"]).preallocate
    assert job(target=FILE, allocation=["preallocated"]).preallocate
    assert job(ranges=["interleaved"]).ranges == wire.InterleavedRanges()


def test_own_files_are_as_many_as_the_writers_and_the_others_use_the_first():
    keys = {"writers": [2, 8], "ranges": ["shared", "own files"]}
    method = method_of(WritersWorkload(**keys))
    assert method.files == 8
    laid_out = wire.FilesTarget(directory="/x", count=8, file_size_bytes=MIB)
    assert job(0, laid_out, **keys).target == laid_out.model_copy(update={"count": 1})
    own = job(2, laid_out, **keys)
    assert own.ranges == wire.OwnFilesRanges()
    assert own.target == laid_out.model_copy(update={"count": 2})
    assert job(3, laid_out, **keys).target == laid_out
    assert method_of(WritersWorkload()).files == 1


def test_a_device_does_direct_overwrites_whatever_the_files_do():
    one = job(
        access=["buffered"],
        order="random",
        sync="fsync",
        sync_every=32,
        readers=3,
        log_writers=2,
        interface="io_uring",
        queue_depth=4,
        writers=[3],
    )
    assert one.direct and one.target == DEVICE
    assert (one.jobs, one.queue_depth, one.interface) == (3, 4, "io_uring")
    assert (one.access, one.sync) == (wire.RandomAccess(), wire.FsyncSync(every=32))
    assert [companion.role for companion in one.companions] == ["reader"]
    for allocation in ("extend", "preallocated"):
        anew = job(allocation=[allocation])
        assert not anew.extend and not anew.preallocate
    layout = method_of(WritersWorkload(access=["buffered"])).layout_job
    assert layout(DEVICE, 3).direct and not layout(FILE, 3).direct


def test_own_files_are_segments_as_long_on_a_device():
    keys = {"writers": [2, 8], "ranges": ["shared", "own files"]}
    shared, own, all_of_it = job(0, **keys), job(2, **keys), job(3, **keys)
    assert (shared.ranges, own.ranges) == (wire.SharedRanges(), wire.SegmentedRanges())
    assert shared.target == DEVICE.model_copy(update={"size_bytes": 8 * MIB})
    assert own.target == DEVICE.model_copy(update={"size_bytes": 2 * 8 * MIB})
    assert all_of_it.target == DEVICE


def test_what_a_device_stands_for_is_said_where_it_differs():
    def said(**keys):
        return method_of(WritersWorkload(**keys)).bare_stands_for()

    assert said() == ""
    assert said(access=["direct", "buffered"], log_writers=1) == (
        "the device's limit: direct overwrites by the same number of writers;"
        " buffered is direct, no log is kept"
    )
    assert "own files are segments as long as the files" in said(ranges=["own files"])
    assert "extend is overwrite, preallocated is overwrite" in said(
        allocation=["preallocated", "extend"]
    )


def test_one_number_of_writers_tells_nothing_of_scaling():
    assert "all runs have 2 writers" in method_of(WritersWorkload(writers=[2])).cannot_tell()
    assert method_of(WritersWorkload()).cannot_tell() == ""


def test_every_number_of_writers_has_equal_shares():
    method = method_of(WritersWorkload(writers=[1, 3, 8], ranges=["segmented"]))
    size = method.file_size_bytes(100 * MIB + 5)
    assert size % (24 * 8192) == 0
    assert 99 * MIB < size <= 100 * MIB


@pytest.mark.parametrize(
    ("keys", "file_bytes", "words", "way_out"),
    [
        ({"block_sizes": [1 << 20]}, 4096, "a file would have 4 KiB", "larger storage"),
        (
            {"writers": [2, 64], "ranges": ["segmented"], "verify": False},
            32 * 8192,
            "the file is too small for 64 writers with segmented ranges",
            "--set 'workload.writers=[2]'",
        ),
        (
            {"readers": 1, "reader_block_size": 8 * MIB},
            4 * MIB,
            "a file would have 4 MiB, and a reader reads 8 MiB at a time",
            "workload.reader_block_size",
        ),
        ({"writers": [2, 4], "ranges": ["strided"]}, 3 * MIB, "4 writers with strided", "[2]"),
        (
            {"writers": [8], "ranges": ["interleaved"], "interface": "io_uring", "queue_depth": 8},
            64 * 8192,
            "8 writers with interleaved",
            "larger storage",
        ),
    ],
)
def test_more_writers_than_places(keys, file_bytes, words, way_out):
    method = method_of(WritersWorkload(**keys))
    with pytest.raises(InputError) as refusal:
        method.require_room(file_bytes, "the file is small")
    assert words in refusal.value.what
    assert way_out in refusal.value.next
    assert refusal.value.cause == "the file is small"


def test_as_many_writers_as_places_are_fine():
    keys = {"writers": [32], "ranges": ["interleaved"], "verify": False}
    method_of(WritersWorkload(**keys)).require_room(32 * 8192, "")
    method_of(WritersWorkload(writers=[1024])).require_room(2 * 8192, "")


def test_passes_are_counted_exactly():
    workload = WritersWorkload(writers=[4], ranges=["shared", "segmented"], passes=3)
    method, (shared, segmented) = method_of(workload), cells_of(workload)
    assert method.written_bytes(shared, 64 * MIB) == 4 * 3 * 64 * MIB
    assert method.written_bytes(segmented, 64 * MIB) == 3 * 64 * MIB
    one_writer_alone = 4 * 3 * 64 * MIB / 8192 * ASSUMED_LATENCY_SECONDS
    assert method.run_seconds(shared, 64 * MIB) == pytest.approx(one_writer_alone, rel=0.2)
    forever = method.run_seconds(shared, 1 << 50)
    assert forever < LONGEST_RUN_NS / 1e9 + (1 << 50) / (1 << 28)


def test_logs_are_reserved_and_counted():
    workload = WritersWorkload(writers=[1], log_writers=2, duration=10**9)
    method, (cell,) = method_of(workload), cells_of(workload)
    assert method.reserve_bytes == 512 * MIB
    alone = WritersWorkload(writers=[1], duration=10**9)
    assert method.written_bytes(cell, MIB) > method_of(alone).written_bytes(cell, MIB)


def test_only_direct_operations_need_alignment():
    assert method_of(WritersWorkload()).direct_sizes_bytes() == [8192]
    mixed = WritersWorkload(readers=1, reader_block_size=512)
    assert method_of(mixed).direct_sizes_bytes() == [8192, 512]
    buffered = method_of(WritersWorkload(access=["buffered"]))
    assert buffered.direct_sizes_bytes() == []
    assert buffered.direct_sizes_bytes(bare=True) == [8192]


def test_buffered_without_sync_is_said_to_measure_memory():
    keys = {"access": ["direct", "buffered"]}
    (note,) = method_of(WritersWorkload(**keys)).notes()
    assert "end in memory" in note
    assert method_of(WritersWorkload(**keys, sync="fsync")).notes() == []
    assert method_of(WritersWorkload()).notes() == []


def test_what_is_held_equal_is_in_words():
    said = "\n".join(method_of(WritersWorkload(readers=2)).held_equal("300 MiB", True))
    assert "one file that fills 300 MiB; raw: the same number of bytes of the device" in said
    assert "processes, one open file each, psync, overwrite" in said
    assert "1 pass over its part, at most 10 min" in said
    assert "2 random readers of 8 KiB" in said


def test_a_stride_without_a_device_reaches_the_engine_and_is_told():
    for given, used in ((None, None), (64, 64)):
        assert job(limits_stride=given).limits_stride_bytes == used
        lines = method_of(WritersWorkload(limits_stride=given)).held_equal("8 GiB", has_raw=False)
        told = "without a device: one byte of every 64 B touched, as well as the rest"
        assert (told in lines) == (given is not None)
