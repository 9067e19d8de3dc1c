"""Loads dealt out over hosts: nothing is lost, nothing is done twice, or it is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fsgauge.engine.wire import FilesTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.plan.space import planned_room
from fsgauge.record.factors import factors_of
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.workload import Method, method_of
from fsgauge.workload.dealing import Share
from fsgauge.workload.folders import AgedFolders, ClientFolders
from tests.unit.kinds.mix.studies import READERS
from tests.unit.kinds.mix.test_method import loads

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


@given(some.integers(0, 10_000), some.integers(1, 100))
def test_shares_are_numbered_through(whole: int, hosts: int) -> None:
    shares = [Share(number, hosts) for number in range(hosts)]
    assert [share.first(whole) for share in shares] == [
        sum(each.of(whole) for each in shares[:number]) for number in range(hosts)
    ]
    assert max(share.of(whole) for share in shares) == shares[0].most(whole)


def writers(*changes: str) -> tuple[Method, LoadJob]:
    """The method of a study of writers, and the job of its last cell."""
    study = load_study("writers", list(changes), [], None, 1)
    method = method_of(study.workload)
    job = method.load_job(cells_of(study.workload)[-1], FILES, 5)
    assert isinstance(job, LoadJob)
    return method, job


def test_writers_are_dealt_out_with_a_file_each() -> None:
    method, whole = writers('workload.ranges=["own files"]', "workload.writers=[3, 16]")
    method.require_dealable(3)
    dealt = [method.dealt(whole, Share(number, 3)) for number in range(3)]
    assert sum(job.jobs for job in dealt) == whole.jobs
    for job in dealt:
        assert isinstance(job.target, FilesTarget) and job.target.count == job.jobs
        assert job.jobs_of_all is None
    assert method.files_of_all == 0 and not method.is_on_files_of_all(whole)


@pytest.mark.parametrize("ranges", ["segmented", "interleaved", "strided"])
def test_writers_of_one_file_have_their_parts_of_it(ranges: str) -> None:
    """Every part has one writer, whichever host that is on."""
    method, whole = writers(f'workload.ranges=["{ranges}"]', "workload.writers=[4, 7]")
    method.require_dealable(3)
    assert method.files_of_all == 1 and method.is_on_files_of_all(whole)
    dealt = [method.dealt(whole, Share(number, 3)) for number in range(3)]
    numbers: list[int] = []
    for job in dealt:
        assert job.jobs_of_all is not None and job.jobs_of_all.of == whole.jobs == 7
        numbers += range(job.jobs_of_all.first, job.jobs_of_all.first + job.jobs)
        assert job.target == whole.target
    assert numbers == list(range(7))
    assert len({job.seed for job in dealt}) == 3


def test_writers_that_overwrite_one_another_have_all_of_the_file() -> None:
    method, whole = writers("workload.verify=false", "workload.writers=[4]")
    method.require_dealable(2)
    first, second = (method.dealt(whole, Share(number, 2)) for number in range(2))
    assert (first.jobs, second.jobs) == (2, 2)
    assert first.jobs_of_all is None and first.target == second.target == whole.target


@pytest.mark.parametrize("hosts", [1, 2, 3])
def test_every_host_brings_all_writers_where_their_number_varies(hosts: int) -> None:
    """Their parts of the one file are numbered through over those that take part."""
    study = load_study(
        "writers",
        ['workload.ranges=["segmented"]', "workload.writers=[4]", "workload.hosts=[1, 2, 3]"],
        [],
        None,
        1,
    )
    method = method_of(study.workload)
    method.require_dealable(3)
    cell = next(c for c in cells_of(study.workload) if factors_of(c).host_count == hosts)
    whole = method.load_job(cell, FILES, 5)
    assert isinstance(whole, LoadJob) and whole.jobs == 4
    dealt = [method.dealt(whole, Share(number, hosts, cell)) for number in range(hosts)]
    assert all(job.jobs == 4 and job.target == whole.target for job in dealt)
    assert len({job.seed for job in dealt}) == hosts
    parts = [job.jobs_of_all for job in dealt]
    if hosts == 1:
        assert parts == [None]
        return
    assert [(part.first, part.of) for part in parts if part] == [
        (4 * number, 4 * hosts) for number in range(hosts)
    ]


def test_one_host_may_have_fewer_writers_than_there_are_hosts() -> None:
    """They are those of each host; more hosts than there are are refused."""
    changes = ['workload.ranges=["own files"]', "workload.writers=[1]", "workload.hosts=[1, 4]"]
    method, _ = writers(*changes)
    method.require_dealable(4)
    with pytest.raises(InputError, match="asks for 4 hosts, and the fleet has 3") as caught:
        method.require_dealable(3)
    assert "workload.hosts=[1]" in caught.value.next


def test_a_file_that_is_too_small_for_all_hosts_writers_is_refused() -> None:
    method, _ = writers(
        'workload.ranges=["segmented"]', "workload.writers=[4]", "workload.hosts=[1, 4]"
    )
    method.require_room(16 * 8192, "")
    with pytest.raises(InputError, match="too small for 16 writers with segmented ranges"):
        method.require_room(15 * 8192, "")


def test_own_files_beside_one_file_of_all_are_a_host_s_own() -> None:
    """The first of them stands under another name, where the file of all has taken its own."""
    method, whole = writers('workload.ranges=["segmented", "own files"]', "workload.writers=[4]")
    first, second = (method.dealt(whole, Share(number, 2)).target for number in range(2))
    assert isinstance(first, FilesTarget) and isinstance(second, FilesTarget)
    assert (first.prefix, second.prefix) == (FILES.prefix, f"own-{FILES.prefix}")
    assert first.count == second.count == 2


def test_one_host_does_all_of_it() -> None:
    method, whole = writers()
    method.require_dealable(1)
    assert method.dealt(whole, Share(0, 1)) == whole


def test_readers_and_log_writers_are_dealt_out() -> None:
    """A host that has none of a role is told of none."""
    method, whole = writers(
        'workload.ranges=["segmented"]',
        *("workload.readers=3", "workload.log_writers=1", "workload.duration=1s"),
        "workload.writers=[4]",
    )
    dealt = [method.dealt(whole, Share(number, 2)) for number in range(2)]
    assert [[(each.role, each.count) for each in job.companions] for job in dealt] == [
        [("reader", 2), ("log", 1)],
        [("reader", 1)],
    ]


@pytest.mark.parametrize(
    ("changes", "what", "way_out"),
    [
        ([], "overwrite one another cannot be verified over several hosts", "verify=false"),
        (
            ['workload.ranges=["own files"]', "workload.writers=[2, 8]"],
            "2 writers cannot be dealt out to 4 hosts",
            "workload.writers=[8]",
        ),
    ],
)
def test_writers_that_cannot_be_dealt_out_are_refused(
    changes: list[str], what: str, way_out: str
) -> None:
    method, _ = writers(*changes)
    method.require_dealable(1)
    with pytest.raises(InputError, match=what) as caught:
        method.require_dealable(4)
    assert way_out in caught.value.next


def test_clients_are_dealt_out_with_their_files() -> None:
    study = load_study("connections", ['workload.tests=["write", "read"]'], [], None, 1)
    method = method_of(study.workload)
    method.require_dealable(4)
    whole = method.load_job(cells_of(study.workload)[0], FOLDERS, 5)
    dealt = [method.dealt(whole, Share(number, 4)) for number in range(4)]
    assert [job.clients for job in dealt] == [148, 148, 147, 147]
    assert all(job.files.clients == job.clients for job in dealt)
    assert all(job.files.files_per_client == 3 for job in dealt)


def test_every_host_brings_all_clients_where_their_number_varies() -> None:
    """On a system made afresh for each number, since tests read what others wrote."""
    changes = ['workload.tests=["write", "read"]', "workload.hosts=[1, 600]"]
    study = load_study("connections", changes, [], None, 1)
    method, cells = method_of(study.workload), cells_of(study.workload)
    method.require_dealable(600)
    with pytest.raises(InputError, match="asks for 600 hosts, and the fleet has 2"):
        method.require_dealable(2)
    assert [cell.id for cell in cells] == [
        *("write-hosts1", "read-hosts1"),
        *("write-hosts600", "read-hosts600"),
    ]
    assert method.stages(cells) == [[[cell.id for cell in cells[:2]], [c.id for c in cells[2:]]]]
    whole = method.load_job(cells[-1], FOLDERS, 5)
    dealt = method.dealt(whole, Share(599, 600, cells[-1]))
    assert dealt == whole.model_copy(update={"seed": dealt.seed}) != whole


def test_a_backup_has_a_reader_on_each_host() -> None:
    """Each reads what its own host has filled."""
    study = load_study("connections", [], [], None, 1)
    method = method_of(study.workload)
    method.require_dealable(4)
    jobs = {cell.id: method.load_job(cell, FOLDERS, 5) for cell in cells_of(study.workload)}
    fill = jobs.pop("backup-fill")
    backup = next(job for name, job in jobs.items() if name.startswith("backup"))
    for number in range(4):
        filled, read = (method.dealt(each, Share(number, 4)) for each in (fill, backup))
        assert read.clients == 1
        assert read.files == filled.files and read.seed == filled.seed


def test_a_pace_is_divided_and_a_cell_is_not() -> None:
    study = load_study("overhead", ["workload.rate=1000 IOPS"], [], None, 1)
    method = method_of(study.workload)
    whole = method.load_job(cells_of(study.workload)[0], FILES, 5)
    first, second = (method.dealt(whole, Share(number, 2)) for number in range(2))
    assert first.jobs == second.jobs == whole.jobs
    assert first.rate.operations_per_second == 500
    assert first.seed == whole.seed != second.seed


def test_each_host_ages_a_tree_of_its_own() -> None:
    """Its clients fill what its own tree has left, be they more or fewer than others.'."""
    both = 'workload.tests=["read", "write"]'
    study = load_study("churn", [both, "workload.clients=5"], [], None, 1)
    method = method_of(study.workload).in_room(planned_room(study, 8 << 30))
    method.require_dealable(2)
    folders = FOLDERS.model_copy(update={"available_bytes": 8 << 30})
    cells = {cell.id: cell for cell in cells_of(study.workload)}
    fill = min(study.workload.fills)
    (step,) = method.steps_before(cells[f"aged-{fill}-read"], folders, 5)
    ages = [method.dealt(step.job, Share(number, 2)) for number in range(2)]
    assert ages[0] == step.job and ages[0].seed != ages[1].seed
    assert ages[1].space_bytes == step.job.space_bytes
    whole = method.load_job(cells[f"aged-{fill}-write"], folders, 5)
    dealt = [method.dealt(whole, Share(number, 2)) for number in range(2)]
    assert [job.clients for job in dealt] == [3, 2]
    all_files = whole.files.files_per_client * 5
    assert all(job.files.clients == job.clients for job in dealt)
    assert all_files - 3 < dealt[0].files.files_per_client * 3 <= all_files
    assert dealt[1].files.files_per_client == dealt[0].files.files_per_client
    read = method.load_job(cells[f"aged-{fill}-read"], folders, 5)
    assert method.dealt(read, Share(1, 2)) == read
    with pytest.raises(InputError, match="5 clients cannot be dealt out to 6 hosts") as caught:
        method.require_dealable(6)
    assert "--set 'workload.clients=6'" in caught.value.next


