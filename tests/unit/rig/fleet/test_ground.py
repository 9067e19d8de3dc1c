"""Hosts on one file system: whether it is one, and whether it has room for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError
from fsgauge.rig.fleet.ground import Ground, grounds_here, refused_grounds
from fsgauge.rig.fleet.identity import HostIdentity, own_identity
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study

GIB = 1 << 30
NFS = Ground(
    path="/mnt/s",
    file_system="nfs4",
    source="filer:/export",
    device=52,
    number=17,
    size_bytes=100 * GIB,
    free_bytes=10 * GIB,
)
EXT4 = NFS.model_copy(update={"file_system": "ext4", "source": "/dev/sda1", "number": 2})


def identities(machines: dict[str, str]) -> dict[str, HostIdentity]:
    own = own_identity()
    return {
        name: own.model_copy(update={"machine": machine, "boot": f"boot of {machine}"})
        for name, machine in machines.items()
    }


def refused(study: Study, grounds: dict[str, Ground], one_machine: bool = False) -> list[str]:
    who = identities({name: "m" if one_machine else name for name in grounds})
    found = {name: [ground] for name, ground in grounds.items()}
    return [error.what for error in refused_grounds(study, found, who)]


def study(*changes: str, size: str = "4GiB", kind: str = "overhead") -> Study:
    words = [f"storage.size={size}", *changes]
    return load_study(kind, words, ["mounted"], "path:/mnt/s", 1)


def test_hosts_on_one_file_system_need_room_for_all_of_them() -> None:
    """10 GiB are free: enough for two hosts of 4 GiB, not for three."""
    two = {"a": NFS, "b": NFS.model_copy(update={"number": 18})}
    assert refused(study(), two) == []
    (said,) = refused(study(), two | {"c": NFS})
    assert said == "/mnt/s has 10 GiB free, and 3 hosts use up to 4 GiB each of it"


def test_the_size_that_fits_is_named() -> None:
    who = identities({name: name for name in "abc"})
    (error,) = refused_grounds(study(), {name: [NFS] for name in "abc"}, who)
    assert isinstance(error, FsgaugeError)
    assert error.next == "--set storage.size=3071MiB"
    assert error.details == ("on one file system: a, b, c",)


def test_disks_of_their_own_are_not_added_up() -> None:
    grounds = dict.fromkeys("abc", EXT4)
    assert refused(study(), grounds) == []
    (said,) = refused(study(), grounds, one_machine=True)
    assert "3 hosts use up to 4 GiB each" in said


def test_one_file_of_all_hosts_takes_its_size_once() -> None:
    changes = ('workload.ranges=["segmented"]', "workload.writers=[4]")
    assert refused(study(*changes, kind="writers"), dict.fromkeys("abc", NFS)) == []
    both = ('workload.ranges=["segmented", "own files"]', "workload.writers=[4]")
    assert len(refused(study(*both, kind="writers"), dict.fromkeys("abc", NFS))) == 1


@pytest.mark.parametrize(
    ("other", "one_machine", "is_one"),
    [
        (NFS, False, True),
        (NFS.model_copy(update={"source": "10.0.0.1:/export"}), False, True),
        (NFS.model_copy(update={"number": 99}), False, False),
        (NFS.model_copy(update={"size_bytes": GIB}), False, False),
        (EXT4, False, False),
    ],
)
def test_one_file_needs_one_folder(other: Ground, one_machine: bool, is_one: bool) -> None:
    """A server may have several names; a folder has one number and one size of file system."""
    one_file = study('workload.ranges=["segmented"]', kind="writers")
    said = refused(one_file, {"a": NFS, "b": other}, one_machine)
    assert (said == []) == is_one
    if not is_one:
        assert said == ["/mnt/s of b is not the folder that a has at /mnt/s"]


def test_roots_of_two_disks_are_two_folders() -> None:
    """Both have inode 2 and the same size, on machines of their own."""
    one_file = study('workload.ranges=["segmented"]', kind="writers")
    assert len(refused(one_file, {"a": EXT4, "b": EXT4})) == 1
    assert refused(one_file, {"a": EXT4, "b": EXT4}, one_machine=True) == []


def test_clients_that_number_files_themselves_are_believed() -> None:
    cifs = NFS.model_copy(update={"file_system": "cifs"})
    one_file = study('workload.ranges=["segmented"]', kind="writers")
    assert refused(one_file, {"a": cifs, "b": cifs.model_copy(update={"number": 99})}) == []


def test_a_host_says_what_it_sees(tmp_path: Path) -> None:
    here = load_study("overhead", [], ["mounted"], f"path:{tmp_path}", 1)
    (ground,) = grounds_here(here)
    assert ground.path == str(tmp_path) and ground.number == tmp_path.stat().st_ino
    assert 0 < ground.free_bytes <= ground.size_bytes
    assert grounds_here(load_study("overhead", [], [], "ram:1GiB", 1)) == []
