"""The kind `writers` as a person writes it: what is refused, where, and the way out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsgauge.errors import InputError
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.study.dump import dump_study
from fsgauge.study.model import LoopStorage, Study, System
from fsgauge.study.parse import load_study, parse_study
from fsgauge.study.workload import cells_of, default_primary
from tests.unit.kinds.reading import reading

STUDY = """\
format = 1
question = "Do writers of one file take turns?"

[storage]
kind = "loop"

[[system]]
name = "raw"

[[system]]
name = "xfs"

[workload]
kind = "writers"
writers = [1, 2]
"""
FILES = STUDY.replace('name = "raw"', 'name = "ext4"')


read, mistake = reading(STUDY)


def test_the_defaults_are_the_published_method():
    workload = read()
    assert isinstance(workload, WritersWorkload)
    assert (workload.passes, workload.duration, workload.workers) == (1, None, "processes")
    assert (workload.block_sizes, workload.ranges, workload.access) == (
        [8192],
        ["shared"],
        ["direct"],
    )
    assert workload.verify


def test_a_study_without_a_kind_is_one_of_overhead():
    study = parse_study(
        STUDY.replace('kind = "writers"\nwriters = [1, 2]', 'patterns = ["read"]'), "my.toml", "my"
    )
    assert study.workload.kind == "overhead"
    with pytest.raises(InputError) as refusal:
        parse_study(STUDY.replace('kind = "writers"\n', ""), "my.toml", "my")
    said = refusal.value.render()
    assert 'unknown key "writers"' in said
    assert 'only workload of kind "writers" has it' in said


def test_a_duration_takes_the_place_of_passes():
    workload = read('duration = "5 s"', 'warm_up = "1 s"')
    assert (workload.passes, workload.duration, workload.warm_up) == (None, 5 * 10**9, 10**9)


def test_a_conflict_shows_both_lines():
    assert mistake("passes = 2", 'duration = "5 s"') == (
        "error: passes and duration both decide when a run ends\n"
        '  my.toml:17:12 | duration = "5 s"\n'
        "                |            ^^^^^\n"
        "  my.toml:16:10 | passes = 2\n"
        "                |          ^\n"
        "next: one of them: passes as published, duration for equal time"
    )


BYTES = ['access = ["buffered"]', "verify = false"]


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ([*BYTES, 'block_sizes = ["8 KiB", "1000 B"]'], "block_sizes"),
        ([*BYTES, "readers = 1", 'reader_block_size = "1000 B"'], "reader_block_size"),
    ],
)
def test_what_a_bare_device_cannot_do_names_both_lines(lines, key):
    said = mistake(*lines)
    assert said.startswith(f'error: {key} needs files, and "raw" is a bare device:')
    assert "moves whole sectors of 512 B, and a size is 1000 B" in said
    assert "my.toml:8:8" in said and f" | {key} = " in said
    assert said.endswith("next: leave the raw system out, or a multiple of 512 B")
    read(*lines, study=FILES)


@pytest.mark.parametrize(
    "line",
    [
        'ranges = ["shared", "own files"]',
        'access = ["buffered"]',
        'allocation = ["overwrite", "preallocated", "extend"]',
        "log_writers = 1",
    ],
)
def test_a_bare_device_does_the_nearest_thing_in_a_cell_of_files(line):
    read(line)
    read(line, study=FILES)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['stride = "1 MiB"'], "stride would be ignored: no range is strided"),
        (["sync_every = 4"], "sync_every would be ignored: sync"),
        (['sync = "dsync"', "sync_every = 4"], "sync_every would be ignored"),
        (['reader_block_size = "8 KiB"'], "would be ignored: there are no readers"),
        (['log_block_size = "8 KiB"'], "would be ignored: there are no log writers"),
        (['warm_up = "1 s"'], "warm_up would be ignored: runs end by passes"),
        (["queue_depth = 4"], "interface psync does one write at a time"),
        (['block_sizes = ["1000 B"]'], "direct I/O moves whole sectors of 512 B"),
        (["readers = 1", 'reader_block_size = "100 B"'], "reader_block_size is 100 B"),
        (['ranges = ["strided"]', 'stride = "12 KiB"'], "is not a multiple of the block size"),
        (['data = "zero"'], "zeros cannot be verified"),
        (["readers = 600", "log_writers = 500"], "more than 1024 threads alongside the writers"),
        (["log_writers = 1", 'log_block_size = "1 GiB"'], "log_block_size must be at most 256 MiB"),
        (["writers = []"], "writers must have at least 1 entry"),
        (["writers = [0]"], "each of writers must be at least 1"),
        (["writers = [1, 2, 1]"], "the same value is given twice"),
        (['ranges = ["segmentd"]'], 'did you mean "segmented"?'),
        (['kind = "writer"'], 'did you mean "writers"?'),
        (['direct = "maybe"'], "fio's direct is workload.access here"),
        (['series_interval = "1 s"'], 'only workload of kind "overhead" has it'),
    ],
)
def test_mistakes(lines, expected):
    keys = {line.split(" = ")[0] for line in lines}
    study = "\n".join(line for line in STUDY.splitlines() if line.split(" = ")[0] not in keys)
    head = study if "kind" not in keys else STUDY.replace('kind = "writers"\n', "")
    said = mistake(*lines, study=_with_storage(head) + "\n")
    assert expected in said
    assert "\nnext: " in said
    assert "my.toml" in said


def _with_storage(study):
    """The kind of the storage was taken out with that of the workload."""
    return (
        study if 'kind = "loop"' in study else study.replace("[storage]", "[storage]\nkind='loop'")
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['allocation = ["extend"]', "passes = 2"], "only the first pass writes new"),
        (['allocation = ["extend"]', 'duration = "5 s"'], "only the first pass writes new"),
        (['allocation = ["extend"]', "readers = 1"], "would read beyond its end"),
        (['ranges = ["own files"]', 'descriptors = "shared"'], "cannot share an open file"),
        (['access = ["buffered"]', 'block_sizes = ["1000 B"]'], "written in sectors of 512 B"),
    ],
)
def test_mistakes_without_a_bare_device(lines, expected):
    said = mistake(*lines, study=FILES)
    assert expected in said
    assert "\nnext: " in said


def test_what_is_unusual_but_right():
    small = read('access = ["buffered"]', 'block_sizes = ["1000 B"]', "verify = false", study=FILES)
    assert small.block_sizes == [1000]
    deep = read('interface = "io_uring"', "queue_depth = 16", 'ranges = ["strided"]')
    assert (deep.queue_depth, deep.stride) == (16, 1 << 20)


def test_the_published_method_is_shipped():
    study = load_study("writers-as-published")
    assert [system.kind for system in study.systems] == ["ext3", "xfs"]
    published = WritersWorkload(writers=[1, 2], fill=50)
    assert study.workload == published


def test_the_full_study():
    study = load_study("writers-full")
    workload = study.workload
    assert [system.kind for system in study.systems] == ["raw", "ext3", "ext4", "xfs", "btrfs"]
    assert all(system.mount == "noatime" for system in study.systems[1:])
    assert isinstance(workload, WritersWorkload)
    assert (workload.writers, workload.block_sizes) == ([1, 2, 4, 8], [8192])
    assert (workload.passes, workload.verify, workload.fill) == (1, True, 30)


@pytest.mark.parametrize(
    "overrides",
    [
        ["workload.writers=[1,2]"],
        ['workload.ranges=["segmented","interleaved"]'],
        ["workload.writers=[1,2,3,4,6,8,12,16]"],
        ["workload.readers=4", "workload.duration=10 s"],
        ['workload.allocation=["overwrite","preallocated","extend"]'],
        ['workload.access=["direct","buffered"]'],
        ['workload.ranges=["shared","own files"]'],
        ["workload.readers=4", "workload.log_writers=1", "workload.duration=10 s"],
    ],
)
def test_the_variants_that_it_names(overrides):
    load_study("writers", overrides)


workloads = st.fixed_dictionaries(
    {},
    optional={
        "writers": st.lists(st.integers(1, 1024), min_size=1, max_size=4, unique=True),
        "block_sizes": st.lists(
            st.integers(1, 1 << 20).map(lambda sectors: sectors * 512),
            min_size=1,
            max_size=3,
            unique=True,
        ),
        "ranges": st.lists(
            st.sampled_from(["shared", "segmented", "interleaved", "own files"]),
            min_size=1,
            unique=True,
        ),
        "order": st.sampled_from(["sequential", "random"]),
        "access": st.lists(st.sampled_from(["direct", "buffered"]), min_size=1, unique=True),
        "workers": st.sampled_from(["processes", "threads"]),
        "sync": st.sampled_from(["none", "dsync", "fsync", "fdatasync"]),
        "readers": st.integers(0, 512),
        "log_writers": st.integers(0, 512),
        "passes": st.none() | st.integers(1, 1_000_000),
        "fill": st.integers(1, 100),
        "verify": st.booleans(),
    },
)


@settings(deadline=None, max_examples=100)
@given(workloads)
def test_round_trip(values):
    study = Study(
        format=1,
        name="my",
        question="?",
        storage=LoopStorage(),
        systems=[System(name="ext4", kind="ext4")],
        workload=WritersWorkload(**values),
    )
    assert parse_study(dump_study(study), "my.toml", "my") == study
    stored = study.model_dump(mode="json", by_alias=True)
    assert Study.model_validate(stored) == study


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ['limits_stride = "8 KiB"'],
            [
                "one byte of every 8 KiB is one of a block of 8 KiB, however long the stride",
                "next: a limits_stride below every block size",
            ],
        ),
        (
            ['limits_stride = "4 KiB"', 'block_sizes = ["8 KiB", "1 KiB"]'],
            ["is one of a block of 1 KiB", "block_sizes ="],
        ),
        (['limits_stride = "0 B"'], ["limits_stride must be at least 1 B"]),
        (["limits_stride = 64"], ["limits_stride: 64 has no unit"]),
    ],
)
def test_a_stride_that_tells_nothing_is_refused(lines, words):
    text = mistake(*lines)
    assert all(each in text for each in words), text


def test_a_stride_is_in_bytes():
    assert read('limits_stride = "64 B"').limits_stride == 64
    assert read().limits_stride is None


def names(**workload):
    return {cell.id: cell.name for cell in cells_of(WritersWorkload(**workload))}


def test_only_what_varies_is_named():
    assert names(writers=[1, 2]) == {
        "write-8KiB-writers1": "write 8 KiB, 1 writer",
        "write-8KiB-writers2": "write 8 KiB, 2 writers",
    }
    several = names(writers=[2], ranges=["shared", "own files"], access=["direct", "buffered"])
    assert list(several) == [
        "write-8KiB-writers2-shared-direct",
        "write-8KiB-writers2-shared-buffered",
        "write-8KiB-writers2-own-files-direct",
        "write-8KiB-writers2-own-files-buffered",
    ]
    assert several["write-8KiB-writers2-own-files-buffered"] == (
        "write 8 KiB, 2 writers, own files, buffered"
    )


def test_numbers_of_hosts_are_named_and_the_most_are_primary():
    found = names(writers=[1, 2], hosts=[4, 1], ranges=["shared", "own files"])
    assert list(found)[:3] == [
        "write-8KiB-writers1-shared-hosts1",
        "write-8KiB-writers2-shared-hosts1",
        "write-8KiB-writers1-shared-hosts4",
    ]
    assert (
        found["write-8KiB-writers2-own-files-hosts4"]
        == "write 8 KiB, 2 writers, own files, 4 hosts"
    )
    workload = WritersWorkload(writers=[1, 2], hosts=[4, 1])
    assert default_primary(workload) == ["write-8KiB-writers2-hosts4"]
    cell = cells_of(workload)[-1]
    assert WritersFactors.of(cell).place == "8 KiB and 2 writers on 4 hosts"
    assert WritersFactors.of(cell).at_once_on_all_hosts == 8


def test_a_cell_says_where_its_writers_write():
    cell = cells_of(WritersWorkload(writers=[4], order="random", access=["buffered"]))[0]
    found = WritersFactors.of(cell)
    assert (found.pattern, found.share_of_reads, found.writers) == ("randwrite", 0, 4)
    assert (found.ranges, found.access, found.interface) == ("shared", "buffered", "psync")
    assert cell.factors == found.factors()


def test_the_answer_is_about_two_writers_or_the_second_number():
    assert default_primary(WritersWorkload()) == ["write-8KiB-writers2"]
    assert default_primary(WritersWorkload(writers=[8, 1, 4])) == ["write-8KiB-writers4"]
    assert default_primary(WritersWorkload(writers=[3])) == ["write-8KiB-writers3"]
    wide = WritersWorkload(writers=[1, 2], block_sizes=[8192, 4096], ranges=["shared", "segmented"])
    assert default_primary(wide) == ["write-4KiB-writers2-shared", "write-4KiB-writers2-segmented"]
