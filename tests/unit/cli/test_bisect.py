"""What a search for a kernel refuses, before it reads a list or builds a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from fsgauge.cli.bisect import command
from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.rig.vm import qemu, refusing
from fsgauge.rig.vm.acceleration import CHOICE_VARIABLE
from fsgauge.rig.vm.build import making

SEARCH = [
    *("overhead", "--good", "linux-image-6.1.0-47-amd64", "--bad", "linux-image-6.1.0-56-amd64"),
    *("--fail-if", "ratio(iops, randread) < 0.9"),
]


@pytest.fixture(autouse=True)
def _nothing_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive is not asked, and the machine is one that can have guests."""

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the archive was asked before the machine was looked at")

    monkeypatch.setattr(making, "kernels_between", refuse)
    monkeypatch.setattr(making.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(refusing, "find_qemu", lambda: qemu.Qemu("/usr/bin/qemu", "7.2"))
    monkeypatch.setattr(refusing, "available_memory_bytes", lambda: 8 << 30)


def refused(tmp_path: Path, *words: str) -> FsgaugeError:
    with pytest.raises(FsgaugeError) as error:
        command.main(
            [*SEARCH, *words, "--results", str(tmp_path / "results")], standalone_mode=False
        )
    assert not (tmp_path / "results").exists()
    return error.value


def test_without_qemu_no_kernel_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search fetched and unpacked 67 MB, and then said that QEMU was missing."""
    monkeypatch.setattr(qemu, "find_tool", lambda _: None)
    monkeypatch.setattr(refusing, "find_qemu", qemu.find_qemu)
    error = refused(tmp_path)
    assert isinstance(error, RigError) and "apt-get install" in error.next


def test_another_accelerator_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE_VARIABLE, "hvf")
    assert isinstance(refused(tmp_path), InputError)


def test_a_file_system_that_no_guest_has_is_refused(tmp_path: Path) -> None:
    assert "vxfs can only be read" in refused(tmp_path, "--system", "vxfs").what


def test_disks_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    assert "free, and the storage is" in refused(tmp_path, "--storage", "loop:100TiB").what
