"""Loads dealt out over hosts: nothing is lost, nothing is done twice, or it is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fsgauge.errors import InputError
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.wire import FilesTarget, LoadJob
from fsgauge.workload import method_of
from fsgauge.workload.dealing import Share
from fsgauge.workload.folders import ClientFolders

FILES = FilesTarget(directory="/x", count=16, file_size_bytes=1 << 24)
FOLDERS = ClientFolders(directory="/x", files_per_client=3, backup_files_per_client=1)


@given(some.integers(0, 10_000), some.integers(1, 100))
def test_shares_add_up_and_differ_by_one_at_most(whole: int, hosts: int) -> None:
    shares = [Share(number, hosts).of(whole) for number in range(hosts)]
    assert sum(shares) == whole and max(shares) - min(shares) <= 1


@given(some.integers(0, 2**53 - 1), some.integers(0, 999), some.integers(0, 999))
def test_each_host_has_a_seed_of_its_own(seed: int, one: int, other: int) -> None:
    first, second = Share(one, 1000).seed(seed), Share(other, 1000).seed(seed)
    assert 0 <= first < 2**53
    assert (first == second) == (one == other)


def test_writers_are_dealt_out_with_a_file_each() -> None:
    study = load_study(
        "writers", ['workload.ranges=["own files"]', "workload.writers=[3, 16]"], [], None, 1
    )
    method = method_of(study.workload)
    method.require_dealable(3)
    cell = cells_of(study.workload)[-1]
    whole = method.load_job(cell, FILES, 5)
    assert isinstance(whole, LoadJob)
    dealt = [method.dealt(whole, Share(number, 3)) for number in range(3)]
    assert sum(job.jobs for job in dealt) == whole.jobs
    for job in dealt:
        assert isinstance(job.target, FilesTarget) and job.target.count == job.jobs
    layout = method.layout_job(FILES, 5)
    assert layout is not None
    counts = [method.dealt(layout, Share(number, 3)).target.count for number in range(3)]
    assert sum(counts) == 16


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ([], "writers of one file cannot be dealt out to 4 hosts yet"),
        (
            ['workload.ranges=["own files"]', "workload.writers=[2, 8]"],
            "2 writers cannot be dealt out to 4 hosts",
        ),
        (
            ['workload.ranges=["own files"]', "workload.writers=[8]", "workload.log_writers=1"],
            "readers and log writers cannot be dealt out",
        ),
    ],
)
def test_writers_that_cannot_be_dealt_out_are_refused(changes: list[str], what: str) -> None:
    study = load_study("writers", changes, [], None, 1)
    method = method_of(study.workload)
    method.require_dealable(1)
    with pytest.raises(InputError, match=what):
        method.require_dealable(4)


def test_clients_are_dealt_out_with_their_files() -> None:
    study = load_study("connections", ['workload.tests=["write", "read"]'], [], None, 1)
    method = method_of(study.workload)
    method.require_dealable(4)
    whole = method.load_job(cells_of(study.workload)[0], FOLDERS, 5)
    dealt = [method.dealt(whole, Share(number, 4)) for number in range(4)]
    assert [job.clients for job in dealt] == [148, 148, 147, 147]
    assert all(job.files.clients == job.clients for job in dealt)
    assert all(job.files.files_per_client == 3 for job in dealt)


def test_a_backup_is_one_reader_s_work() -> None:
    study = load_study("connections", [], [], None, 1)
    with pytest.raises(InputError, match="a backup is the work of one reader") as caught:
        method_of(study.workload).require_dealable(2)
    assert 'workload.tests=["write", "read"]' in caught.value.next


def test_a_pace_is_divided_and_a_cell_is_not() -> None:
    study = load_study("overhead", ["workload.rate=1000 IOPS"], [], None, 1)
    method = method_of(study.workload)
    whole = method.load_job(cells_of(study.workload)[0], FILES, 5)
    first, second = (method.dealt(whole, Share(number, 2)) for number in range(2))
    assert first.jobs == second.jobs == whole.jobs
    assert first.rate.operations_per_second == 500
    assert first.seed == whole.seed != second.seed


@pytest.mark.parametrize("kind", ["churn", "aging"])
def test_what_is_not_dealt_out_says_so(kind: str) -> None:
    method = method_of(load_study(kind, [], [], None, 1).workload)
    method.require_dealable(1)
    with pytest.raises(InputError, match="runs on one host so far, and the fleet has 2"):
        method.require_dealable(2)
