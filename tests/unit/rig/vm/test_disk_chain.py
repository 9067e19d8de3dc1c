"""A disk of QEMU as it is opened: spoiled and mended, and made again as of its last flush.

QEMU itself, without a machine in it: what a guest would do, its monitor does.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.errors import RigError
from fsgauge.programs import child_environment
from fsgauge.rig.vm.faults.injection import restore
from fsgauge.rig.vm.monitor import Monitor
from fsgauge.rig.vm.qemu import PROGRAM, Disk, disk_words
from tests.needs import need_tool

SIZE_BYTES = 16 << 20


class Bench:
    """A QEMU that has one disk and does not run."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        own, of_qemu = socket.socketpair()
        words = [PROGRAM, "-nodefaults", "-display", "none", "-S", "-machine", "q35", "-m", "64"]
        words += ["-chardev", f"socket,id=monitor,fd={of_qemu.fileno()}"]
        words += ["-mon", "chardev=monitor,mode=control", *disk_words(disk)]
        with of_qemu:
            self.process = subprocess.Popen(
                words,
                pass_fds=[of_qemu.fileno()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )
        self.monitor = Monitor(own)

    def io(self, command: str) -> None:
        line = f'qemu-io -d {self.disk.device} "{command}"'
        self.monitor.execute("human-monitor-command", **{"command-line": line})

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)
        self.monitor.close()


@pytest.fixture
def bench(tmp_path: Path, request: Any) -> Iterator[Bench]:
    need_tool("qemu-system-x86_64", "qemu-system-x86")
    image = tmp_path / "image"
    image.write_bytes(b"")
    image.open("r+b").truncate(SIZE_BYTES)
    log = tmp_path / "log" if request.param else None
    if log is not None:
        log.write_bytes(b"")
    made = Bench(Disk("disk0", image, log=log))
    yield made
    made.kill()


@pytest.mark.parametrize("bench", [False, True], indirect=True)
def test_a_disk_that_is_spoiled_writes_nothing_and_mended_it_does_again(bench: Bench) -> None:
    bench.monitor.spoil_disk(bench.disk)
    bench.io("write -P 7 0 4k")
    assert bench.disk.image.read_bytes()[:4] == bytes(4)
    bench.io("flush")
    bench.monitor.mend_disk(bench.disk)
    bench.io("write -P 8 0 4k")
    assert bench.disk.image.read_bytes()[:4] == b"\x08" * 4
    bench.monitor.spoil_disk(bench.disk)
    bench.monitor.mend_disk(bench.disk)


@pytest.mark.parametrize("bench", [True], indirect=True)
def test_what_was_not_flushed_is_lost_with_the_power(bench: Bench) -> None:
    for command in ("write -P 7 0 4k", "flush", "write -P 9 8k 4k", "discard 0 4k"):
        bench.io(command)
    bench.kill()
    assert bench.disk.log is not None
    found = restore(bench.disk.log, bench.disk.image, SIZE_BYTES)
    data = bench.disk.image.read_bytes()
    assert len(data) == SIZE_BYTES
    assert data[:4096] == b"\x07" * 4096, "flushed, and discarded only after that"
    assert data[8192:12288] == bytes(4096), "never flushed"
    assert (found.kept, found.lost) == (2, 2)


@pytest.mark.parametrize("bench", [False], indirect=True)
def test_a_disk_is_limited_by_its_device(bench: Bench) -> None:
    bench.monitor.limit_disk(bench.disk, 50, 1 << 20)


def test_a_disk_that_nothing_was_asked_of_has_lost_nothing(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"")
    found = restore(tmp_path / "log", tmp_path / "image", SIZE_BYTES)
    assert (found.kept, found.lost) == (0, 0)
    assert (tmp_path / "image").stat().st_size == SIZE_BYTES


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(bytes(4096))
    with pytest.raises(RigError, match="no head"):
        restore(tmp_path / "log", tmp_path / "image", SIZE_BYTES)
