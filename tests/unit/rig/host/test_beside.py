"""Whether all systems of a block can stand beside one another: the words where there is no room."""

from __future__ import annotations

from pathlib import Path

from fsgauge.rig.host.side_by_side import hindrance
from fsgauge.study.parse import load_study


def test_of_folders_without_room_the_systems_are_named(tmp_path: Path) -> None:
    """ "2 of the systems are on the file system of /mnt/a" was said of one folder and its twin."""
    size = ["storage.size=64TiB"]
    study = load_study("demo-user", size, ["gone=/nowhere/at/all"], f"path:{tmp_path}", seed=1)
    name = study.systems[0].name
    assert hindrance(study) == (
        f"{name}, {name} again take 128 TiB at once on the file system of {tmp_path},"
        " more than is free there"
    )
