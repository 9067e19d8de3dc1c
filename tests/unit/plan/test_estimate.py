"""Estimates follow from the study and the stated assumptions."""

import pytest

from fsgauge.cli.plan_lines import time_and_bytes
from fsgauge.kinds.commits.keys import CommitsWorkload
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.plan import estimate
from fsgauge.plan.preview import PlanDescription, describe
from fsgauge.plan.space import layout_bytes, planned_room, speed_on, times_held
from fsgauge.plan.turns import make_plan
from fsgauge.record.preconditioning import MOST_ROUNDS
from fsgauge.study.access import AccessKeys
from fsgauge.study.model import LoopStorage, Study, System
from fsgauge.study.parse import load_study
from fsgauge.study.system import COPY_ON_WRITE
from fsgauge.system import FileSystem, find_kind
from fsgauge.workload import method_of
from fsgauge.workload.assumed import EXPECTED, FASTEST, SLOWEST, operations_per_second

GIB = 1 << 30
PATH = AccessKeys()


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
    filling = GIB / 2 / EXPECTED.bytes_per_second
    turn = estimate.TURN_SECONDS + filling + 2 * (2 + estimate.RUN_SECONDS)
    assert estimate.turn_seconds(one, GIB, PATH) == pytest.approx(turn)
    assert estimate.block_seconds(one, GIB) == pytest.approx(3 * turn)


def test_reads_write_nothing_but_the_layout():
    assert estimate.turn_written_bytes(study(patterns=["randread"]), GIB) == GIB * 90 // 100


def test_a_pace_bounds_what_is_written():
    paced = study(patterns=["randrw"], read_percent=75, rate=1000.0)
    load = estimate.turn_written_bytes(paced, GIB) - layout_bytes(paced, GIB)
    assert load == 1000 * 2 * 4096 // 4


def test_limited_storage_takes_no_more_than_it_can_whatever_the_sizes():
    """Of commits a disk of 64 MiB/s was said to take 44 GiB in two minutes."""
    slow = LoopStorage(size=GIB, bandwidth=64 << 20, iops=500)
    commits = CommitsWorkload(syncs=["fdatasync"], sizes=[65536], committers=[4], duration=10**9)
    asked = study().model_copy(update={"workload": commits, "storage": slow})
    load = estimate.turn_written_bytes(asked, GIB) - layout_bytes(asked, GIB)
    assert 0 < load <= (64 << 20) * (commits.duration + commits.warm_up) / 1e9


def with_btrfs(**workload):
    systems = [System(name="raw", kind="raw"), System(name="b", kind="btrfs")]
    return study(**workload).model_copy(update={"systems": systems})


def test_a_copy_on_write_system_halves_what_all_systems_write():
    """The rig leaves half of the space to old extents, so the estimate has to."""
    writing = {"patterns": ["randwrite"], "rate": 1.0, "fill": 80}
    plain, halved = study(**writing), with_btrfs(**writing)
    assert layout_bytes(halved, GIB) == layout_bytes(plain, GIB) // 2
    assert estimate.turn_written_bytes(halved, GIB) == pytest.approx(0.4 * GIB, rel=1e-3)
    assert [times_held(halved, system) for system in halved.systems] == [1, 2]
    reading = with_btrfs(patterns=["randread"], fill=80)
    assert layout_bytes(reading, GIB) == layout_bytes(plain, GIB)


def test_every_kind_that_copies_on_write_is_a_file_system():
    assert all(isinstance(find_kind(name), FileSystem) for name in COPY_ON_WRITE)


def test_the_ends_of_the_range_are_below_and_above():
    one = study(patterns=["randread"])
    seconds = [estimate.turn_seconds(one, GIB, PATH, at) for at in (FASTEST, EXPECTED, SLOWEST)]
    assert seconds[0] < seconds[1] < seconds[2]


def test_a_disk_takes_no_more_than_it_is_limited_to():
    limits = {"bandwidth": 64 << 20, "iops": 500.0, "latency": 10_000_000}
    slow = study().model_copy(update={"storage": LoopStorage(size=GIB, **limits)})
    speed = speed_on(slow)
    assert (speed.bytes_per_second, speed.latency_seconds) == (64 << 20, 0.01)
    assert speed_on(study()) == EXPECTED
    filling = [layout_bytes(slow, GIB) / each.bytes_per_second for each in (speed, EXPECTED)]
    seconds = [estimate.turn_seconds(each, GIB, PATH) for each in (slow, study())]
    assert seconds[0] - seconds[1] == pytest.approx(filling[0] - filling[1])
    assert operations_per_second(4096, 1, speed) == pytest.approx(100)
    assert operations_per_second(4096, 32, speed) == 500
    assert operations_per_second(1 << 20, 32, speed) == 64


TIB = 1 << 40


def described(*overrides: str) -> PlanDescription:
    study = load_study("overhead", list(overrides), storage="/dev/disk/by-id/nvme-x", seed=1)
    return describe(make_plan(study, size_bytes=TIB), study, size_bytes=TIB)


def test_twice_the_capacity_is_written_once_more_than_without() -> None:
    plain, snia = described(), described("storage.precondition=snia")
    assert snia.written_bytes_estimate - plain.written_bytes_estimate >= 2 * TIB
    assert snia.shortest_seconds > plain.shortest_seconds + 2 * TIB / (2 << 30)
    assert snia.longest_seconds > plain.longest_seconds + 2 * TIB / (100 << 20)
    assert snia.shortest_seconds < snia.expected_seconds < snia.longest_seconds


def test_hours_and_endurance_are_printed() -> None:
    facts = described("storage.precondition=snia")
    lines = time_and_bytes(facts)
    (line,) = [line for line in lines if line.startswith("endurance ")]
    terabytes = float(line.split()[3])
    assert terabytes == pytest.approx(facts.written_bytes_estimate / 1e12, rel=0.01)
    assert f"{facts.written_bytes_estimate / TIB:.3g} times the 1 TiB of the device" in line
    assert "drive writes a day" in line
    assert not any("endurance" in line for line in time_and_bytes(described()))


@pytest.mark.parametrize(("kind", "times"), [("mix", 1), ("connections", 0)])
def test_rounds_lay_no_files_out_and_what_ends_with_its_work_has_none(
    kind: str, times: int
) -> None:
    """Each of up to 25 rounds was planned to write all files of a mix again, and what clients
    write was planned to be repeated."""
    plain = load_study(kind, [], storage="loop:1GiB", seed=1)
    snia = load_study(kind, ["storage.precondition=snia"], storage="loop:1GiB", seed=1)
    method = method_of(snia.workload).in_room(planned_room(snia, GIB))
    moved = sum(method.round_of(cell, 0)[1] for cell in snia.workload.cells())
    assert bool(moved) == bool(times)
    more = estimate.turn_written_bytes(snia, GIB) - estimate.turn_written_bytes(plain, GIB)
    assert more == pytest.approx(MOST_ROUNDS * moved, rel=1e-6)
    rounds = estimate.turn_seconds(snia, GIB, PATH) - estimate.turn_seconds(plain, GIB, PATH)
    each = getattr(snia.workload, "duration", 0) / 1e9 + estimate.RUN_SECONDS
    assert rounds == pytest.approx(times * estimate.EXPECTED_ROUNDS * each)
