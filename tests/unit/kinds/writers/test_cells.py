"""The cells of writers: their names, and which of them the answer is about."""

from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.kinds.writers.keys import WritersWorkload
from fsgauge.study.workload import cells_of, default_primary


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
