"""mountinfo as it is written in the wild: escapes, optional fields, containers."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.machine.facts import mounts

TEXT = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 27 8:1 /sub /mnt/a\040b rw,noatime shared:5 master:1 - xfs /dev/sda1 rw,inode64,noatime
41 27 8:2 / /mnt ro - ext4 /dev/sda2 ro
42 27 8:3 / /mnt rw - btrfs /dev/sda3 rw,ssd
nonsense
"""


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "mounts", lambda process="self": mounts.parse_mountinfo(TEXT))


def test_fields() -> None:
    found = mounts.parse_mountinfo(TEXT)
    assert len(found) == 5
    assert found[2].mount_point == "/mnt/a b"
    assert found[2].root == "/sub"
    assert found[2].file_system == "xfs"
    assert found[2].all_options == "rw,noatime,inode64"


@pytest.mark.usefixtures("table")
def test_the_last_of_stacked_mounts_is_the_visible_one() -> None:
    at, holding = mounts.mount_at("/mnt"), mounts.mount_holding("/mnt/x/y")
    assert at is not None and at.file_system == "btrfs"
    assert holding is not None and holding.file_system == "btrfs"
    assert mounts.mount_at("/mnt/x") is None


@pytest.mark.usefixtures("table")
def test_a_path_belongs_to_the_deepest_mount() -> None:
    for path, point in (("/", "/"), ("/mntx", "/"), ("/mnt/a b/c", "/mnt/a b")):
        found = mounts.mount_holding(path)
        assert found is not None and found.mount_point == point


def test_a_chroot_whose_root_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "mounts", lambda process="self": mounts.parse_mountinfo(TEXT)[:1])
    assert mounts.mount_holding("/home") is None


ETAB = (
    "/srv\t*(rw,sync,wdelay,root_squash)\n"
    "/srv/fast\t10.0.0.0/8(rw,async,no_root_squash) localhost(ro,sync)\n"
)


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    path = tmp_path / "etab"
    path.write_text(ETAB)
    return path


@pytest.mark.parametrize(
    ("host", "path", "options"),
    [
        ("localhost", "/srv", "rw,sync,wdelay,root_squash"),
        ("127.0.0.1", "/srv/data", "rw,sync,wdelay,root_squash"),
        ("::1", "/srv/fast/a", "rw,async,no_root_squash,ro,sync"),
        (socket.gethostname(), "/srv", "rw,sync,wdelay,root_squash"),
        ("localhost", "/srvx", None),
        ("198.51.100.7", "/srv", None),
    ],
)
def test_options_are_those_of_the_nearest_export(
    exports: Path, host: str, path: str, options: str | None
) -> None:
    found = mounts.export_facts(host, path, exports)
    assert found == ({} if options is None else {"export options": options})


def test_without_a_server_nothing_is_known(tmp_path: Path) -> None:
    assert mounts.export_facts("localhost", "/srv", tmp_path / "missing") == {}


Say = Callable[..., mounts.KernelLog]


@pytest.fixture
def say() -> Say:
    """A log that gives one record a read, as /dev/kmsg does."""
    reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    reader.setblocking(False)

    def log(*lines: str) -> mounts.KernelLog:
        for line in lines:
            writer.send(f"3,100,200,-;{line}\n SUBSYSTEM=block\n".encode())
        return mounts.KernelLog(reader.fileno())

    log.sockets = (reader, writer)  # type: ignore[attr-defined]
    return log


def test_lines_about_the_device(say: Say) -> None:
    log = say("XFS (loop1): bad", "XFS (loop11): fine", "loop1: detected capacity change")
    assert log.lines_about("loop1", "xfs") == [
        "XFS (loop1): bad",
        "loop1: detected capacity change",
    ]


def test_an_unknown_option_names_no_device(say: Say) -> None:
    log = say("ext4: Unknown parameter 'x'", "EXT4-fs (loop7): mounted", "usb 1-1: new device")
    assert log.lines_about("loop1", "ext4") == ["ext4: Unknown parameter 'x'"]


def test_silence() -> None:
    assert mounts.KernelLog(None).lines_about("loop1", "ext4") == []


def test_a_record_without_words_or_of_any_length_is_no_traceback(say: Say) -> None:
    """What a program wrote to /dev/kmsg must not end a study that asks why a mount was refused."""
    log = say("")
    say.sockets[1].send(b"6,1,1,-")  # type: ignore[attr-defined]
    say.sockets[1].send(b"6,1,1,-;XFS (loop1): bad")  # type: ignore[attr-defined]
    assert log.lines_about("loop1", "xfs") == ["XFS (loop1): bad"]
