"""The cells of sharing: in the order in which one test leaves what the next one finds."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.keys import SharingWorkload, TestName
from fsgauge.kinds.sharing.tests import IN_RECORDS, TESTS
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of, default_primary


def cells(*overrides: str) -> list[Cell]:
    workload = load_study("sharing", list(overrides), [], None, 1).workload
    assert isinstance(workload, SharingWorkload)
    return cells_of(workload)


def test_tests_come_in_their_programs_order_whatever_the_study_says() -> None:
    found = cells('workload.tests=["reread","put_block","write","read"]')
    assert [SharingFactors.of(cell).test for cell in found] == [
        *("write", "read", "reread", "put_block")
    ]


def test_keys_name_every_test() -> None:
    assert get_args(TestName) == tuple(TESTS)


def test_a_file_is_written_whole_before_another_size_of_it() -> None:
    found = cells(
        'workload.tests=["write","read"]',
        'workload.file_sizes=["8 MiB","1 MiB"]',
        'workload.record_sizes=["64 KiB","4 KiB"]',
    )
    places = [
        (f.file_size_bytes, f.record_size_bytes, f.test) for f in map(SharingFactors.of, found)
    ]
    assert places == [
        (size, record, test)
        for size in (1 << 20, 8 << 20)
        for record in (4 << 10, 64 << 10)
        for test in ("write", "read")
    ]


def test_each_test_has_the_sizes_of_its_own_program_and_no_others() -> None:
    """`--as-published` had every test of Bonnie++ at each of ten record sizes of IOzone."""
    found = cells(
        'workload.tests=["write","read","putc","put_byte","put_block"]',
        'workload.record_sizes=["64 KiB","4 KiB"]',
        'workload.chunk_sizes=["16 KiB","8 KiB"]',
    )
    assert [cell.id for cell in found] == [
        *("write-4KiB-8MiB", "read-4KiB-8MiB", "write-64KiB-8MiB", "read-64KiB-8MiB"),
        *("putc-8KiB-8MiB", "put_byte-8KiB-8MiB", "put_block-8KiB-8MiB"),
        *("putc-16KiB-8MiB", "put_block-16KiB-8MiB"),
    ]
    published = load_study("sharing-as-published", [], [], None, 1).workload
    assert isinstance(published, SharingWorkload)
    of_iozone = [cell for cell in cells_of(published) if cell.factors["test"] == "write"]
    assert len(of_iozone) == sum(range(5, 14)) + 13 + 6 * 9, "as -a -g 2G has them"
    of_others = [cell for cell in cells_of(published) if cell.factors["test"] not in IN_RECORDS]
    assert {cell.factors.get("file_size_bytes") for cell in of_others} == {2000 << 20, None}
    assert len(cells_of(published)) == 4 * len(of_iozone) + 5 + 7


def test_a_file_has_records_that_it_is_as_large_as() -> None:
    sizes = ['workload.record_sizes=["4 KiB","64 KiB"]', 'workload.file_sizes=["16KiB","64MiB"]']
    tests = 'workload.tests=["write"]'
    found = [cell.id for cell in cells(tests, *sizes)]
    assert found == ["write-4KiB-16KiB", "write-4KiB-64MiB", "write-64KiB-64MiB"]
    found = [cell.id for cell in cells(tests, *sizes, "workload.skip_small_records=true")]
    assert found == ["write-4KiB-16KiB", "write-64KiB-64MiB"]


def test_other_tests_may_have_a_file_of_their_own() -> None:
    overrides = ['workload.tests=["write","put_block"]', 'workload.chunk_file_sizes=["2 MiB"]']
    workload = load_study("sharing", overrides, [], None, 1).workload
    assert isinstance(workload, SharingWorkload)
    assert default_primary(workload) == ["put_block-64KiB-2MiB", "write-64KiB-8MiB"]
    assert workload.largest_file_bytes == 8 << 20


def test_the_answer_rests_on_the_largest_file_on_the_most_hosts() -> None:
    workload = load_study(
        "sharing",
        ['workload.tests=["write"]', "workload.hosts=[2,1]", 'workload.file_sizes=["1MiB","2MiB"]'],
        [],
        None,
        1,
    ).workload
    assert isinstance(workload, SharingWorkload)
    assert default_primary(workload) == ["write-64KiB-2MiB-hosts2"]


@pytest.mark.parametrize(
    ("tests", "hosts", "said"),
    [
        (["stat_random"], [1], 'add "create_random" to tests'),
        (["create_sequential", "create_random"], [1], 'add "delete_sequential" to tests'),
        (["create_random"], [1, 2], 'add "delete_random" to tests'),
        (["create_sequential", "delete_sequential", "stat_random"], [1], '"create_random"'),
        (["create_sequential", "stat_random"], [1], ""),
        (["create_sequential", "delete_random"], [1, 2], ""),
        (["write"], [1, 2], ""),
    ],
)
def test_a_test_of_a_folder_finds_what_it_works_on(
    tests: list[str], hosts: list[int], said: str
) -> None:
    """On two hosts the second round of creates gave up: its files were there."""
    changes = [f"workload.tests={json.dumps(tests)}", f"workload.hosts={hosts}"]
    if not said:
        assert load_study("sharing", changes, [], None, 1).workload
        return
    with pytest.raises(InputError) as refused:
        load_study("sharing", changes, [], None, 1)
    assert said in refused.value.render()


def test_the_answer_rests_on_the_largest_record_and_the_largest_chunk() -> None:
    overrides = [
        'workload.tests=["write","put_byte","put_block"]',
        'workload.record_sizes=["4 KiB","64 KiB"]',
        'workload.chunk_sizes=["8 KiB","16 KiB"]',
    ]
    workload = load_study("sharing", overrides, [], None, 1).workload
    assert isinstance(workload, SharingWorkload)
    assert default_primary(workload) == [
        *("write-64KiB-8MiB", "put_byte-8KiB-8MiB", "put_block-16KiB-8MiB")
    ]


@pytest.mark.parametrize("name", TESTS)
def test_every_test_is_a_cell_with_words_and_a_metric(name: str) -> None:
    action, _, order = name.partition("_")
    needed = [f"create_{order}"] if action in ("stat", "delete") else []
    *_, cell = cells(f"workload.tests={json.dumps([*needed, name])}")
    factors = factors_of(cell)
    assert TESTS[name].title in cell.name and factors.place
    assert 0 <= factors.share_of_reads <= 100
    assert SharingFactors.of(cell).metric in ("bandwidth", "iops", "files")


def test_a_write_that_memory_may_keep_is_named_a_cache_test() -> None:
    found = cells('workload.tests=["write","read"]', "workload.include_flush=false")
    assert [cell.name.endswith("(cache test)") for cell in found] == [True, False]
    assert not any("cache" in cell.name for cell in cells())


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (['workload.tests=["wrote"]'], "tests"),
        (['workload.record_sizes=["16 MiB"]'], "a record is larger than a file"),
        (['workload.chunk_sizes=["16 MiB"]'], "a chunk is larger than a file"),
        (
            ['workload.tests=["seeks"]', 'workload.record_sizes=["4 KiB"]'],
            "record_sizes would be ignored",
        ),
        (
            ['workload.tests=["read"]', 'workload.chunk_sizes=["4 KiB"]'],
            "chunk_sizes would be ignored",
        ),
        (
            ['workload.tests=["read"]', 'workload.chunk_file_sizes=["4 MiB"]'],
            "chunk_file_sizes would be ignored",
        ),
        (
            ['workload.tests=["seeks"]', "workload.skip_small_records=true"],
            "skip_small_records would be ignored",
        ),
        (["workload.seeks=100"], "seeks would be ignored"),
        (["workload.folder_files=10"], "folder_files would be ignored"),
        (
            [
                'workload.file_sizes=["64 MiB"]',
                'workload.record_sizes=["64 KiB","4 KiB"]',
                "workload.skip_small_records=true",
            ],
            "no file has records of 4 KiB",
        ),
        (
            [
                'workload.tests=["write","get_block"]',
                'workload.file_sizes=["1 MiB"]',
                'workload.chunk_file_sizes=["2 MiB"]',
            ],
            "the test get_block needs a file of 2 MiB, and write leaves one of 1 MiB",
        ),
        (
            [
                'workload.tests=["write","get_block"]',
                'workload.file_sizes=["1 MB"]',
                'workload.chunk_sizes=["4 KiB"]',
            ],
            "the test get_block needs a file of 976 KiB, and write leaves one of 960 KiB",
        ),
        (['workload.file_sizes=["0 B"]'], "file_sizes"),
        (["workload.time_limit=1ms"], "time_limit"),
    ],
)
def test_what_makes_no_sense_is_refused(overrides: list[str], words: str) -> None:
    with pytest.raises(FsgaugeError) as refused:
        cells(*overrides)
    assert words in refused.value.render()
