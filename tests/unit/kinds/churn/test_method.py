"""The workload `churn` carried out: stages, steps, jobs, room, and what it takes."""

import pytest

from fsgauge.engine.wire import FilesTarget
from fsgauge.errors import InputError
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.kinds.churn.volume import ChurnVolume
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import ClientFolders

GIB = 1 << 30
FOLDERS = ClientFolders(
    directory="/mnt", files_per_client=0, backup_files_per_client=0, available_bytes=GIB
)


def made(**changes):
    workload = ChurnWorkload(**changes)
    return method_of(workload), {cell.id: cell for cell in cells_of(workload)}


def test_aged_and_fresh_of_a_level_stand_side_by_side():
    method, cells = made(fills=[50, 80])
    assert method.stages(list(cells.values())) == [
        [["aged-50-read", "aged-50-write"], ["fresh-50-read", "fresh-50-write"]],
        [["aged-80-read", "aged-80-write"], ["fresh-80-read", "fresh-80-write"]],
    ]


def test_the_tree_is_made_before_the_first_cell_alone():
    method, cells = made()
    (step,) = method.steps_before(cells["aged-80-read"], FOLDERS, 7)
    assert step.step == "age"
    assert method.steps_before(cells["aged-80-write"], FOLDERS, 7) == []
    method, cells = made(tests=["write"], mode="fast")
    (step,) = method.steps_before(cells["aged-80-write"], FOLDERS, 7)
    assert (step.job.mode, step.job.sync_every_bytes) == ("fast", None)


def test_aged_and_fresh_are_one_log_and_one_tree():
    method, cells = made(storage_age=5.0, median_size=8192, rewrite_percent=10)
    aged, fresh = (
        method.steps_before(cells[f"{wear}-80-read"], FOLDERS, 7)[0].job
        for wear in ("aged", "fresh")
    )
    assert (aged.fresh_copy, fresh.fresh_copy) == (False, True)
    assert aged.model_copy(update={"fresh_copy": True}) == fresh
    assert (aged.directory, aged.space_bytes, aged.fill_percent) == ("/mnt/tree", GIB, 80.0)
    assert (aged.end.storage_age, aged.sync_every_bytes) == (5.0, 256 << 20)
    assert aged.profile.sizes.median_bytes == 8192
    assert aged.profile.sizes.largest_bytes == GIB * 80 // 100 // 100
    assert aged.profile.rewrite_percent == 10
    assert method.seed_purpose(cells["aged-80-read"]) == method.seed_purpose(
        cells["fresh-80-write"]
    )
    assert method.seed_purpose(cells["aged-80-read"]) != method.seed_purpose(cells["aged-95-read"])


def test_the_whole_tree_is_read_and_new_files_stand_beside_it():
    method, cells = made()
    read = method.load_job(cells["aged-50-read"], FOLDERS, 7)
    assert (read.target.directory, read.phase.kind, read.clients) == ("/mnt/tree", "backup", 1)
    assert (read.verify, read.fsync) == (False, False)
    write = method.load_job(cells["aged-50-write"], FOLDERS, 7)
    assert (write.target.directory, write.phase.kind, write.clients) == ("/mnt/written", "write", 4)
    assert write.fsync
    assert write.files.files_per_client == GIB // 2 * 8 // 10 // (1 << 20) // 4
    assert write.files == method.load_job(cells["fresh-50-write"], FOLDERS, 7).files
    assert method.scanned_after(cells["aged-50-read"]) is None
    assert method.scanned_after(cells["aged-50-write"]) == "written"
    assert method.scan_job("/mnt/tree", aged=True).space
    assert not method.scan_job("/mnt/written", aged=False).space


def test_other_targets_are_a_mistake_of_the_program():
    method, cells = made()
    with pytest.raises(TypeError):
        one = FilesTarget(directory="/", count=1, file_size_bytes=1)
        method.load_job(cells["aged-50-read"], one, 7)
    unknown = FOLDERS.model_copy(update={"available_bytes": None})
    with pytest.raises(ValueError, match="available"):
        method.load_job(cells["aged-50-write"], unknown, 7)


@pytest.mark.parametrize(
    ("changes", "room", "words"),
    [
        ({"new_file_size": 16 << 20}, GIB, ["no room for a new file of 16 MiB", "95 %"]),
        ({"clients": 64}, GIB, ["64 clients", 'on "xfs"']),
        ({"largest_size": GIB}, GIB, ["a file of 1 GiB does not fit into 50 %"]),
    ],
)
def test_what_does_not_fit_is_refused_with_a_way_out(changes, room, words):
    method, _ = made(**changes)
    with pytest.raises(InputError) as refusal:
        method.in_room(Room(room, "xfs"))
    said = refusal.value.render()
    assert all(word in said for word in [*words, "larger storage"]), said


def test_ageing_takes_longer_than_a_fresh_copy_and_writes_more():
    method, cells = made(storage_age=4.0)
    method = method.in_room(Room(GIB, ""))
    aged, fresh = (cells[f"{wear}-80-read"] for wear in ("aged", "fresh"))
    assert method.run_seconds(aged, 0) > 2 * method.run_seconds(fresh, 0)
    assert method.written_bytes(aged, 0) == pytest.approx(4 * method.written_bytes(fresh, 0))
    assert method.written_bytes(aged, 0) == pytest.approx(4 * 0.8 * GIB, rel=0.05)
    write = cells["aged-80-write"]
    assert method.written_bytes(write, 0) == pytest.approx(0.16 * GIB, rel=0.05)
    assert 0 < method.run_seconds(write, 0) < method.run_seconds(aged, 0)


def test_fast_trees_write_names_alone():
    method, cells = made(mode="fast", tests=["write"], write_fill=1, new_file_size=1 << 16)
    method = method.in_room(Room(GIB, ""))
    assert method.written_bytes(cells["aged-80-write"], 0) < 0.1 * GIB


def test_the_mean_size_is_that_of_the_cut_distribution():
    volume = ChurnVolume(ChurnWorkload(size_sigma=0.1, median_size=1 << 20), 100 * GIB)
    contents, files = volume.made(50, aged=False)
    assert contents / files == pytest.approx(1.005 * (1 << 20), rel=1e-3)
    tight = ChurnVolume(ChurnWorkload(median_size=8192, largest_size=8192), 100 * GIB)
    contents, files = tight.made(50, aged=False)
    assert 1 < contents / files < 8192


def test_too_many_clients_for_the_limit_of_open_files():
    method, _ = made(clients=200)
    with pytest.raises(InputError, match="200 clients"):
        method.require_descriptors(300)
    method.require_descriptors(1024)


def test_what_is_held_equal_names_the_level_the_log_and_the_copy():
    method, _ = made()
    lines = "\n".join(method.in_room(Room(GIB, "")).held_equal("", has_raw=False))
    for words in ("each system has when empty", "the same tree", "3 times", "80 % of the space"):
        assert words in lines
