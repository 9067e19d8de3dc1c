"""Options are split as a shell does, and each must be in the list of its system."""

from __future__ import annotations

import subprocess

import pytest

from fsgauge.errors import InputError, RefusedError
from fsgauge.study.model import System
from fsgauge.system import FileSystem, find_kind, system_kinds
from fsgauge.system.ext import EXT4
from fsgauge.system.kind import NOTHING, Form
from fsgauge.system.options import made_with_inodes, mkfs_words, mount_words
from tests.needs import need_mkfs

GIB = 1 << 30
FILE_SYSTEMS = [kind for kind in system_kinds().values() if isinstance(kind, FileSystem)]


def of(name: str) -> FileSystem:
    kind = find_kind(name)
    assert isinstance(kind, FileSystem)
    return kind


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ext4", "-b 4096 -m0 -O ^extent,^64bit -E stride=16,stripe-width=64"),
        ("ext4", "-J size=64 -T largefile -i 16384 -I256 -N 1000 -e remount-ro"),
        ("ext4", "-E lazy_itable_init=0,discard -E nodiscard -j"),
        ("ext3", "-m 0.5"),
        ("xfs", "-d agcount=8,su=64k,sw=4 -l internal=1,size=64m,su=32k -i size=512 -n ftype=1"),
        ("xfs", "-m crc=1,reflink=0 -s size=4k -K -d noalign -l internal -n version=ci"),
        ("btrfs", "-d single -m dup --nodesize=16k --csum xxhash -O ^no-holes -K --mixed"),
    ],
)
def test_what_studies_say_to_mkfs(name: str, text: str) -> None:
    assert mkfs_words(of(name), text, "s") == text.split()


def test_words() -> None:
    assert mkfs_words(of("ext4"), "-E 'stride=4' -b \"4096\"", "s") == [
        *("-E", "stride=4", "-b", "4096")
    ]
    assert mkfs_words(of("ext4"), "", "s") == []
    assert mount_words(of("xfs"), "noatime,allocsize=64m", "s") == ["noatime", "allocsize=64m"]
    assert mount_words(of("xfs"), "-o noatime -o discard", "s") == ["noatime", "discard"]
    with pytest.raises(InputError, match='mkfs of the system "s" cannot be split'):
        mkfs_words(of("ext4"), "-L 'open", "s")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ext4", "noatime,nodelalloc,data=writeback,barrier=0,commit=30,init_itable,stripe=64"),
        ("ext3", "nobarrier,auto_da_alloc,errors=continue"),
        ("xfs", "logbufs=8,logbsize=256k,inode64,largeio,swalloc,dax=never,nobarrier"),
        ("btrfs", "compress=zstd:3,nodatacow,space_cache=v2,discard=async,compress-force,ssd"),
    ],
)
def test_what_studies_say_to_mount(name: str, text: str) -> None:
    assert mount_words(of(name), text, "s") == text.split(",")


@pytest.mark.parametrize("text", ["ro", "loop", "bind", "remount,rw", "logdev=/dev/sdb"])
def test_mount_options_that_would_mount_something_else(text: str) -> None:
    with pytest.raises(RefusedError, match="not known to be safe as root"):
        mount_words(of("xfs"), text, "s")


def test_a_mount_option_that_is_none() -> None:
    with pytest.raises(InputError, match="no mount option"):
        mount_words(of("ext4"), "--bind", "s")


def test_the_nearest_option_is_named() -> None:
    with pytest.raises(RefusedError) as refusal:
        mkfs_words(of("ext4"), "-E strid=4", "s")
    assert 'did you mean "stride"?' in refusal.value.render()
    with pytest.raises(RefusedError) as refusal:
        mount_words(of("ext4"), "nodealloc", "s")
    assert 'did you mean "nodelalloc"?' in refusal.value.render()
    with pytest.raises(RefusedError) as refusal:
        mkfs_words(of("btrfs"), "--node=16k", "s")
    assert 'did you mean "--nodesize"?' in refusal.value.render()


def test_an_error_says_what_why_and_what_next() -> None:
    with pytest.raises(RefusedError) as refusal:
        mkfs_words(of("ext4"), "-z /etc/cron.d/x", "fast")
    words = refusal.value.render()
    assert '"-z" is not known to be safe as root (mkfs of the system "fast")' in words
    assert "cause: an option may name a file or another device" in words
    assert "next: fsgauge explain system.mkfs" in words


def test_no_form_of_a_value_has_room_for_a_path() -> None:
    """The rule that every list rests on: no slash, no second option, no blank, no quote."""
    forms: list[Form] = []
    for kind in FILE_SYSTEMS:
        for takes in [*kind.mkfs_options.values(), *kind.mount_options.values()]:
            forms += [takes] if isinstance(takes, Form) else takes.values()
    assert len(forms) > 100
    for form in forms:
        for value in (
            "/dev/sdb",
            "./x",
            "..",
            "../x",
            "a b",
            "a;b",
            "'a'",
            "LABEL=x",
            "a=b",
            "a\nb",
        ):
            assert not form.fits(value), (form, value)
        assert form == NOTHING or not form.fits("")


def test_every_file_system_has_its_lists() -> None:
    """A system without a list would refuse all options, which its file can hardly mean."""
    assert all(kind.mkfs_options and kind.mount_options for kind in FILE_SYSTEMS)


def test_getopt_takes_the_words_as_we_do() -> None:
    """mke2fs is asked what it makes of a joined value, without a device to write to."""
    need_mkfs("ext4")
    done = subprocess.run(["mkfs.ext4", "-n", "-m0", "-b4096", "/nowhere/at-all"], check=False,
        capture_output=True, text=True, timeout=30)  # fmt: skip
    assert "invalid option" not in done.stderr and "/nowhere/at-all" in done.stderr


@pytest.mark.parametrize(
    ("system", "change"),
    [
        (System(name="ext4", kind="ext4"), "--set 'system.ext4.mkfs=-N 100011'"),
        (
            System(name="small inodes", kind="ext4", mkfs="-I 128"),
            "--set 'system.small inodes.mkfs=-I 128 -N 100011'",
        ),
        (System(name="xfs", kind="xfs", mkfs="-i maxpct=1"), ""),
        (System(name="m", kind="mounted", path="/mnt"), ""),
    ],
)
def test_more_inodes_keep_what_is_asked_of_mkfs(system: System, change: str) -> None:
    assert made_with_inodes(system, GIB)(100_000) == change


@pytest.mark.parametrize(("options", "left"), [(["-N", "5"], 0), (["-N", "100"], 89)])
def test_no_fewer_inodes_than_none_are_left(options: list[str], left: int) -> None:
    assert EXT4.inodes_made(GIB, options) == left
