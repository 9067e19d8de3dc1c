"""Folders of the command line: they work, under short names."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.study.folders import short_names
from fsgauge.study.parse import load_study

STUDIES = ["overhead", "writers", "connections", "churn"]


@pytest.mark.parametrize("name", [*STUDIES, "overhead-full", "overhead-as-published"])
def test_two_folders_are_a_study_without_a_device(name: str) -> None:
    study = load_study(name, systems=["/mnt/nfs", "/mnt/disk"])
    assert [(s.name, s.kind, s.path) for s in study.systems] == [
        ("nfs", "mounted", "/mnt/nfs"),
        ("disk", "mounted", "/mnt/disk"),
    ]
    assert (study.storage.kind, study.storage.path) == ("path", "/mnt/nfs")
    assert study.storage.size == load_study(name).storage.size
    for word in ("raw", "device", "ext4", "delayed"):
        assert word not in study.question


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("postgresql", "What does a commit cost on these file systems?"),
        ("capacity", "How many IOPS does each file system serve below a latency limit?"),
        ("small-files", "Which file system serves a mail or web server's small files best?"),
    ],
)
def test_folders_are_asked_what_the_study_is_about(name: str, asks: str) -> None:
    """All three asked how file systems compare under the same load."""
    assert load_study(name, systems=["/mnt/nfs", "/mnt/disk"]).question == asks


def test_what_a_person_asked_is_kept(tmp_path: Path) -> None:
    asked = load_study("overhead", ["question=Mine?"], systems=["/mnt/a", "/mnt/b"])
    assert asked.question == "Mine?"
    own = tmp_path / "own.toml"
    own.write_text(
        'format=1\nquestion="Mine?"\n[storage]\nkind="loop"\nsize="3 GiB"\n'
        '[[system]]\nname="ext4"\n[workload]\n'
    )
    study = load_study(str(own), systems=["/mnt/a", "/mnt/b"])
    assert (study.question, study.storage.kind, study.storage.size) == ("Mine?", "path", 3 << 30)
    question = load_study("demo-user").question
    assert load_study("demo-user", systems=["/mnt/b"]).question == question


def names(*specs: str, **changes: str) -> list[str]:
    return [
        system.name for system in load_study("overhead", systems=list(specs), **changes).systems
    ]


def test_the_first_folder_is_the_baseline_unless_another_is_named() -> None:
    assert names("/mnt/nfs", "/mnt/disk", "/mnt/ssd") == ["nfs", "disk", "ssd"]
    assert names("/mnt/nfs", "/mnt/disk", "/mnt/ssd", baseline="/mnt/ssd") == ["ssd", "nfs", "disk"]
    assert names("/mnt/nfs", "new=/mnt/disk", baseline="new") == ["new", "/mnt/nfs"]


def test_the_folder_of_the_storage_is_the_baseline() -> None:
    assert names("/srv/data", storage="path:/srv/old") == ["old", "data"]
    assert names("/srv/data", "/srv/old", storage="path:/srv/old") == ["data", "old"]
    assert names("a=mounted", "/srv/data", storage="path:/srv/old") == ["a", "/srv/data"]


def test_a_baseline_of_systems_that_are_made() -> None:
    assert names("ext4", "xfs", baseline="ext4") == ["ext4", "xfs"]
    assert names("ext4", "xfs") == ["raw", "ext4", "xfs"]
    assert names(baseline="btrfs") == ["btrfs", "raw", "ext4", "xfs"]
    assert names("ext4", baseline="xfs") == ["xfs", "ext4"]
    with pytest.raises(InputError, match="is not a system of this study") as refusal:
        names(baseline="xsf")
    assert 'did you mean "xfs"?' in refusal.value.render()


@pytest.mark.parametrize(
    ("paths", "short"),
    [
        (["/mnt/nfs", "/mnt/local"], ["nfs", "local"]),
        (["/mnt/fast/scratch", "/mnt/slow/scratch"], ["fast", "slow"]),
        (["/var/tmp", "/dev/shm"], ["/var/tmp", "/dev/shm"]),
        (["/mnt", "/mnt/deep"], ["/mnt", "/mnt/deep"]),
        (["/mnt/1", "/mnt/2"], ["/mnt/1", "/mnt/2"]),
        (["/home/a/b", "/home/a/c"], ["/home/a/b", "/home/a/c"]),
        (["/a/long/way/down/to/disks/1", "/a/long/way/down/to/disks/2"], ["disks/1", "disks/2"]),
        (["/mnt/x", "/mnt/x"], ["/mnt/x", "/mnt/x"]),
        (["/mnt/one"], ["/mnt/one"]),
        (["/mnt/ab/x y", "/mnt/cd=e/x y"], ["ab", "cd=e"]),
        (["/mnt/ab/", "/mnt/./cd"], ["ab", "cd"]),
    ],
)
def test_short_names(paths: list[str], short: list[str]) -> None:
    assert short_names(paths) == short


def test_a_short_name_that_is_taken_is_not_given_twice() -> None:
    assert names("disk=/srv/x", "/mnt/disk", "/mnt/nfs") == ["disk", "/mnt/disk", "/mnt/nfs"]


@pytest.mark.parametrize(
    ("spec", "name", "path"),
    [
        ("/mnt/a=b", "/mnt/a=b", "/mnt/a=b"),
        ("/mnt/a=/b", "/mnt/a=/b", "/mnt/a=/b"),
        ("/mnt/with a blank; and: more", "/mnt/with a blank; and: more", None),
        ("two=2=/mnt/x=y", "two=2", "/mnt/x=y"),
        ("a/b=/mnt/x", "a/b", "/mnt/x"),
    ],
)
def test_any_path_and_names_with_equal_signs(spec: str, name: str, path: str | None) -> None:
    system = load_study("overhead", systems=[spec]).systems[0]
    assert (system.name, system.path) == (name, path or spec)


@pytest.mark.parametrize("name", ["noatime=1", "a/b", "x=y=z"])
def test_a_made_system_may_have_such_a_name_too(name: str) -> None:
    system = load_study("overhead", systems=[f"{name}=ext4:mount=noatime"]).systems[1]
    assert (system.name, system.kind, system.mount) == (name, "ext4", "noatime")


def test_aging_works_in_folders() -> None:
    study = load_study("aging", systems=["/mnt/a", "/mnt/b"])
    assert [system.kind for system in study.systems] == ["mounted", "mounted"]


def test_a_path_begins_where_the_person_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    systems = ["here=./a b", "there=c/d", "../e", "~/f", "g/h:i=j"]
    study = load_study("overhead", ["system.here.path=k"], systems=systems)
    above = str(tmp_path.parent)
    assert [system.path for system in study.systems] == [
        f"{tmp_path}/k",
        f"{tmp_path}/c/d",
        f"{above}/e",
        "/home/me/f",
        f"{tmp_path}/g/h:i=j",
    ]
    assert study.systems[1].name == "there"


@pytest.mark.parametrize("name", ["command-pgbench", "command-git-clone", "capacity"])
def test_a_question_that_is_about_no_device_is_kept(name: str) -> None:
    """ "How long does this program take?" was asked of pgbench's transactions a second."""
    found = load_study(name, systems=["/mnt/a", "/mnt/b"])
    assert found.question == load_study(name).question
