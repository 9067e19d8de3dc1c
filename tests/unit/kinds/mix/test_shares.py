"""What each job of a group has of the files: blocks of its own, and contents."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from tests.unit.kinds.mix.studies import READERS, workload

TRUNCATE = "operations = { truncate = 1 }\n"
WRITE = "operations = { write = 1 }\n"
EIGHT = 'file_sizes = "32 KiB"\n'


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (TRUNCATE + 'file_sizes = "0 B"', ["truncate needs contents, and its files are empty"]),
        (
            'operations = { truncate = 1, stat = 1 }\nfile_sizes = "0 B"',
            ["truncate needs contents"],
        ),
        (
            TRUNCATE + 'file_sizes = ["0 B", "4 KiB"]\njobs = 2\nfiles = 10',
            ["all files of a job may be empty", 'file_sizes without "0 B"'],
        ),
        (
            TRUNCATE + 'file_sizes = ["0 B", "4 KiB"]\nsize_weights = [1, 1]\njobs = 4\nfiles = 8',
            ["all files of a job may be empty"],
        ),
        (
            'order = "sequential"\njobs = 9\n' + EIGHT,
            ["9 jobs each go over a part of their own", "there are 8 blocks of 4 KiB", "jobs = 8"],
        ),
        (
            'order = "backwards"\njobs = 9\nfiles = 4\nfiles_in_turns = 2\n' + EIGHT,
            ["there are 8 blocks of 4 KiB"],
        ),
        (
            WRITE + "verify = true\nqueue_depth = 8\n" + EIGHT,
            ["a job has 8 blocks of 4 KiB", "takes 16 or more", "queue_depth = 4"],
        ),
        (
            WRITE + "verify = true\njobs = 9\n" + EIGHT,
            ["a job has 0 blocks of 4 KiB", "takes 1 or more", "next: larger files"],
        ),
    ],
)
def test_a_job_without_work_is_refused(lines: str, words: list[str]) -> None:
    """A plan was shown of each of these, and the engine refused its runs."""
    with pytest.raises(InputError) as refusal:
        workload(f"{READERS}{lines}\n")
    assert all(each in refusal.value.render() for each in words), refusal.value.render()


def test_blocks_of_another_groups_files_are_shared_out_too() -> None:
    walk = '[[workload.group]]\nname = "walk"\norder = "strided"\njobs = 9\nfiles_of = "readers"\n'
    with pytest.raises(InputError, match="there are 8 blocks of 4 KiB"):
        workload(READERS + EIGHT + walk)


@pytest.mark.parametrize(
    "lines",
    [
        'operations = { truncate = 1, stat = 1 }\nfile_sizes = ["0 B", "1 B"]\njobs = 2\nfiles = 4',
        TRUNCATE + 'file_sizes = ["0 B", "4 KiB"]\njobs = 3\nfiles = 6',
        TRUNCATE + 'file_sizes = ["0 B", "4 KiB"]\nsize_weights = [1, 1]\nfiles = 50',
        TRUNCATE + 'size_distribution = "log-normal"\nsmallest_size = "0 B"',
        'order = "sequential"\njobs = 8\n' + EIGHT,
        'order = "sequential"\njobs = 9\nfiles_of_jobs = "own"\n' + EIGHT,
        WRITE + 'verify = true\nqueue_depth = 4\njobs = 2\nfiles_of_jobs = "own"\n' + EIGHT,
        WRITE + "verify = true\njobs = 8\n" + EIGHT,
    ],
)
def test_what_every_job_can_do_is_taken(lines: str) -> None:
    workload(f"{READERS}{lines}\n")
