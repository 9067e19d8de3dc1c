"""Groups for the engine: their files, their orders, their times, and the room they need."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsgauge.engine.wire import BlockTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.kinds.mix.method import MixMethod
from fsgauge.record.modes import Pace
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import ClientFolders, Place
from tests.unit.kinds.mix.studies import LOG, READERS, workload

PLACE = ClientFolders(directory="/mnt", files_per_client=0, backup_files_per_client=0)


def loads(lines: str, place: Place = PLACE) -> list[LoadJob]:
    method = MixMethod(workload(lines))
    return [method.load_job(cell, place, 7) for cell in method.workload.cells()]


def test_on_a_bare_device_each_group_has_a_region_and_one_may_use_anothers() -> None:
    own = 'jobs = 2\nfiles_of_jobs = "own"\nfile_sizes = "10 MiB"\n'
    writers = LOG.replace('"log"', '"writers"') + 'file_sizes = "30 KiB"\njobs = 4\n'
    lines = READERS + own + LOG + 'files_of = "other"\n' + writers.replace("fdatasync", "none")
    lines += '[[workload.group]]\nname = "other"\noperations = { write = 1 }\n'
    found = loads(lines, BlockTarget(path="/dev/x", size_bytes=1 << 30))
    regions = [(each.target.offset_bytes, each.target.size_bytes) for each in found]
    assert regions == [
        (0, 20 << 20),
        ((20 << 20) + 32768, 256 << 20),
        (20 << 20, 32768),
        regions[1],
    ]
    assert all(load.files_per_job is None for load in found)


def test_direct_groups_are_led_through_the_page_cache_by_name() -> None:
    """The next command of a fio job with direct=1 on tmpfs began with ", or"."""
    own = READERS + "direct = true\n"
    assert MixMethod(workload(LOG)).buffered_instead() == ""
    said = MixMethod(workload(own + LOG)).buffered_instead()
    assert said == "--set 'workload.group.readers.direct=false'"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (READERS + "operations = { stat = 1 }\n", 'the group "readers" does more than read'),
        ('fill = "50 %"\n' + READERS, "nothing but the groups takes space"),
    ],
)
def test_what_has_no_place_on_a_bare_device(lines: str, why: str) -> None:
    key, reason, _ = workload(lines).needs_files() or ("", "", "")
    assert key in lines and why in reason
    assert workload(READERS).needs_files() is None


def test_blocks_that_are_appended_may_be_larger_than_files() -> None:
    mail = '[[workload.group]]\nname = "mail"\noperations = { append = 1 }\nfile_sizes = "0 B"\n'
    (load,) = loads(mail)
    assert load.target.file_size_bytes == 4096
    assert load.file_sizes is not None and load.file_sizes.sizes_bytes == [0]


def test_each_group_has_a_folder_and_one_may_use_anothers() -> None:
    both = READERS + LOG + 'files_of = "readers"\n'
    assert MixMethod(workload(both)).file_sets.folders == ("readers",)
    readers, log = loads(both)
    assert readers.target == log.target
    assert readers.target.directory == "/mnt/readers"
    assert (log.sync.kind, log.read_percent, log.access.kind) == ("fdatasync", 0, "sequential")


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ('order = "backwards"', "backwards"),
        ('order = "strided"', "strided"),
        ('distribution = "pareto"', "pareto"),
        ('distribution = "normal"', "normal"),
        ('distribution = "zones"\nzone_sizes = ["10 %", "90 %"]\nzone_weights = [3, 1]', "zones"),
    ],
)
def test_orders_reach_the_engine(lines: str, kind: str) -> None:
    (load,) = loads(f"{READERS}{lines}\n")
    assert load.access.kind == kind


def test_sizes_of_writes_reach_the_engine() -> None:
    lines = READERS + "operations = { read = 1, write = 1 }\n"
    more = 'write_block_sizes = ["8 KiB", "64 KiB"]\nwrite_block_weights = [9, 1]\ndirect = true\n'
    assert loads(lines)[0].write_block_sizes == []
    (load,) = loads(lines + more)
    assert [(each.size_bytes, each.weight) for each in load.block_sizes] == [(4096, 1)]
    assert [(each.size_bytes, each.weight) for each in load.write_block_sizes] == [
        (8192, 9),
        (65536, 1),
    ]
    method = MixMethod(workload(lines + more))
    assert method.direct_sizes_bytes() == [4096, 8192, 65536]
    (said, _) = method.held_equal("", has_raw=False)
    assert "of 4 KiB, writes of 8 KiB or 64 KiB, random" in said


def test_what_offsets_are_multiples_of_reaches_the_engine() -> None:
    lines = READERS + 'block_sizes = ["512 B", "4 KiB"]\ndirect = true\n'
    assert loads(lines)[0].align_bytes is None
    (load,) = loads(lines + 'align = "4 KiB"\n')
    assert load.align_bytes == 4096
    (said, _) = MixMethod(workload(lines + 'align = "4 KiB"\n')).held_equal("", has_raw=False)
    assert "of 512 B or 4 KiB, random by 4 KiB" in said


def test_a_group_that_goes_on_when_full_reserves_no_room_to_grow() -> None:
    lines = '[[workload.group]]\nname = "mail"\noperations = { append = 1 }\nfiles = 1000\n'
    grows, fills = lines, lines + "continue_when_full = true\n"
    assert [loads(each)[0].continue_when_full for each in (grows, fills)] == [False, True]
    room = Room(260 * 1000 << 20, least="ext4")  # of files of 256 MiB, and of nothing more
    with pytest.raises(InputError, match="the files of all groups take 500 GiB"):
        MixMethod(workload(grows)).in_room(Room(room.free_bytes * 100 // 95, least="ext4"))
    method = MixMethod(workload(fills))
    assert method.in_room(Room(room.free_bytes * 100 // 95, least="ext4")) is method


def test_blocks_behind_the_ends_of_files_take_room() -> None:
    """A mix of fallocate filled its file system, and its runs failed."""
    lines = READERS + 'operations = { fallocate = 1 }\nblock_sizes = "1 MiB"\n'
    method = MixMethod(workload(lines + 'files = 100\nfile_sizes = "4 KiB"\n'))
    with pytest.raises(InputError, match="the files of all groups take 100 MiB"):
        method.in_room(Room(100 << 20, least="ext4"))
    method.in_room(Room(106 << 20, least="ext4"))


def test_files_that_stay_open_are_no_more_than_may_be() -> None:
    """A group of 5,000 files failed where its user may have 4,096 open."""
    own = 'files = 1000\nfiles_of_jobs = "own"\njobs = 5\n'
    MixMethod(workload(READERS + own)).require_descriptors(6000)
    with pytest.raises(InputError, match='5,000 files of group "readers", open') as refused:
        MixMethod(workload(READERS + own)).require_descriptors(4096)
    assert refused.value.next.endswith("ulimit -n 5256")
    names = READERS + "operations = { stat = 1 }\nfiles = 5000\n"
    MixMethod(workload(names)).require_descriptors(4096)


def test_each_operation_in_flight_has_a_buffer_for_the_largest_block() -> None:
    deep = 'queue_depth = 4\njobs = 2\nblock_sizes = ["4 KiB", "64 KiB"]\n'
    assert MixMethod(workload(READERS + deep + LOG)).buffer_bytes == (8 * 64 + 4) << 10
    mixed = "operations = { read = 1, write = 1 }\n"
    assert MixMethod(workload(READERS + deep + mixed)).buffer_bytes == 16 * 64 << 10


def test_a_steady_window_reaches_the_engine_with_intervals_to_judge_it() -> None:
    lines = 'steady_window = "600 ms"\nwarm_up = "1 min"\n'
    (load,) = loads(lines + READERS)
    assert (load.steady_window_ns, load.warm_up_ns) == (600_000_000, 60_000_000_000)
    assert load.interval_ns * 12 <= 600_000_000
    assert loads(READERS)[0].steady_window_ns is None
    method = MixMethod(workload(lines + READERS))
    said = "warm-up until 600 ms were steady, at most 1 min, and 10 s measured in each run"
    assert method.time_words() == said
    method.require_dealable(1)
    with pytest.raises(InputError, match="at another time"):
        method.require_dealable(2)


def test_libaio_has_depth_without_rings() -> None:
    deep = MixMethod(workload(READERS + "queue_depth = 8\n" + LOG))
    rings = deep.rings()
    assert rings is not None
    assert rings.instead == "--set 'workload.group.readers.interface=libaio'"
    lines = READERS + 'queue_depth = 8\ninterface = "libaio"\n'
    assert MixMethod(workload(lines)).rings() is None
    assert (loads(lines)[0].interface, loads(lines)[0].queue_depth) == ("libaio", 8)


def test_reads_and_writes_apart_reach_the_engine() -> None:
    lines = 'operations = { read = 1, write = 1 }\norder = "sequential"\n'
    assert [
        loads(READERS + lines)[0].apart,
        loads(READERS + lines + "apart = true\n")[0].apart,
    ] == [
        False,
        True,
    ]
    with pytest.raises(InputError, match="apart"):
        workload(READERS + 'order = "sequential"\napart = true\n')


def test_bursts_rests_part_random_and_own_files_reach_the_engine() -> None:
    (paced,) = loads(READERS + 'rate = "100 IOPS"\nburst = 5\nrandom_percent = "30 %"\n')
    assert (paced.burst, paced.random_percent, paced.rest) == (5, 30, None)
    (resting,) = loads(READERS + 'think = "1 ms"\nthink_every = 4\n')
    assert resting.rest is not None
    assert (resting.rest.every, resting.rest.think.mean_ns) == (4, 1_000_000)
    (own,) = loads(READERS + 'jobs = 3\nfiles = 2\nfiles_of_jobs = "own"\n')
    assert (own.files_per_job, own.target.count) == (2, 6)


def test_files_in_turns_reach_the_engine_with_ranges_and_own_files() -> None:
    turns = "files = 4\nfiles_in_turns = 8\n"
    (walk,) = loads(READERS + turns + 'order = "sequential"\n')
    assert (walk.files_in_turn, walk.ranges, walk.files_per_job) == (8, None, None)
    own = 'jobs = 3\nfiles_of_jobs = "own"\neach_once = true\n'
    (once,) = loads(READERS + turns + own)
    assert once.ranges is not None
    assert (once.files_in_turn, once.ranges.kind, once.files_per_job) == (8, "shared", 4)
    bare = BlockTarget(path="/dev/x", size_bytes=4 << 30)
    (region,) = loads(READERS + turns, bare)
    assert region.files_in_turn is None, "a region has no files"
    lines = MixMethod(workload(READERS + turns)).held_equal("", has_raw=False)
    assert "files in turns of 8" in lines[0]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("files_in_turns = 1\n", "there is one file"),
        ("files = 9\nfiles_in_turns = 1\noperations = { stat = 1 }\n", "draw their files"),
        (
            "files = 9\nfiles_in_turns = 1\noperations = { write = 1 }\nverify = true\n",
            "what is verified",
        ),
    ],
)
def test_turns_that_no_file_has_are_refused(lines: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        workload(READERS + lines)


def test_turns_of_anothers_one_file_are_refused() -> None:
    lines = LOG + READERS + 'files_of = "log"\nfiles_in_turns = 2\n'
    with pytest.raises(InputError, match='"log" has one file'):
        workload(lines)


@pytest.mark.parametrize(
    ("lines", "data"),
    [
        ('compressible = "40 %"', {"kind": "compressible", "compressible_percent": 40}),
        (
            'compressible = "40 %"\nduplicates = "25 %"',
            {"kind": "duplicated", "duplicate_percent": 25, "compressible_percent": 40},
        ),
        ('data = "zero"', {"kind": "zero"}),
    ],
)
def test_what_is_written_reaches_the_engine(lines: str, data: dict[str, object]) -> None:
    (load,) = loads(READERS + "operations = { write = 1 }\n" + lines + "\n")
    assert load.data.model_dump(mode="json") == data


def test_operations_on_names_have_a_set() -> None:
    lines = 'operations = { stat = 2, read_file = 1 }\nfiles = 10\nfile_sizes = ["0 B", "8 KiB"]\n'
    (load,) = loads(READERS + lines)
    assert {each.operation: each.weight for each in load.operations} == {"stat": 2, "read_file": 1}
    assert load.file_sizes is not None
    assert load.target.file_size_bytes == 8192


def test_a_set_that_does_not_fit_is_refused() -> None:
    method = MixMethod(workload(READERS + "files = 1000\n" + LOG))
    with pytest.raises(InputError, match="the files of all groups take"):
        method.in_room(Room(1 << 30, least="ext4"))
    with pytest.raises(InputError, match="inodes"):
        method.in_room(Room(1 << 50, least="ext4", inodes=500, fewest="ext4"))


def test_what_is_overwritten_is_held_twice_where_it_is_copied_on_write() -> None:
    """It ended with ENOSPC: btrfs keeps an old extent until all of it is overwritten."""
    readers, log = READERS + 'file_sizes = "500 MiB"\n', LOG + 'file_sizes = "300 MiB"\n'
    room = Room(1 << 30, least="btrfs")
    copying = replace(room, copying="btrfs")

    def refused(lines: str) -> InputError:
        with pytest.raises(InputError, match=r'old extents up to .* on "btrfs"') as found:
            MixMethod(workload(lines)).in_room(copying)
        return found.value

    MixMethod(workload(readers + log)).in_room(room)
    error = refused(readers + log)
    assert "take 800 MiB, and their old extents up to 300 MiB" in error.what
    assert error.cause == '973 MiB can be used on "btrfs"'
    assert error.next == 'larger storage, or smaller file_sizes of "log", which is overwritten'
    MixMethod(workload(readers + log + "continue_when_full = true\n")).in_room(copying)
    of_readers = LOG + 'files_of = "readers"\n'
    MixMethod(workload(READERS + of_readers)).in_room(copying)
    assert 'of "readers"' in refused(readers + of_readers).next
    paced = of_readers + 'rate = "1000 IOPS"\n'
    MixMethod(workload(readers + paced)).in_room(copying)
    long = 'duration = "2 min"\n'
    assert "up to 477 MiB" in refused(long + readers + paced).what, "122 s of 1000 times 4 KiB"
    filled = refused('fill = "90 %"\n' + LOG)
    assert filled.next.startswith("a smaller workload.fill, ")


def test_a_share_that_is_taken_is_filled_beside_the_files_of_the_groups() -> None:
    lines = 'fill = "90 %"\n' + READERS + 'file_sizes = "1 GiB"\n'
    method = MixMethod(workload(lines))
    assert method.file_sets.folders == ("readers", "_beside")
    (beside,) = method.laid_out_beside(PLACE.model_copy(update={"available_bytes": 10 << 30}), 7)
    assert beside.target.directory == "/mnt/_beside"
    filled = beside.target.count * beside.target.file_size_bytes
    assert (8 << 30) - beside.target.count * (1 << 20) < filled <= 8 << 30
    first = next(iter(method.workload.cells()))
    plain = MixMethod(workload(lines.partition("\n")[2]))
    assert method.written_bytes(first, 10 << 30) - plain.written_bytes(first, 10 << 30) == 8 << 30
    assert plain.laid_out_beside(PLACE, 7) == []
    with pytest.raises(InputError, match="the files of all groups take") as refused:
        method.in_room(Room(1 << 30, least="ext4"))
    assert "922 MiB are to be filled" in refused.value.cause
    assert method.in_room(Room(10 << 30, least="ext4")) is method


def test_the_first_cell_stands_for_the_time_of_all() -> None:
    method = MixMethod(workload(READERS + LOG))
    readers, log = (method.run_seconds(cell, 0) for cell in method.workload.cells())
    assert readers > 12
    assert log == 0


def test_a_group_that_rests_writes_no_more_than_its_rests_leave_time_for() -> None:
    group = '[[workload.group]]\nname = "slow"\noperations = { write = 1 }\nfile_sizes = "1 MiB"\n'
    lines = f'warm_up = "0 s"\nduration = "10 s"\n{group}think = "1 s"\njobs = 2\n'
    asked = workload(lines)
    written = MixMethod(asked).written_bytes(next(iter(asked.cells())), 0)
    assert written == (1 << 20) + 10 * 2 * 4096


def test_a_curve_sets_the_pace_of_its_group() -> None:
    made = workload(READERS + LOG)
    method = MixMethod(made)
    readers, log = made.cells()
    paced = readers.model_copy(
        update={"pace": Pace(load=readers.id, part="step", number=1, rate=500.0)}
    )
    found = method.load_job(paced, PLACE, 7)
    assert found.rate is not None and found.rate.operations_per_second == 500
    assert method.load_job(log, PLACE, 7).rate is None
    assert method.run_seconds(paced, 0) > 1 and method.run_seconds(log, 0) == 0


def test_what_counts_under_a_pace_is_what_a_group_does_most() -> None:
    made = workload(READERS + LOG)
    assert [MixFactors.of(cell).waited_for for cell in made.cells()] == ["read", "commit"]
    named = workload('primary = "sync p99 of log"\n' + READERS + LOG)
    (log,) = named.paced_loads()
    assert MixFactors.of(log).waited_for == "commit"
    stats = READERS + "operations = { stat = 2, read_file = 1 }\n"
    (cell,) = workload(stats).cells()
    assert MixFactors.of(cell).waited_for == "stat"
