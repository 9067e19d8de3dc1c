"""The interval of the series as a person writes it: what is refused, and where it goes."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import FilesTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.study.parse import parse_study
from fsgauge.study.workload import cells_of, default_primary
from fsgauge.workload import method_of

STUDY = """\
format = 1
question = "How steady is it?"

[storage]
kind = "loop"

[[system]]
name = "ext4"

[workload]
kind = "overhead"
"""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            'duration = "1 s"\nseries_interval = "100 ms"',
            [
                "1 s has 10 intervals of 100 ms, and 11 to 6000 make a series",
                'next: duration = "1100 ms", or a shorter series_interval',
            ],
        ),
        (
            'duration = "2 min"\nseries_interval = "10 ms"',
            ["2 min has 12000 intervals of 10 ms", "next: a longer series_interval"],
        ),
        (
            'duration = "100 ms"\nrate = "1 IOPS"',
            ["0.1 operations are due in the 100 ms that are measured", "a longer duration"],
        ),
        ('series_interval = "5 ms"', ["series_interval must be at least 10 ms"]),
        ("series_interval = 5", ["series_interval", "unit"]),
    ],
)
def test_a_series_that_tells_nothing_is_refused(lines: str, words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        parse_study(f"{STUDY}{lines}\n", "my.toml", "my")
    text = refusal.value.render()
    assert all(each in text for each in words), text


def test_it_reaches_the_engine_and_is_told() -> None:
    place = FilesTarget(directory="/mnt", prefix="f", count=1, file_size_bytes=1 << 20)
    for given, used, told in ((None, 500_000_000, False), (100_000_000, 100_000_000, True)):
        workload = OverheadWorkload(series_interval=given)
        job = method_of(workload).load_job(cells_of(workload)[0], place, 7)
        assert isinstance(job, LoadJob) and job.interval_ns == used
        lines = " ".join(method_of(workload).held_equal("8 GiB", has_raw=False))
        assert ("in intervals of 100 ms" in lines) == told


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
