"""One group: what is drawn, what it calls, and what it refuses."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from tests.unit.kinds.mix.studies import READERS, study, workload

BOTH = "operations = { read = 3, write = 1 }\n"
UNLIKE = 'write_block_sizes = "64 KiB"\n'
FILES = "operations = { stat = 1, append = 2 }\n"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("operations = { raed = 1 }", ['"raed" is not an operation', "read"]),
        ("operations = { read = 0 }", ["at least 1"]),
        ('block_sizes = ["4 KiB", "8 KiB"]\nblock_weights = [1]', ["1 weights are given for 2"]),
        ('write_block_sizes = "8 KiB"', ["write_block_sizes would be ignored"]),
        (BOTH + "write_block_weights = [1]", ["1 weights are given for 0 sizes"]),
        (BOTH + UNLIKE + "write_block_weights = [2]", ["write_block_weights would be ignored"]),
        (BOTH + UNLIKE + "each_once = true", ["each_once would be ignored"]),
        (BOTH + UNLIKE + 'distribution = "zipf"', ["would not meet at the hot places"]),
        (BOTH + UNLIKE + 'file_sizes = "32 KiB"', ["a block of 64 KiB does not fit"]),
        (BOTH + 'direct = true\nwrite_block_sizes = "1000 B"', ["whole sectors"]),
        ('stride = "1 MiB"', ["stride would be ignored"]),
        ('align = "4 KiB"\norder = "sequential"', ["align would be ignored"]),
        ('align = "4 KiB"\nrandom_percent = "50 %"', ["align would be ignored"]),
        (FILES + 'align = "4 KiB"', ["align would be ignored"]),
        ('align = "4 KiB"\neach_once = true', ["each_once would be ignored"]),
        ('align = "100 B"\ndirect = true', ["whole sectors"]),
        (
            'operations = { write = 1 }\nalign = "4 KiB"\nverify = true',
            ["written by this group alone"],
        ),
        ('distribution = "zones"\nzone_sizes = ["10 %"]\nzone_weights = [1]', ["10 %"]),
        ('interface = "psync"\nqueue_depth = 4', ["one operation at a time"]),
        (FILES + "queue_depth = 4", ["one call at a time"]),
        (FILES + 'interface = "libaio"', ["and the interface is libaio"]),
        (FILES + "direct = true", ["goes through the page cache"]),
        (FILES + "jobs = 2", ["there are 1", "files = 2"]),
        ("operations = { unlink = 1 }", ["removes every file in the end"]),
        ("operations = { create = 1 }", ["nothing removes any"]),
        ('file_sizes = ["4 KiB", "8 KiB"]', ["files of one size"]),
        ('file_sizes = "2 KiB"', ["does not fit into a file"]),
        (
            'operations = { read = 1, stat = 1 }\nfile_sizes = ["0 B", "2 KiB"]',
            ["a block of 4 KiB does not fit into a file of 2 KiB"],
        ),
        (
            'operations = { trim = 1, stat = 1 }\nsize_distribution = "log-normal"\n'
            'median_size = "2 KiB"\nlargest_size = "3 KiB"',
            ["does not fit into a file of 3 KiB", "largest_size"],
        ),
        ('direct = true\nblock_sizes = "1000 B"', ["whole sectors"]),
        ('order = "strided"\nstride = "1 KiB"', ["would overlap"]),
        ('rate = "5 IOPS"\nbandwidth = "1 MB/s"', ["given twice"]),
        ('operations = { read_file = 1 }\nbandwidth = "1 MiB/s"', ["read_file does not move one"]),
        ('operations = { read = 1, stat = 1 }\nbandwidth = "1 MiB/s"', ["stat does not move"]),
        ('rate = "5 IOPS"\nthink = "1 ms"', ["a job rests"]),
        ("continue_when_full = true", ["continue_when_full would be ignored"]),
        (
            "operations = { write = 1 }\nverify = true\ncontinue_when_full = true",
            ["written by this group alone"],
        ),
        ("verify = true", ["written by this group alone"]),
        (
            'operations = { write = 1 }\nverify = true\nblock_sizes = "1000 B"',
            ["written in sectors of 512 B, and a block size is 1000 B"],
        ),
        (
            'operations = { stat = 1 }\nsize_distribution = "log-normal"\nmedian_size = "0 B"\n'
            'smallest_size = "0 B"',
            ["half of the files are smaller than the median size"],
        ),
        ('sync = "fsync"', ["sync would be ignored"]),
        ('operations = { write = 1 }\nsync = "fsync"\nfiles = 3', ["all of its 3 files"]),
        (
            'operations = { write = 1 }\nsync = "fsync"\nsync_every = 3\nqueue_depth = 4',
            ["3 at most are in flight", "queue_depth = 3, or more jobs"],
        ),
        (
            'operations = { write = 1 }\nsync = "fsync"\nfiles = 3\njobs = 2\n'
            'files_of_jobs = "own"\neach_once = true',
            ["all of its 3 files"],
        ),
        (
            'files = 3\n[[workload.group]]\nname = "log"\noperations = { write = 1 }\n'
            'sync = "fdatasync"\nfiles_of = "readers"',
            ["all of its 3 files", "files_of"],
        ),
    ],
)
def test_what_would_not_do_what_it_says_is_refused(lines: str, words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        study(f"{READERS}{lines}\n")
    assert all(each in refusal.value.render() for each in words), refusal.value.render()


def test_writes_may_have_sizes_of_their_own() -> None:
    lines = f'{BOTH}{UNLIKE}bandwidth = "19 KiB/s"\n'
    (group,) = workload(READERS + lines).group
    assert (group.mean_block_bytes, group.mean_write_bytes) == (19 << 10, 64 << 10)
    assert (group.operations_per_second, group.largest_block_bytes) == (1, 64 << 10)
    (alike,) = workload(READERS + BOTH).group
    assert alike.mean_write_bytes == alike.mean_block_bytes == 4096


def test_shares_calls_and_pace_follow_from_the_keys() -> None:
    lines = 'operations = { read = 999, write = 1 }\nblock_sizes = ["4 KiB", "12 KiB"]\n'
    more = 'queue_depth = 4\nbandwidth = "8192 B/s"\njobs = 2\nfiles_of_jobs = "own"\nfiles = 3\n'
    (group,) = workload(READERS + lines + more).group
    assert group.read_percent == 99, "a mixture stays one"
    assert (group.calls, group.mean_block_bytes) == ("io_uring", 8192)
    assert (group.operations_per_second, group.file_count) == (1, 6)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            'operations = { write = 1 }\nsync = "fsyncs"',
            ['did you mean "fsync"?', "known: 0, none, dsync, fsync, fdatasync"],
        ),
        ('operations = { write = 1 }\nsync = "sync"', ["O_SYNC is not measured"]),
    ],
)
def test_a_value_of_sync_is_fios_or_ours(lines: str, words: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        study(f"{READERS}{lines}\n")
    assert all(each in refusal.value.render() for each in words), refusal.value.render()


def test_a_name_is_refused_in_words() -> None:
    with pytest.raises(InputError) as refusal:
        study('[[workload.group]]\nname = "../x"\n')
    assert refusal.value.what == 'name cannot be "../x"'
    assert "letters, digits, blanks" in refusal.value.details[0]
