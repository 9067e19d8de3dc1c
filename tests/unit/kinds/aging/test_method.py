"""Ageing carried out: sizes in a room, steps before cells, the engine's jobs, what they take."""

from __future__ import annotations

from typing import Any

import pytest

from fsgauge.engine.wire import FilesTarget, FsyncSync, IntermingledProfile, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.plan.estimate import turn_written_bytes
from fsgauge.plan.preview import PlanDescription, describe
from fsgauge.plan.space import planned_room
from fsgauge.plan.turns import job_for, make_plan, steps_for, with_seed
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.workload import method_of
from fsgauge.workload.assumed import Room
from fsgauge.workload.folders import AgedFiles, AgedFolders, ClientFolders
from fsgauge.workload.steps import AgeFolder, ClearFolder, DeleteFile, Step, TakeBallast

GIB = 1 << 30
MIB = 1 << 20
PLACE = AgedFolders(
    directory="/mnt",
    file_size_bytes=184 * MIB,
    rate_file_bytes=40 * MIB,
    allocation_chunk_bytes=8 * MIB,
)


def steps(cell: str, seed: int = 7, place: AgedFolders = PLACE, **keys: Any) -> list[Step]:
    workload = AgingWorkload(**keys)
    found = next(each for each in cells_of(workload) if each.id == cell)
    return method_of(workload).steps_before(found, place, seed)


def job(cell: str, place: AgedFolders = PLACE, **keys: Any) -> LoadJob:
    workload = AgingWorkload(**keys)
    found = next(each for each in cells_of(workload) if each.id == cell)
    made = method_of(workload).load_job(found, place, 7)
    assert isinstance(made, LoadJob)
    return made


def test_a_stream_that_is_verified_fills_its_queue() -> None:
    """A plan was shown, and the engine refused the runs."""
    room = Room(400 * MIB, "ext4", chunks=(MIB,))
    method_of(AgingWorkload(queue_depth=4)).in_room(room)
    with pytest.raises(InputError) as refused:
        method_of(AgingWorkload(queue_depth=4, verify=True)).in_room(room)
    assert "a stream writes 4 records, and 8 are the fewest" in refused.value.what
    assert "--set workload.queue_depth=2, or" in refused.value.next
    method_of(AgingWorkload(queue_depth=2, verify=True)).in_room(room)


def test_files_are_whole_chunks_of_every_system() -> None:
    method = method_of(AgingWorkload()).in_room(
        Room(3862 * MIB, "ext4", chunks=(MIB, 2 * MIB, 4 * MIB, 8 * MIB, MIB))
    )
    assert method.file_sets == AgedFiles(184 * MIB, 40 * MIB)


def test_files_are_whole_multiples_of_hints() -> None:
    """43 MiB would take 48 of a file system that is told to give 8 at a time: 20 do not fit."""
    free_bytes = 900 * MIB
    without = method_of(AgingWorkload()).in_room(Room(free_bytes, "xfs", chunks=(None,)))
    hinted = method_of(AgingWorkload()).in_room(
        Room(free_bytes, "xfs", chunks=(None,), hints=(8 * MIB,))
    )
    assert without.file_sets == AgedFiles(43 * MIB, 9 * MIB)
    assert hinted.file_sets == AgedFiles(40 * MIB, 8 * MIB)
    study = load_study("aging-full", [], ["xfs:extent_size_hint=8MiB"])
    assert planned_room(study, GIB).hints == (8 * MIB,)


def test_a_plan_says_how_long_a_run_lasts_and_what_makes_it_longer() -> None:
    def described(storage_bytes: int) -> PlanDescription:
        study = with_seed(load_study("aging-full"), 3)
        return describe(make_plan(study, size_bytes=storage_bytes), study, size_bytes=storage_bytes)

    short = described(4 * GIB)
    assert any("a run lasts about 200 ms at 800 MiB/s" in line for line in short.held_equal)
    (warned,) = short.cannot_tell
    assert "a run moves 160 MiB, about 200 ms" in warned
    assert "about 10 GiB of storage (storage.size)" in warned
    assert described(11 * GIB).cannot_tell == []
    assert 7.5 * 60 < short.expected_seconds < 9.5 * 60


