"""Cells: their names, and what each of them does."""

from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.study.workload import cells_of, default_primary


def cells(**workload):
    return {cell.id: cell for cell in cells_of(OverheadWorkload(**workload))}


def test_names():
    found = cells(
        patterns=["randread"],
        block_sizes=[4096, 1000],
        direct=False,
        queue_depths=[32],
        jobs=[1, 4],
    )
    assert {cell.id: cell.name for cell in found.values()} == {
        "randread-4KiB-depth32": "randread 4 KiB, depth 32",
        "randread-4KiB-depth32-jobs4": "randread 4 KiB, depth 32, 4 jobs",
        "randread-1kB-depth32": "randread 1 kB, depth 32",
        "randread-1kB-depth32-jobs4": "randread 1 kB, depth 32, 4 jobs",
    }


def test_mixes():
    found = cells(
        patterns=["read", "write", "rw", "randread", "randwrite", "randrw"],
        block_sizes=[4096],
        queue_depths=[1],
        read_percent=70,
    )
    shares = {
        OverheadFactors.of(cell).pattern: OverheadFactors.of(cell).read_percent
        for cell in found.values()
    }
    assert shares == {
        "read": 100,
        "write": 0,
        "rw": 70,
        "randread": 100,
        "randwrite": 0,
        "randrw": 70,
    }


def test_auto_is_synchronous_at_depth_1_alone():
    found = cells(patterns=["read"], block_sizes=[4096], queue_depths=[1, 2])
    assert [OverheadFactors.of(cell).interface for cell in found.values()] == ["psync", "io_uring"]
    ring = cells(patterns=["read"], block_sizes=[4096], queue_depths=[1], interface="io_uring")
    assert [OverheadFactors.of(cell).interface for cell in ring.values()] == ["io_uring"]


def test_the_answer_is_about_small_blocks_at_the_ends_of_the_queue():
    workload = OverheadWorkload(
        patterns=["randread", "randwrite"],
        block_sizes=[65536, 4096],
        queue_depths=[64, 1, 32],
        jobs=[2, 4],
    )
    assert default_primary(workload) == [
        "randread-4KiB-depth64-jobs2",
        "randread-4KiB-depth1-jobs2",
        "randwrite-4KiB-depth64-jobs2",
        "randwrite-4KiB-depth1-jobs2",
    ]
