"""Short forms of --storage and --system."""

from pathlib import Path

import pytest

from fsgauge.errors import InputError
from fsgauge.study.specs import storage_table, system_table
from fsgauge.study.system import LONGEST_NAME, System


@pytest.mark.parametrize(
    ("spec", "table"),
    [
        ("loop:8GiB", {"kind": "loop", "size": "8GiB"}),
        ("loop", {"kind": "loop"}),
        ("ram:1GiB", {"kind": "ram", "size": "1GiB"}),
        ("/dev/sdz9", {"kind": "device", "device": "/dev/sdz9"}),
        ("device:ata-X_1", {"kind": "device", "device": "ata-X_1"}),
        ("/dev/a,/dev/b", {"kind": "device", "device": "/dev/a", "more_devices": ["/dev/b"]}),
        ("/dev/disk/by-id/a,b", {"kind": "device", "device": "/dev/disk/by-id/a,b"}),
        ("path:/mnt/x", {"kind": "path", "path": "/mnt/x"}),
        ("/", {"kind": "path", "path": "/"}),
        ("..", {"kind": "path", "path": str(Path.cwd().parent)}),
        ("path:x", {"kind": "path", "path": f"{Path.cwd()}/x"}),
    ],
)
def test_storage(spec, table):
    assert storage_table(spec) == table


@pytest.mark.parametrize("spec", ["", "lop:1GiB", "path", "device:", "/not/there", "mnt/x"])
def test_storage_refused(spec):
    with pytest.raises(InputError) as refusal:
        storage_table(spec)
    assert "--storage | " in refusal.value.render()


@pytest.mark.parametrize(
    ("spec", "table"),
    [
        ("ext4", {"kind": "ext4", "name": "ext4"}),
        (
            "xfs:mkfs=-d agcount=8",
            {"kind": "xfs", "mkfs": "-d agcount=8", "name": "xfs (-d agcount=8)"},
        ),
        (
            "xfs:mount=noatime;mkfs=-m crc=1",
            {
                "kind": "xfs",
                "mount": "noatime",
                "mkfs": "-m crc=1",
                "name": "xfs (-m crc=1, noatime)",
            },
        ),
        ("fast=xfs:mount=a=b", {"kind": "xfs", "mount": "a=b", "name": "fast"}),
        (
            "ext4:tunables.queue/scheduler=none",
            {
                "kind": "ext4",
                "tunables": {"queue/scheduler": "none"},
                "name": "ext4 (queue/scheduler=none)",
            },
        ),
        ("/mnt/a:b=c", {"kind": "mounted", "path": "/mnt/a:b=c", "name": "/mnt/a:b=c"}),
        ("nfs=/mnt/x", {"kind": "mounted", "path": "/mnt/x", "name": "nfs"}),
        ("commit=5=ext4", {"kind": "ext4", "name": "commit=5"}),
        (
            "data=journal, commit=5=ext4:mount=data=journal,commit=5",
            {"kind": "ext4", "mount": "data=journal,commit=5", "name": "data=journal, commit=5"},
        ),
        ("a=b=/mnt/x=y", {"kind": "mounted", "path": "/mnt/x=y", "name": "a=b"}),
        ("mounted:path=/mnt/x", {"kind": "mounted", "path": "/mnt/x", "name": "/mnt/x"}),
    ],
)
def test_system(spec, table):
    assert system_table(spec) == table


@pytest.mark.parametrize(
    "spec", ["xfs:", "xfs:noatime", "xfs:mnt=x", "xfs:mount=a;x", "xfs:mount.x=1"]
)
def test_system_refused(spec):
    with pytest.raises(InputError, match="is not an option of a system"):
        system_table(spec)


def test_a_made_name_that_is_too_long_is_cut_and_stays_its_own():
    """It was refused: the system's name was longer than 80 characters, and nobody had given one."""
    start = (
        "ext4:mkfs=-b 4096 -I 256 -m 0 -O ^has_journal,^metadata_csum,^resize_inode,extent;mount="
    )
    specs = [f"{start}noatime", f"{start}nodiratime", f"/mnt/{'folder/' * 20}x"]
    names = [system_table(spec)["name"] for spec in specs]
    assert len(set(names)) == 3 and all(len(name) <= LONGEST_NAME for name in names)
    assert names[0].startswith("ext4 (-b 4096 -I 256 -m 0") and names[0].endswith(")")
    assert names == [system_table(spec)["name"] for spec in specs]
    assert System.model_validate(system_table(specs[0])).name == names[0]
    assert system_table(f"short={start}noatime")["name"] == "short"


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("xfs:noatime", "mount=noatime"),
        ("ext4:mont=noatime", "mount=noatime"),
        ("btrfs:compress=zstd", "mount=compress=zstd"),
        ("ext4:data=writeback,noatime", "mount=data=writeback,noatime"),
        ("xfs:-d agcount=8", "mkfs=-d agcount=8"),
        ("ext4:scheduler=bfq", "tunables.queue/scheduler=bfq"),
        ("xfs:elevator=noop", "tunables.queue/scheduler=noop"),
        ("xfs:queue.read_ahead_kb=4096", "tunables.queue/read_ahead_kb=4096"),
        ("ext4:vm.dirty_ratio=5", "tunables./proc/sys/vm/dirty_ratio=5"),
        ("ext4:stripe=16", "mount=stripe=16"),
        ("host:/export", "mount it, and name that folder: NAME=/mnt/x"),
        ("ext4:!", ""),
    ],
)
def test_options_as_mkfs_and_mount_take_them_are_led_to_their_key(spec: str, hint: str) -> None:
    with pytest.raises(InputError) as refusal:
        system_table(spec)
    assert refusal.value.location is not None and refusal.value.location.hint == hint


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("EXT4", "ext4"),
        ("ext4 noatime", "ext4:mount=noatime"),
        ("Xfs -K", "xfs:mkfs=-K"),
        ("ext4 ext4", "ext4"),
    ],
)
def test_what_is_no_kind_is_not_told_to_add_a_line(spec: str, meant: str) -> None:
    with pytest.raises(InputError) as refusal:
        system_table(spec)
    assert refusal.value.what == f'"{spec}" is not a kind of system'
    assert refusal.value.details == (f'did you mean "{meant}"?',)


@pytest.mark.parametrize("spec", ["ext4,xfs", "ext4 xfs", "ext4, xfs", "ext4 xfs ext4"])
def test_two_systems_in_one_option_are_two_options(spec):
    """The next command was --system ext4:mount=xfs."""
    with pytest.raises(InputError) as refusal:
        system_table(spec)
    assert refusal.value.next == "--system ext4 --system xfs"


@pytest.mark.parametrize("spec", ["ext4, xfs,zfs", "xfs,ext3,jfs", "ext4,zfs"])
def test_a_file_system_behind_another_is_no_mount_option(spec):
    with pytest.raises(InputError) as refusal:
        system_table(spec)
    assert not refusal.value.details


def test_a_device_is_storage_and_a_folder_of_a_bare_name_too(tmp_path, monkeypatch):
    with pytest.raises(InputError) as refusal:
        system_table("/dev/nosuch0")
    assert "--storage /dev/nosuch0 --system ext4" in refusal.value.next
    in_memory = system_table("/dev/shm/nosuch0")
    assert in_memory["kind"] == "mounted", "a folder that is missing, which is told later"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    assert storage_table("x") == {"kind": "path", "path": str(tmp_path / "x")}
