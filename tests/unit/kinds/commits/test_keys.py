"""Cells of commits, what the answer is about, and what cannot be asked."""

from __future__ import annotations

import pytest

from fsgauge.errors import InputError
from fsgauge.kinds.commits.factors import CommitsFactors
from tests.unit.kinds.commits.studies import workload


def test_a_commit_of_a_page_with_fdatasync_is_the_default() -> None:
    (cell,) = workload().cells()
    assert cell.name == "fdatasync 8 KiB, 1 committer"


def test_logs_and_commits_a_sync_are_named_where_there_are_several() -> None:
    names = [each.name for each in workload('logs = ["append", "overwrite"]').cells()]
    assert names == [
        "fdatasync 8 KiB, 1 committer, append",
        "fdatasync 8 KiB, 1 committer, overwrite",
    ]
    names = [each.name for each in workload("together = [1, 8]").cells()]
    assert len(set(names)) == 2 and all("fdatasync 8 KiB" in name for name in names)


def test_the_answer_is_about_the_first_sync_of_one_and_of_most_committers() -> None:
    keys = workload(
        'syncs = ["fsync", "fdatasync"]\nsizes = ["64 KiB", "8 KiB"]\ncommitters = [1, 2, 4]'
    )
    names = {cell.id: cell.name for cell in keys.cells()}
    assert [names[each] for each in keys.default_primary()] == [
        "fsync 8 KiB, 1 committer",
        "fsync 8 KiB, 4 committers",
    ]


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ('syncs = ["fdatasync", "open_datasync"]\ntogether = [1, 8]', "none can share it"),
        ('readers = 1\nlogs = ["append"]', "would read beyond its end"),
        ('direct = true\nsizes = ["100 B"]', "100 B"),
        ('rate = "0.1 IOPS"\nduration = "1 s"', "0.1 commits are due in the 1 s that are measured"),
        ('syncs = ["fdatasink"]', "fdatasink"),
        ('syncs = ["fsync_writethrough"]', "not on Linux: it is a call of macOS"),
        ('syncs = ["open_sync"]', "not measured: O_SYNC waits for the times"),
        ('syncs = ["O_DSYNC"]', "write open_datasync"),
        ('logs = ["append"]\nwarm_up = "1 s"', "warm_up"),
        ('rate = "1 IOPS"\nduration = "100 ms"', "0.1 commits are due in the 100 ms that are"),
        (
            'rate = "100 IOPS"\nduration = "100 ms"\ntogether = [1, 20]',
            "10 commits are due in the 100 ms that are measured, and 20 share a sync",
        ),
        (
            'rate = "100 IOPS"\nduration = "1 s"\ntogether = [20]\ncommitters = [10]',
            "10 commits of each committer are due in the 1 s that are measured, and 20 share",
        ),
        (
            'rate = "100 IOPS"\nduration = "100 ms"\ntogether = [1, 20]',
            "a longer duration, or a higher pace, or a smaller together",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(lines: str, what: str) -> None:
    with pytest.raises(InputError) as refused:
        workload(lines)
    assert what in refused.value.render()


def test_a_call_of_another_system_is_not_taken_for_the_word_that_is_spelt_like_it() -> None:
    with pytest.raises(InputError) as refused:
        workload('syncs = ["fsync", "fsync_writethrough"]')
    said = refused.value.render()
    assert "write fsync\n" in said
    assert "sync_file_range" not in said
    (sync,) = {cell.factors["sync"] for cell in workload('syncs = ["RWF_DSYNC"]').cells()}
    assert sync == "rwf_dsync"


def test_the_answer_is_about_commits_alone_and_cells_say_what_is_written_meanwhile() -> None:
    keys = workload('meanwhile = ["nothing", "checkpoint"]\ncommitters = [4]')
    alone, beside = keys.cells()
    assert beside.name == "fdatasync 8 KiB, 4 committers, checkpoint"
    assert keys.default_primary() == [alone.id]
    noun = CommitsFactors.of(beside).noun
    assert noun == "commits of 8 KiB with fdatasync by 4 committers, while a checkpoint is written"


@pytest.mark.parametrize(
    ("sync", "waited_for"), [("fdatasync", "commit"), ("fsync", "commit"), ("rwf_dsync", "write")]
)
def test_a_commit_is_waited_for_until_it_is_durable(sync: str, waited_for: str) -> None:
    (cell,) = workload(f'syncs = ["{sync}"]').cells()
    assert CommitsFactors.of(cell).waited_for == waited_for
    assert CommitsFactors.of(cell).rate_unit == "commits/s"
