"""Short forms of --storage and --system."""

import pytest

from fsgauge.errors import InputError
from fsgauge.study.specs import storage_table, system_table


@pytest.mark.parametrize(
    ("spec", "table"),
    [
        ("loop:8GiB", {"kind": "loop", "size": "8GiB"}),
        ("loop", {"kind": "loop"}),
        ("ram:1GiB", {"kind": "ram", "size": "1GiB"}),
        ("/dev/sdz9", {"kind": "device", "device": "/dev/sdz9"}),
        ("device:ata-X_1", {"kind": "device", "device": "ata-X_1"}),
        ("path:/mnt/x", {"kind": "path", "path": "/mnt/x"}),
        ("/", {"kind": "path", "path": "/"}),
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
        ("mounted:path=/mnt/x", {"kind": "mounted", "path": "/mnt/x", "name": "/mnt/x"}),
    ],
)
def test_system(spec, table):
    assert system_table(spec) == table


@pytest.mark.parametrize(
    "spec", ["xfs:", "xfs:noatime", "xfs:mnt=x", "xfs:mount=a;x", "xfs:mount.x=1"]
)
def test_system_refused(spec):
    with pytest.raises(InputError, match="is no option of a system"):
        system_table(spec)