@pytest.mark.parametrize(
    ("free_bytes", "chunk", "streams"),
    [(700 * MIB, 8 * MIB, 4), (90 * MIB, None, 4), (GIB, MIB, 100)],
)
def test_a_room_that_is_too_small_says_what_is_needed(
    free_bytes: int, chunk: int | None, streams: int
) -> None:
    method = method_of(AgingWorkload(streams=streams))
    with pytest.raises(InputError) as refusal:
        method.in_room(Room(free_bytes, "ext4", chunks=(chunk, chunk)))
    words = refusal.value.render()
    assert f"{streams} streams need" in words and '"ext4" leaves room for' in words
    needed = next(word for word in words.split("\n") if word.startswith("next: room for"))
    gibibytes = float(needed.split()[3]) * (1 if "GiB" in needed else 1 / 1024)
    more = int(gibibytes * 1.01 * GIB)
    assert method.in_room(Room(more, "ext4", chunks=(chunk, chunk))).file_sets is not None


def test_nothing_happens_before_clean_rates_and_before_reads() -> None:
    for cell in ("clean-write", "clean-read", "free-05-read", "free-100-read"):
        assert steps(cell) == []


def test_the_first_aged_write_comes_after_ageing_ballast_and_a_delete() -> None:
    clear, age, ballast, delete = steps("free-05-write")
    assert clear == ClearFolder("/mnt/rate")
    assert isinstance(age, AgeFolder)
    assert age.job.directory == "/mnt/aged"
    assert age.job.mode == "fast"
    assert age.job.profile == IntermingledProfile(
        files=20, file_size_bytes=184 * MIB, chunk_bytes=8 * MIB
    )
    assert age.needed_bytes == age.job.space_bytes == 20 * 184 * MIB
    assert isinstance(ballast, TakeBallast) and ballast.path == "/mnt/ballast"
    assert ballast.leave_bytes == 4 * MIB
    assert ballast.what == (
        "free space filled except for 4 MiB, or what the file system keeps if that is more"
    )
    assert isinstance(delete, DeleteFile)


@pytest.mark.parametrize(
    ("chunk", "aged_by", "mode"),
    [(None, None, "direct"), (None, "write", "write"), (8 * MIB, "fallocate", "fast")],
)
def test_files_are_written_where_the_file_system_decides(
    chunk: int | None, aged_by: str | None, mode: str
) -> None:
    place = PLACE.model_copy(update={"allocation_chunk_bytes": chunk})
    age = steps("free-05-write", place=place, aged_by=aged_by)[1]
    assert isinstance(age, AgeFolder)
    assert age.job.mode == mode
    assert age.job.profile.chunk_bytes == (chunk or MIB)  # type: ignore[union-attr]


def test_every_file_is_deleted_once_in_an_order_of_the_seed() -> None:
    def order(seed: int) -> list[str]:
        cells = [
            cell.id for cell in cells_of(AgingWorkload()) if AgingFactors.of(cell).side == "write"
        ]
        found = [step for cell in cells for step in steps(cell, seed)]
        return [step.path for step in found if isinstance(step, DeleteFile)]

    names = [f"/mnt/aged/d0000/f{number:04d}" for number in range(20)]
    assert sorted(order(1)) == names
    assert order(1) == order(1) != order(2) != names


def test_levels_that_are_left_out_are_deleted_together() -> None:
    found = steps("free-50-write", levels=[50, 5])
    assert isinstance(found[0], ClearFolder)
    assert len(found) == 1 + 9 and all(isinstance(step, DeleteFile) for step in found[1:])


def test_all_systems_of_a_block_have_the_same_steps_and_loads() -> None:
    study = with_seed(load_study("aging-full", ["plan.blocks=2"]), 3)
    plan = make_plan(study, size_bytes=4 * GIB)
    cell = next(cell for cell in plan.cells if cell.id == "free-10-write")
    first, second, *_ = [turn for turn in plan.turns if turn.block == 0]
    other = next(turn for turn in plan.turns if turn.block == 1)
    assert first.cells == [each.id for each in plan.cells]
    assert steps_for(study, plan, first, cell, PLACE) == steps_for(study, plan, second, cell, PLACE)
    assert steps_for(study, plan, first, cell, PLACE) != steps_for(study, plan, other, cell, PLACE)
    assert job_for(study, plan, first, cell, PLACE) == job_for(study, plan, second, cell, PLACE)


