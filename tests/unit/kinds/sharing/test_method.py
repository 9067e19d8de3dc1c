"""The tests of sharing as jobs of the engine, and what does not fit."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import ClientsJob, FilesTarget, FileTarget, LoadJob
from fsgauge.errors import FsgaugeError, InputError
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.kinds.sharing.method import SharingMethod
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of
from fsgauge.workload.dealing import Share

PLACE = FilesTarget(directory="/mnt/x", count=1, file_size_bytes=8 << 20)


def method(*overrides: str) -> SharingMethod:
    workload = load_study("sharing", list(overrides), [], None, 1).workload
    assert isinstance(workload, SharingWorkload)
    return SharingMethod(workload=workload)


def job(*overrides: str) -> LoadJob | ClientsJob:
    made = method(*overrides)
    (cell,) = cells_of(made.workload)
    return made.load_job(cell, PLACE, 7)


def test_a_write_makes_its_file_anew_and_ends_with_fsync_and_close() -> None:
    made = job('workload.tests=["write"]')
    assert isinstance(made, LoadJob) and made.extend and made.passes == 1
    assert made.target == FileTarget(path="/mnt/x/fsgauge-0000", size_bytes=8 << 20)
    assert made.finish.fsync and made.finish.close
    without = job('workload.tests=["write"]', "workload.include_flush=false")
    assert isinstance(without, LoadJob) and not without.finish.fsync and without.finish.close


def test_a_file_has_whole_records() -> None:
    """What was left of 1 MB at the end of its records was not written, and not found by reads."""
    for name in ("write", "read"):
        made = job(f'workload.tests=["{name}"]', 'workload.file_sizes=["1 MB"]')
        assert isinstance(made, LoadJob)
        assert made.target == FileTarget(path="/mnt/x/fsgauge-0000", size_bytes=15 * (64 << 10))


def test_a_test_that_its_limit_would_end_is_told_before() -> None:
    slow = method('workload.tests=["put_byte"]', "workload.time_limit=1s")
    (cell,) = cells_of(slow.workload)
    assert slow.run_seconds(cell, 0) == 1
    (caution,) = slow.cautions()
    assert "takes about 2.5" in caution and "the time limit ends it at 1 s" in caution
    assert method('workload.tests=["put_byte"]').cautions() == []


def test_seeks_are_as_many_as_the_study_says() -> None:
    made = job('workload.tests=["seeks"]', "workload.seeks=30")
    assert isinstance(made, LoadJob) and made.size_limit_bytes == 30 * (64 << 10)


def test_empty_files_are_a_job_of_clients_in_the_folder() -> None:
    made = job('workload.tests=["create_random"]', "workload.folder_files=12")
    assert isinstance(made, ClientsJob) and made.sync_at_end
    assert made.files.files_per_client == 12 and made.target.directory == "/mnt/x"


def test_each_host_does_the_whole_test_with_a_seed_of_its_own() -> None:
    made = job('workload.tests=["write"]')
    second = method().dealt(made, Share(1, 2))
    assert second.seed != made.seed
    assert second.model_copy(update={"seed": made.seed}) == made
    with pytest.raises(InputError, match="asks for 2 hosts"):
        method("workload.hosts=[1,2]").require_dealable(1)


def test_a_file_larger_than_the_room_is_refused() -> None:
    made = method('workload.file_sizes=["1 GiB"]')
    with pytest.raises(InputError, match="a file of 1 GiB does not fit: there is room for 256 MiB"):
        made.require_room(made.file_size_bytes(256 << 20), "the disk")


def test_a_bare_device_and_one_node_are_refused() -> None:
    with pytest.raises(FsgaugeError, match="its tests write files"):
        load_study("sharing", [], ["raw"], None, 1)
    assert load_study("sharing", ["rig.nodes=1"], [], None, 1).rig is not None


def test_folders_that_are_mounted_need_no_nodes() -> None:
    study = load_study("sharing", [], ["/mnt/a", "/mnt/b"], None, 1)
    assert study.rig is None and [each.kind for each in study.systems] == ["mounted"] * 2
