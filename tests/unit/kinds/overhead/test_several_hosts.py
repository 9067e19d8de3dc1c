"""Cells over several hosts: how many take part, with which files, and what each of them does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fsgauge.engine.wire import FilesTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.factors import factors_of, most_hosts
from fsgauge.record.records import Cell
from fsgauge.rig.fleet.files_of_all import linked_parts
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of, default_primary
from fsgauge.workload import method_of
from fsgauge.workload.dealing import Share

ONE = (
    'workload.patterns=["randread"]',
    'workload.block_sizes=["4KiB"]',
    "workload.queue_depths=[32]",
)


def study_with(*changes: str) -> Study:
    return load_study("overhead", [*ONE, *changes], [], None, 1)


def cells(*changes: str) -> list[Cell]:
    return cells_of(study_with(*changes).workload)


def test_a_cell_for_each_number_of_hosts() -> None:
    found = cells("workload.hosts=[4, 1, 2]")
    assert [(cell.id, cell.name) for cell in found] == [
        ("randread-4KiB-depth32-hosts1", "randread 4 KiB, depth 32, 1 host"),
        ("randread-4KiB-depth32-hosts2", "randread 4 KiB, depth 32, 2 hosts"),
        ("randread-4KiB-depth32-hosts4", "randread 4 KiB, depth 32, 4 hosts"),
    ]
    assert [factors_of(cell).host_count for cell in found] == [1, 2, 4]
    assert most_hosts(found) == 4 and most_hosts(cells()) == 1
    assert factors_of(found[-1]).place == "4 KiB and depth 32 on 4 hosts"
    assert default_primary(study_with("workload.hosts=[4, 1, 2]").workload) == [found[-1].id]


def test_without_hosts_nothing_is_said_of_them() -> None:
    (cell,) = cells()
    assert "hosts" not in cell.factors and "host_files" not in cell.factors
    assert factors_of(cell).host_count is None and factors_of(cell).panel == "randread"


def test_one_host_has_no_choice_of_files() -> None:
    found = cells("workload.hosts=[1, 2]", 'workload.host_files=["separate", "same"]')
    assert [cell.id.removeprefix("randread-4KiB-depth32-") for cell in found] == [
        "hosts1",
        "hosts2-separate",
        "hosts2-same",
    ]
    assert [OverheadFactors.of(cell).host_files for cell in found] == [None, "separate", "same"]
    assert factors_of(found[-1]).place == "4 KiB and depth 32 on 2 hosts with same files"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (['workload.host_files=["same"]'], "no number of hosts is given"),
        (['workload.host_files=["same"]', "workload.hosts=[1]"], "and there is one"),
        (
            ['workload.host_files=["same", "per-host"]', "workload.hosts=[1, 2]"],
            "are not laid out at once",
        ),
        (
            ['workload.host_files=["separate"]', "workload.hosts=[1, 32]"],
            "16 files cannot be divided between 32 hosts",
        ),
        (["workload.hosts=[1, 2]", "workload.rate=1000 IOPS"], "a pace is divided between hosts"),
        (["workload.hosts=[1, 1]"], "twice"),
    ],
)
def test_what_contradicts_itself_is_refused(changes: list[str], what: str) -> None:
    with pytest.raises(InputError) as caught:
        study_with(*changes)
    assert what in caught.value.render()


def test_more_hosts_than_there_are_are_refused() -> None:
    method = method_of(study_with("workload.hosts=[1, 2, 8]").workload)
    method.require_dealable(8)
    with pytest.raises(InputError, match="asks for 8 hosts, and the fleet has 4") as caught:
        method.require_dealable(4)
    assert "workload.hosts=[1, 2]" in caught.value.next


def test_the_files_are_divided_and_each_is_one_host_s(tmp_path: Path) -> None:
    """By links of its own names, for each number of hosts between which they are divided."""
    study = study_with("workload.hosts=[1, 2, 3]", 'workload.host_files=["separate", "same"]')
    method, found = method_of(study.workload), cells_of(study.workload)
    assert method.files_of_all == 16
    names = {}
    whole = [f"fsgauge-{number:04d}" for number in range(16)]
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        target = FilesTarget(directory=str(folder), count=16, file_size_bytes=1 << 20)
        for name in whole:
            (folder / name).touch()
        opened = os.open(folder, os.O_RDONLY)
        linked_parts(target, opened, 16, Share(number, 3), [1, 2, 3])
        os.close(opened)
        for cell in found:
            hosts = factors_of(cell).host_count or 0
            if number >= hosts:
                continue
            job = method.load_job(cell, target, 5)
            dealt = method.dealt(job, Share(number, hosts, cell))
            assert isinstance(dealt, LoadJob) and isinstance(dealt.target, FilesTarget)
            names.setdefault(cell.id.rpartition("depth32-")[2], []).append(_used(dealt.target))
    assert names["hosts1"] == [whole]
    assert names["hosts2-same"] == [whole] * 2 and names["hosts3-same"] == [whole] * 3
    for divided in ("hosts2-separate", "hosts3-separate"):
        assert sorted(name for part in names[divided] for name in part) == whole


def _used(target: FilesTarget) -> list[str]:
    """The files behind a target's names."""
    folder = Path(target.directory)
    files = {path.stat().st_ino: path.name for path in folder.glob("fsgauge-*")}
    names = (f"{target.prefix}{number:04d}" for number in range(target.count))
    return [files[(folder / name).stat().st_ino] for name in names]