def test_a_write_makes_new_files_and_syncs_each_once() -> None:
    write = job("free-05-write")
    assert write.target == FilesTarget(
        directory="/mnt/rate", prefix="rate-", count=4, file_size_bytes=40 * MIB
    )
    assert (write.direct, write.extend, write.passes, write.queue_depth) == (True, True, 1, 4)
    assert write.preallocate_chunk_bytes == 8 * MIB
    assert write.sync == FsyncSync(every=40)


def test_through_the_page_cache_all_of_it_goes() -> None:
    write, read = job("free-05-write", direct=False), job("free-05-read", direct=False)
    assert not write.direct and not read.direct
    assert write.sync == FsyncSync(every=40), "or nothing but memory is written"
    place = PLACE.model_copy(update={"allocation_chunk_bytes": None})
    age = steps("free-05-write", place=place, direct=False)[1]
    assert isinstance(age, AgeFolder) and age.job.mode == "write"
    through = method_of(AgingWorkload(direct=False)).in_room(Room(4 * GIB, "tmpfs"))
    assert through.direct_sizes_bytes() == []
    said = "\n".join(through.held_equal("", has_raw=False))
    assert " each, buffered 1 MiB, 4 in flight" in said


def test_what_passes_the_page_cache_says_how_it_goes_through_it() -> None:
    assert method_of(AgingWorkload()).buffered_instead() == "--set workload.direct=false"
    aged_past_it = method_of(AgingWorkload(direct=False, aged_by="direct"))
    assert aged_past_it.direct_sizes_bytes() == [MIB]
    assert aged_past_it.buffered_instead().endswith(" --set workload.aged_by=write")


def test_a_read_reads_the_same_files() -> None:
    write, read = job("clean-write"), job("clean-read")
    assert write.target == read.target
    assert (read.extend, read.preallocate_chunk_bytes, read.read_percent) == (False, None, 100)
    assert read.sync.kind == "none" and not read.verify


def test_without_a_chunk_nothing_is_allocated_beforehand() -> None:
    place = PLACE.model_copy(update={"allocation_chunk_bytes": None})
    assert job("clean-write", place).preallocate_chunk_bytes is None


def test_verify_and_data_reach_the_engine() -> None:
    assert job("clean-write", verify=True).verify
    assert job("clean-write", data="zero").data.kind == "zero"


def test_scans_list_every_file_with_space_and_map() -> None:
    method = method_of(AgingWorkload(streams=3))
    after, aged = method.scan_job("/mnt/rate", aged=False), method.scan_job("/mnt/aged", aged=True)
    assert (after.top, aged.top, after.space, after.map_order > 0) == (3, 20, True, True)
    cells = cells_of(AgingWorkload())
    assert {
        method.scanned_after(cell) for cell in cells if AgingFactors.of(cell).side == "read"
    } == {None}
    assert {
        method.scanned_after(cell) for cell in cells if AgingFactors.of(cell).side == "write"
    } == {"rate"}


def test_the_estimate_counts_the_region_only_where_it_is_written() -> None:
    allocated = turn_written_bytes(load_study("aging-full"), 4 * GIB)
    written = turn_written_bytes(load_study("aging-full", [], ["ext4"]), 4 * GIB)
    rates = 21 * 160 * MIB
    assert rates <= allocated < rates * 1.02
    # Two turns in three write the region: the baseline, twice in a block, allocates it.
    assert rates + 3.6 * GIB / 3 < written < rates * 1.1 + 3.8 * GIB / 3 + 21 * 5 * MIB


def test_more_levels_take_longer() -> None:
    from fsgauge.plan.estimate import block_seconds

    few = load_study("aging-full", ['workload.levels=["5 %"]'])
    assert block_seconds(few, 4 * GIB) < block_seconds(load_study("aging-full"), 4 * GIB) / 5


def test_clients_folders_are_another_kinds() -> None:
    place = ClientFolders(directory="/mnt", files_per_client=1, backup_files_per_client=1)
    workload = AgingWorkload()
    with pytest.raises(TypeError):
        method_of(workload).steps_before(cells_of(workload)[2], place, 1)
