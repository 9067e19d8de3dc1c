"""The kernel's reason for a refused mount, told apart from what it says about other devices."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from fsgauge.machine.facts.kernel_log import KernelLog

Say = Callable[..., KernelLog]


@pytest.fixture
def say() -> Say:
    """A log that gives one record a read, as /dev/kmsg does."""
    reader, writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    reader.setblocking(False)

    def log(*lines: str) -> KernelLog:
        for line in lines:
            writer.send(f"3,100,200,-;{line}\n SUBSYSTEM=block\n".encode())
        return KernelLog(reader.fileno())

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
    assert KernelLog(None).lines_about("loop1", "ext4") == []


def test_a_record_without_words_or_of_any_length_is_no_traceback(say: Say) -> None:
    """What a program wrote to /dev/kmsg must not end a study that asks why a mount was refused."""
    log = say("")
    say.sockets[1].send(b"6,1,1,-")  # type: ignore[attr-defined]
    say.sockets[1].send(b"6,1,1,-;XFS (loop1): bad")  # type: ignore[attr-defined]
    assert log.lines_about("loop1", "xfs") == ["XFS (loop1): bad"]
