"""Metadata as jobs of the engine, and what each leaves for the next."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import ClientsJob, LoadJob, OwnTree, SharedTree
from fsgauge.errors import InputError
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.kinds.metadata.method import MetadataMethod
from fsgauge.plan.turns import make_plan
from fsgauge.record.modes import Pace
from fsgauge.study.parse import load_study
from fsgauge.workload.assumed import Room
from fsgauge.workload.dealing import Share
from fsgauge.workload.steps import ClearFolder
from tests.unit.kinds.metadata.studies import PLACE, cell_of, job, workload


def test_clients_share_the_files_out_in_folders_of_their_own_or_in_one() -> None:
    own = job("create", "clients=4", "entries=40", 'folders="own"', "file_sizes='3901 B'")
    assert (own.clients, own.files.files_per_client, own.dispatch) == (4, 10, "threads")
    assert own.files.tree == OwnTree() and own.files.record_size_bytes == 3901
    shared = job("create", 'folders="shared"')
    assert shared.files.tree == SharedTree(depth=1, fan_out=1)


def test_a_folder_is_listed_once_by_each() -> None:
    assert job("list").files.files_per_client == 1


def test_each_operation_has_its_phase_and_files_come_in_the_order_of_the_study() -> None:
    phases = {each: job(each).phase.kind for each in ("create", "stat", "list", "rename", "unlink")}
    assert list(phases.values()) == ["write", "stat", "list", "rename", "delete"]
    assert job("stat", 'order="random"').order == "random"
    assert job("create", 'order="random"').order == "number"


def test_creates_stop_at_a_stonewall_and_the_rest_finds_what_is_there() -> None:
    create, stat, listed = (job(each, 'stonewall="2 s"') for each in ("create", "stat", "list"))
    assert (create.time_limit_ns, create.wear_out, create.only_existing) == (2 * 10**9, True, False)
    assert (stat.wear_out, stat.only_existing, stat.time_limit_ns) == (False, True, 600 * 10**9)
    assert not listed.only_existing
    plain = job("create")
    assert (plain.wear_out, plain.time_limit_ns) == (False, 600 * 10**9)


def test_fsync_is_of_creates_alone() -> None:
    assert job("create", "fsync=true").fsync
    assert not job("stat", "fsync=true").fsync


def test_what_is_read_is_compared_where_the_study_says_so() -> None:
    keys = ("verify=true", 'operations=["create","read"]', "file_sizes='4 KiB'")
    assert job("read", *keys).verify and not job("create", *keys).verify
    assert not job("read", *keys[1:]).verify
    for verify, transfer in (("true", "compared"), ("false", "whole")):
        made = workload('operations=["record write","record read"]', f"verify={verify}")
        jobs = (MetadataMethod(made).load_job(cell, PLACE, 7) for cell in made.cells()[:2])
        ways = [each.transfer for each in jobs if isinstance(each, LoadJob)]
        assert ways == ["whole", transfer]


def test_what_is_synced_at_the_end_is_what_the_study_says() -> None:
    asked = [
        job(each, 'sync_after=["create"]').sync_at_end for each in ("create", "stat", "unlink")
    ]
    assert asked == [True, False, False]
    assert not job("create").sync_at_end
    made = MetadataMethod(workload('sync_after=["create","unlink"]'))
    assert "create and unlink until the file system is synced" in "; ".join(
        made.held_equal("", False)
    )
    assert made.notes() == []


@pytest.mark.parametrize(("name", "seconds"), [("metadata-hard", 0.5), ("metadata-hard-full", 300)])
def test_the_shipped_hard_phases_are_those_of_io500(name: str, seconds: float) -> None:
    """io500/src/phase_mdtest_hard.c, phase_mdtest_hard_write.c, phase_ior_hard.c."""
    study = load_study(name, seed=1)
    assert make_plan(study, size_bytes=study.storage.model_dump()["size"]).turns, "it fits"
    found = study.workload
    assert found.model_dump()["stonewall"] == seconds * 1e9
    assert isinstance(found, MetadataWorkload)
    method = MetadataMethod(found)
    jobs = {
        str(cell.factors["operation"]): method.load_job(cell, PLACE, 7) for cell in found.cells()
    }
    create, written, read = jobs["create"], jobs["record write"], jobs["record read"]
    assert isinstance(jobs["read"], ClientsJob) and jobs["read"].verify, "mdtest -X"
    assert isinstance(create, ClientsJob) and create.files.tree == SharedTree(depth=1, fan_out=1)
    assert create.files.sizes.model_dump()["sizes_bytes"] == [3901]
    assert create.wear_out and create.sync_at_end, "-W, -Y"
    others = [job for name, job in jobs.items() if name in ("stat", "read", "unlink")]
    assert len(others) == 3
    for each in others:
        assert isinstance(each, ClientsJob) and each.only_existing and not each.sync_at_end
    assert isinstance(written, LoadJob) and isinstance(read, LoadJob)
    assert [each.size_bytes for each in written.block_sizes] == [47_008], "-t, -b"
    assert written.wear_out and written.finish.fsync and written.finish.close, "-e"
    assert (written.ranges.kind, read.ranges.kind) == ("interleaved", "interleaved")
    assert read.only_existing and read.transfer == "compared", "-R"


def test_records_go_round_in_one_file() -> None:
    made = workload('operations=["record write","record read"]', "clients=3", "records=5")
    write, read = (MetadataMethod(made).load_job(cell, PLACE, 7) for cell in made.cells())
    assert isinstance(write, LoadJob) and isinstance(read, LoadJob)
    assert write.target.size_bytes == 3 * 5 * 47_008 and write.target == read.target
    assert (write.jobs, write.passes, write.ranges.kind) == (3, 1, "interleaved")
    assert (write.extend, write.finish.fsync, read.extend, read.finish.fsync) == (
        True,
        True,
        False,
        False,
    )
    assert (write.read_percent, read.read_percent) == (0, 100)


def test_each_set_begins_on_a_system_of_its_own() -> None:
    made = workload("clients=[1,2]", "entries=[10,20]", 'operations=["create","unlink"]')
    method = MetadataMethod(made)
    (group,) = method.stages(made.cells())
    assert len(group) == 8 and all(len(stage) == 2 for stage in group)
    assert len({method.seed_purpose(cell) for cell in made.cells()}) == 8


def test_hosts_get_clients_and_folders_of_their_own() -> None:
    method = MetadataMethod(workload("clients=5", "entries=50"))
    created = job("create", "clients=5", "entries=50")
    shares = [method.dealt(created, Share(number, 2)) for number in (0, 1)]
    assert [each.clients for each in shares] == [3, 2]
    assert [each.files.clients for each in shares] == [3, 2]
    assert {each.files.files_per_client for each in shares} == {10}
    assert shares[0].seed != shares[1].seed
    with pytest.raises(InputError, match="1 client cannot be dealt out to 2 hosts"):
        MetadataMethod(workload("clients=1")).require_dealable(2)


def test_times_and_bytes_follow_the_files() -> None:
    small, large = (workload(f"entries={each}", "clients=1") for each in (1000, 100_000))
    cells = [(MetadataMethod(made), cell_of(made, "create")) for made in (small, large)]
    seconds = [method.run_seconds(cell, 0) for method, cell in cells]
    written = [method.written_bytes(cell, 0) for method, cell in cells]
    assert seconds[1] > 50 * seconds[0] and written[1] == 100 * written[0]
    assert MetadataMethod(small).written_bytes(cell_of(small, "stat"), 0) == 0
    walled = workload("entries=10000000", "clients=1", 'stonewall="1 s"')
    assert MetadataMethod(walled).run_seconds(cell_of(walled, "create"), 0) <= 2


def test_too_many_clients_for_this_process_are_refused() -> None:
    method = MetadataMethod(workload("clients=1000", "entries=1000"))
    method.require_descriptors(4096)
    with pytest.raises(InputError, match="1,000 clients with a folder and a file each"):
        method.require_descriptors(1024)


def test_what_is_held_equal_says_the_stonewall() -> None:
    lines = MetadataMethod(workload('stonewall="2 s"')).held_equal("", False)
    assert any("creates and record writes until 2 s" in line for line in lines)
    assert isinstance(job("unlink"), ClientsJob)


def test_a_paced_file_is_due_at_its_time_and_each_rate_of_a_curve_makes_its_files_anew() -> None:
    create, listed = (job(each, 'rate="2000 IOPS"') for each in ("create", "list"))
    assert create.rate is not None and listed.rate is None
    assert (create.rate.operations_per_second, create.rate.arrival) == (2000, "exponential")
    made = workload("clients=4")
    method, create_cell = MetadataMethod(made), cell_of(made, "create")
    paced = create_cell.model_copy(
        update={"pace": Pace(load=create_cell.id, part="step", number=1, rate=500.0)}
    )
    found = method.load_job(paced, PLACE, 7)
    assert isinstance(found, ClientsJob) and found.rate is not None
    assert found.rate.operations_per_second == 500
    assert method.steps_before(paced, PLACE, 7) == [ClearFolder("/mnt/x/files")]
    assert method.steps_before(create_cell, PLACE, 7) == []
    shared = method.dealt(found, Share(number=1, hosts=4))
    assert isinstance(shared, ClientsJob) and shared.rate is not None
    assert shared.rate.operations_per_second == pytest.approx(125)


def test_records_stop_at_the_stonewall_and_are_read_as_they_are() -> None:
    made = workload('operations=["record write","record read"]', 'stonewall="2 s"')
    write, read = (MetadataMethod(made).load_job(cell, PLACE, 7) for cell in made.cells()[:2])
    assert isinstance(write, LoadJob) and isinstance(read, LoadJob)
    assert (write.wear_out, write.only_existing, write.duration_ns) == (True, False, 2 * 10**9)
    assert (read.wear_out, read.only_existing, read.duration_ns) == (False, True, 600 * 10**9)


def test_a_curve_needs_files_of_clients() -> None:
    found = workload('operations=["record write"]').against_curve()
    assert found is not None and found[0] == "operations"
    assert workload().against_curve() is None


GIB = 1 << 30


def refusal(room: Room, *overrides: str) -> str:
    with pytest.raises(InputError) as refused:
        MetadataMethod(workload(*overrides)).in_room(room)
    return refused.value.render()


def test_a_million_files_without_the_inodes() -> None:
    said = refusal(Room(100 * GIB, "xfs", 65536, "ext4"), "entries=1000000", "clients=[1,4]")
    assert "1,000,000 files and their folders need 1,000,012 inodes" in said
    assert '"ext4" has 65,536' in said
    assert "--set workload.entries=65524, or a file system with more inodes" in said
    fitting = workload("entries=65524", "clients=[1,4]")
    MetadataMethod(fitting).in_room(Room(100 * GIB, "xfs", 65536, "ext4"))


def test_the_option_of_mkfs_is_proposed_with_the_number_that_is_needed() -> None:
    room = Room(100 * GIB, "", 65536, "ext4", of_mkfs=lambda number: f"--set X={number}")
    said = refusal(room, "entries=1000000", "clients=[1,4]")
    assert "--set workload.entries=65524, or --set X=1000012" in said


def test_a_million_files_without_the_bytes() -> None:
    said = refusal(Room(GIB, "xfs"), "entries=1000000", "file_sizes='3901 B'", "clients=4")
    assert "1,000,000 files with their names and inodes take about 4.77 GiB" in said
    assert '"xfs" has room for 973 MiB' in said
    most = int(said.partition("workload.entries=")[2].split(",")[0])
    MetadataMethod(workload(f"entries={most}", "file_sizes='3901 B'", "clients=4")).in_room(
        Room(GIB, "")
    )
    assert "larger storage" in refusal(Room(1000, ""), "entries=100", "clients=4")


def test_a_shared_file_that_does_not_fit() -> None:
    keys = ('operations=["record write"]', "clients=2")
    said = refusal(Room(GIB, ""), *keys, "records=100000")
    assert "the shared file takes 8.76 GiB" in said
    most = int(said.partition("workload.records=")[2])
    MetadataMethod(workload(*keys, f"records={most}")).in_room(Room(GIB, ""))