def test_each_host_has_a_region_of_its_own() -> None:
    """Deletes have one order on all hosts, since it is that of the study's own seed."""
    study = load_study("aging", [], [], None, 1)
    method = method_of(study.workload).in_room(planned_room(study, 8 << 30))
    method.require_dealable(300)
    folders = AgedFolders(directory="/x", file_size_bytes=1 << 28, rate_file_bytes=1 << 24)
    whole = method.load_job(cells_of(study.workload)[0], folders, 5)
    first, second = (method.dealt(whole, Share(number, 2)) for number in range(2))
    assert first == whole
    assert second == whole.model_copy(update={"seed": second.seed}) != whole


def test_a_kind_that_deals_nothing_out_runs_on_one_host() -> None:
    method = Method(None)
    method.require_dealable(1)
    with pytest.raises(InputError, match="runs on one host so far, and the fleet has 2"):
        method.require_dealable(2)


def test_each_host_runs_all_groups_of_a_mix_and_a_pace_is_divided() -> None:
    method = method_of(load_study("mix", [], [], None, 1).workload)
    method.require_dealable(4)
    (load,) = loads(READERS + 'rate = "100 IOPS"\n')
    for number in range(4):
        dealt = method.dealt(load, Share(number, 4))
        assert dealt.rate is not None and dealt.rate.operations_per_second == 25
        assert (dealt.seed == load.seed) == (number == 0)


def test_committers_are_dealt_out_to_logs_of_the_hosts() -> None:
    study = load_study("commits", ["workload.committers=[3]"], [], None, 1)
    method, (cell, *_) = method_of(study.workload), cells_of(study.workload)
    method.require_dealable(3)
    whole = method.load_job(cell, FilesTarget(directory="/x", count=1, file_size_bytes=1 << 20), 5)
    dealt = [method.dealt(whole, Share(number, 2, cell)) for number in range(2)]
    assert [job.jobs for job in dealt] == [2, 1] and dealt[1].target == whole.target
    with pytest.raises(InputError, match="3 committers cannot be dealt out to 4 hosts"):
        method.require_dealable(4)
