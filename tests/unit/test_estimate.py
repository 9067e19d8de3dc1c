"""Estimates follow from the study and the stated assumptions."""

import pytest

from fsgauge import estimate
from fsgauge.study.model import LoopStorage, OverheadWorkload, Study, System

GIB = 1 << 30


def study(**workload):
    return Study(
        format=1,
        name="test",
        question="?",
        storage=LoopStorage(size=GIB),
        systems=[System(name="raw", kind="raw"), System(name="ext4", kind="ext4")],
        workload=OverheadWorkload(
            **{"queue_depths": [32], "block_sizes": [4096], "warm_up": 10**9, "duration": 10**9}
            | workload
        ),
    )


def test_a_block_is_a_turn_of_each_and_one_more():
    one = study(patterns=["randread", "randwrite"], fill=50)
    filling = GIB / 2 / estimate.ASSUMED_BANDWIDTH_BYTES_PER_SECOND
    turn = estimate.TURN_SECONDS + filling + 2 * (2 + estimate.RUN_SECONDS)
    assert estimate.turn_seconds(one, GIB) == pytest.approx(turn)
    assert estimate.block_seconds(one, GIB) == pytest.approx(3 * turn)


def test_reads_write_nothing_but_the_layout():
    assert estimate.turn_written_bytes(study(patterns=["randread"]), GIB) == GIB * 90 // 100


def test_a_pace_bounds_what_is_written():
    paced = study(patterns=["randrw"], read_percent=75, rate=1000.0)
    load = estimate.turn_written_bytes(paced, GIB) - estimate.layout_bytes(paced, GIB)
    assert load == 1000 * 2 * 4096 // 4
