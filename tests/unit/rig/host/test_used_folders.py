"""What a study of folders says of its storage: what each is on, and what they share."""

from __future__ import annotations

import os
from typing import Any

import pytest

from fsgauge.record.machine import StorageFacts
from fsgauge.rig.host import used_folders
from fsgauge.rig.host.used_folders import facts_of_folders
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

DISK = {"kind": "device", "path": "/dev/vda", "size_bytes": 256 << 30}
PARTITION = {"kind": "device", "path": "/dev/vda1", "size_bytes": 20 << 30}


def link(kind: str, point: str, source: str) -> dict[str, Any]:
    return {
        "kind": "file_system",
        "path": point,
        "file_system": kind,
        "mount_point": point,
        "source": source,
        "mount_options": "rw",
    }


CHAINS: dict[str, list[dict[str, Any]]] = {
    "/srv/old": [link("ext4", "/srv", "/dev/vda1"), PARTITION, DISK],
    "/srv/new": [link("ext4", "/srv", "/dev/vda1"), PARTITION, DISK],
    "/home": [link("xfs", "/home", "/dev/vda2"), {**DISK, "path": "/dev/vda2"}, DISK],
    "/mnt/layers": [
        link("overlay", "/mnt/layers", "overlay"),
        link("ext4", "/srv", "/dev/vda1"),
        PARTITION,
        DISK,
    ],
    "/dev/shm": [link("tmpfs", "/dev/shm", "tmpfs")],
    "/mnt/nfs": [link("nfs4", "/mnt/nfs", "server:/export")],
    "/mnt/ssh": [link("fuse.sshfs", "/mnt/ssh", "me@host:")],
}


@pytest.fixture(autouse=True)
def _chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(used_folders, "chain_of_path", lambda path: CHAINS[path])
    monkeypatch.setattr(os, "geteuid", lambda: 0)


def facts(*folders: str) -> StorageFacts:
    study: Study = load_study(
        "overhead", systems=[f"{path.rpartition('/')[2]}={path}" for path in folders]
    )
    before = StorageFacts(
        kind="path", sentence="", size_bytes=2 << 30, device_chain=[], cautions=[]
    )
    return facts_of_folders(study, before)


def test_every_folder_is_named_with_what_it_is_on() -> None:
    found = facts("/srv/old", "/mnt/nfs", "/dev/shm")
    assert found.sentence == (
        "up to 2 GiB of each folder, used as they are: old: /srv/old (ext4 on /dev/vda1, 20 GiB,"
        " on /dev/vda, 256 GiB);"
        " nfs: /mnt/nfs (nfs4 from server:/export); shm: /dev/shm (tmpfs, memory)"
    )
    assert [each["kind"] for each in found.device_chain] == [
        "file_system", "device", "device", "file_system", "file_system",
    ]  # fmt: skip


def test_a_folder_has_the_size_of_its_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop device of 600 MiB had the size of the disk that its file is on."""
    loop = {"kind": "device", "path": "/dev/loop1", "size_bytes": 600 << 20}
    chain = [link("ext4", "/mnt", "/dev/loop1"), loop, link("xfs", "/", "/dev/vda"), DISK]
    monkeypatch.setattr(used_folders, "chain_of_path", lambda path: chain)
    assert "/mnt (ext4 on /dev/loop1, 600 MiB, on /dev/vda, 256 GiB)" in facts("/mnt").sentence
    monkeypatch.setattr(used_folders, "chain_of_path", lambda path: [*chain[:1], DISK])
    assert "/mnt (ext4 on /dev/vda, 256 GiB)" in facts("/mnt").sentence


@pytest.mark.parametrize(
    ("direct", "lower", "is_told"),
    [(False, "xfs", True), (True, "xfs", False), (False, "tmpfs", False)],
)
def test_a_loop_device_that_caches_is_told(
    monkeypatch: pytest.MonkeyPatch, direct: bool, lower: str, is_told: bool
) -> None:
    """Two images were called equal in direct I/O, one of which was read from memory."""
    loop = {"kind": "device", "path": "/dev/loop1", "size_bytes": 1 << 30, "direct_io": direct}
    chain = [link("ext4", "/mnt", "/dev/loop1"), loop, link(lower, "/", "/dev/vda"), DISK]
    monkeypatch.setattr(used_folders, "chain_of_path", lambda path: chain)
    said = [each for each in facts("/mnt").cautions if "page cache (losetup" in each]
    assert bool(said) is is_told
    assert not said or said[0].startswith("mnt is on /dev/loop1, whose file")


def test_of_many_folders_the_sentence_names_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(used_folders, "chain_of_path", lambda path: CHAINS["/dev/shm"])
    found = facts(*(f"/mnt/p{number}" for number in range(30)))
    assert found.sentence.endswith("; p5: /mnt/p5 (tmpfs, memory); and 24 more")
    assert len(found.device_chain) == 30


def test_folders_of_one_file_system_share_it() -> None:
    said = facts("/srv/old", "/srv/new", "/mnt/nfs").cautions
    assert any("old and new are on one file system, ext4 mounted at /srv" in each for each in said)
    assert not any("one disk" in each for each in said)


def test_file_systems_of_one_disk_disturb_each_other() -> None:
    said = facts("/srv/old", "/home").cautions
    assert any("old and home are different file systems on one disk, /dev/vda" in e for e in said)
    assert not any("one file system," in each for each in said)


def test_an_overlay_is_on_the_disk_of_its_upper_layer() -> None:
    found = facts("/srv/old", "/mnt/layers")
    assert (
        "layers: /mnt/layers (overlay over ext4 on /dev/vda1, 20 GiB, on /dev/vda" in found.sentence
    )
    assert any("old and layers are different file systems on one disk" in e for e in found.cautions)
    assert not any("not visible" in each for each in found.cautions)


def test_what_is_not_known_of_a_network_mount() -> None:
    for path in ("/mnt/nfs", "/mnt/ssh"):
        said = facts("/home", path).cautions
        assert any("is not visible here" in each and "not dropped" in each for each in said)


def test_memory_is_named_as_such_and_has_no_age() -> None:
    said = facts("/dev/shm", "/home").cautions
    assert any("shm is in memory (tmpfs): no disk takes part" in each for each in said)
    assert (
        "the file system of home is not newly made: its age and fill level affect the result"
        in said
    )


def test_many_of_a_kind_are_one_sentence() -> None:
    many = [used_folders.UsedFolder(f"shm{n}", "/dev/shm", CHAINS["/dev/shm"]) for n in range(8)]
    (said,) = used_folders._own(many)
    assert said.startswith("shm0, shm1, shm2, shm3, shm4, shm5 and 2 more are in memory (tmpfs)")


def test_what_needs_root_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(
        "root" in each or "ordinary" in each for each in facts("/home", "/srv/old").cautions
    )
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said = [each for each in facts("/home", "/srv/old").cautions if "ordinary user" in each]
    assert len(said) == 1
    assert "posix_fadvise" in said[0] and "direct I/O" in said[0]


def test_other_storage_keeps_its_own_facts() -> None:
    before = StorageFacts(kind="loop", sentence="s", size_bytes=1, device_chain=[], cautions=["c"])
    assert facts_of_folders(load_study("overhead"), before) is before
