"""Cells in a few lines: few by name, many by what is done and at which values."""

from __future__ import annotations

import pytest

from fsgauge.plan.in_words import (
    NAMED,
    cells_in_words,
    differently_mounted,
    mounted_words,
    storage_words,
)
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import Cell, SystemFacts
from fsgauge.study.parse import load_study
from fsgauge.study.workload import cells_of

GIB = 1 << 30


def cells(study: str) -> list[Cell]:
    return cells_of(load_study(study, [], [], None, 1).workload)


def test_a_sweep_of_two_programs_has_a_line_for_each() -> None:
    """`fsgauge plan sharing-as-published` printed a paragraph of 90 names."""
    assert cells_in_words(cells("sharing-as-published")) == [
        "604 cells (--order names them)",
        "write, rewrite, read, reread: record size 4 KiB to 16 MiB (13); file size 64 KiB to 2 GiB"
        " (16)",
        "putc, getc, put_block, rewrite_in_place, get_block, seeks: record size 8 KiB; file size"
        " 2000 MiB",
        "create_sequential, stat_sequential, delete_sequential, create_random, stat_random,"
        " delete_random: files in the folder 16384",
    ]


def test_few_cells_are_named() -> None:
    found = cells("writers")
    assert len(found) <= NAMED
    assert cells_in_words(found) == [", ".join(cell.id for cell in found)]


@pytest.mark.parametrize(
    ("study", "words"),
    [
        ("aging-as-published", "free space 5 % to 100 % (20)"),
        ("overhead-full", "block size 4 KiB, 16 KiB, 64 KiB, 256 KiB"),
        ("sharing-full", "delete_random: files in the folder 300"),
    ],
)
def test_values_have_their_units_and_many_have_their_ends(study: str, words: str) -> None:
    counted, *lines = cells_in_words(cells(study))
    assert counted == f"{len(cells(study))} cells (--order names them)"
    assert any(words in line for line in lines)
    assert max(map(len, lines)) < 250


def folder(file_system: str, options: str, source: str = "/dev/vdb1") -> SystemFacts:
    return SystemFacts(
        kind="mounted",
        mkfs_command=[],
        mkfs_output="",
        mount_source=source,
        mount_options=options,
        tunables={},
        size_bytes=GIB,
        free_bytes=GIB,
        block_size_bytes=4096,
        details={"file system": file_system},
    )


def test_a_folder_is_what_it_is_mounted_as() -> None:
    assert mounted_words(folder("ext4", "rw,noatime")) == "ext4 from /dev/vdb1, mounted rw,noatime"
    assert mounted_words(folder("tmpfs", "rw", "tmpfs")) == "tmpfs, mounted rw"
    layers = folder("overlay", f"rw,lowerdir={'/layer:' * 40},upperdir=/up", "overlay")
    assert mounted_words(layers) == "overlay, mounted rw,lowerdir=...,upperdir=/up"


def test_only_what_differs_is_said_to() -> None:
    found = differently_mounted(
        {"a": folder("ext4", "rw,relatime"), "b": folder("xfs", "rw,noatime,logbsize=32k")}
    )
    assert found == [
        "file system (a: ext4; b: xfs)",
        "mounted (a: relatime; b: noatime,logbsize=32k)",
    ]
    alike = {"a": folder("ext4", "rw,relatime"), "b": folder("ext4", "rw,relatime")}
    assert differently_mounted(alike) == []


def test_what_a_folder_gives_up_stands_in_the_plan() -> None:
    study = load_study("overhead", systems=["a=/mnt/a", "b=/mnt/b"], seed=1)
    folders = {"a": folder("ext4", "rw,relatime"), "b": folder("ext4", "rw,nobarrier")}
    plan = make_plan(study, size_bytes=GIB)
    facts = describe(plan, study, size_bytes=GIB, folders=folders, cautions=["they share a disk"])
    (line,) = facts.less_safe
    assert line.startswith("b: without flushes, a power failure") and "(nobarrier; " in line
    assert facts.weak == ["b"]
    assert facts.storage == "up to 2 GiB each in /mnt/a, /mnt/b"
    named = load_study("overhead", systems=["/mnt/fast", "/srv/slow"], seed=1)
    assert [system.name for system in named.systems] == ["/mnt/fast", "/srv/slow"]
    assert storage_words(named) == "up to 2 GiB in each"
    assert "they share a disk" in facts.cautions
    assert facts.mounted["b"] == "ext4 from /dev/vdb1, mounted rw,nobarrier"
