"""What a study tells mke2fs reaches the model, or is refused."""

from __future__ import annotations

import pytest

from fsgauge.engine.wire import Ext4Policy, Mke2fs
from fsgauge.errors import InputError
from fsgauge.rig.simulator.mke2fs import told_of
from fsgauge.rig.simulator.policies import made_with, policy_of
from fsgauge.study.model import Study, System
from fsgauge.study.parse import load_study

GIB = 1 << 30


def told(mkfs: str, size_bytes: int = GIB) -> tuple[Mke2fs, int]:
    return told_of(System(name="ext4", kind="ext4", mkfs=mkfs), size_bytes)


def study(system: str, storage: str = "simulated:1GiB") -> Study:
    return load_study("aging", [], [system], storage, 1)


def test_five_percent_are_left_to_root_and_small_devices_have_small_blocks() -> None:
    """The simulator left nothing to root, and had blocks of 4 KiB: 9.8 % more files."""
    usual = Mke2fs(reserved_percent=5.0)
    assert told("") == told("", 512 << 20) == (usual, 4096)
    assert told("", (512 << 20) - 1) == (usual, 1024)
    assert told("-b 4096", 64 << 20) == (usual, 4096)


@pytest.mark.parametrize(
    ("mkfs", "expected", "block_bytes"),
    [
        ("-m 0", {"reserved_percent": 0.0}, 4096),
        ("-m0.5 -b 2k", {"reserved_percent": 0.5}, 2048),
        ("-i 65536", {"bytes_per_inode": 65536}, 4096),
        ("-N 5000 -I 512", {"inodes": 5000, "inode_size_bytes": 512}, 4096),
        ("-J size=32", {"journal_size_bytes": 32 << 20}, 4096),
        ("-O ^has_journal,^64bit,^resize_inode,extent",
         {"journal_size_bytes": 0, "has_64bit": False, "resize_inode": False}, 4096),
        ("-O 64bit -E nodiscard,lazy_itable_init=0 -e continue -D", {}, 4096),
        ("-T small", {"bytes_per_inode": 4096}, 1024),
        ("-b 4096 -T small -i 8192", {"bytes_per_inode": 8192}, 4096),
        ("-T largefile", {"bytes_per_inode": 1 << 20}, 4096),
    ],
)  # fmt: skip
def test_what_is_told_reaches_the_model(
    mkfs: str, expected: dict[str, object], block_bytes: int
) -> None:
    assert told(mkfs) == (Mke2fs.model_validate({"reserved_percent": 5.0, **expected}), block_bytes)


@pytest.mark.parametrize(
    ("mkfs", "says"),
    [
        ("-O ^extent", r"-O \^extent"),
        ("-O bigalloc,64bit", "-O bigalloc"),
        ("-O quota", "-O quota"),
        ("-E stride=16", "-E stride=16"),
        ("-E nodiscard,resize=4096", "-E resize=4096"),
        ("-J fast_commit_size=4", "-J fast_commit_size=4"),
        ("-b 8192", "-b 8192"),
        ("-i 64k", "-i 64k"),
        ("-m 5k", "-m 5k"),
        ("-G 32", "-G 32"),
        ("-g 8192", "-g 8192"),
        ("-r 0", "-r 0"),
    ],
)
def test_what_has_no_model_is_refused_with_its_name(mkfs: str, says: str) -> None:
    chosen = study(f"ext4:mkfs={mkfs}")
    with pytest.raises(InputError, match=f"knows nothing of mkfs = '{says}'") as refused:
        policy_of(chosen, chosen.systems[-1])
    assert refused.value.exit_code == 2


def test_a_model_by_its_own_name_has_no_mkfs() -> None:
    by_name = study("ext4-6.12")
    assert made_with(by_name, by_name.systems[-1]) == (Mke2fs(), 4096)
    small = study("ext4", "simulated:256MiB")
    assert made_with(small, small.systems[-1])[1] == 1024
    policy = policy_of(small, small.systems[-1])
    assert isinstance(policy, Ext4Policy)
    assert policy.mke2fs.reserved_percent == 5.0
