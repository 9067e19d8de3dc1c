"""Folders in a plan: their file systems and mount options, and what those give up."""

from __future__ import annotations

from fsgauge.plan.as_mounted import differently_mounted, mounted_words
from fsgauge.plan.preview import describe
from fsgauge.plan.turns import make_plan
from fsgauge.record.records import SystemFacts
from fsgauge.study.parse import load_study

GIB = 1 << 30


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
    (line,) = facts.durability
    assert line.startswith("b gives up durability with nobarrier: without flushes, a power failure")
    assert "they share a disk" in facts.cautions
    assert facts.mounted["b"] == "ext4 from /dev/vdb1, mounted rw,nobarrier"
