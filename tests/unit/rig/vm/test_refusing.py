"""What is refused before anything is started, each with the command that helps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.rig.vm import cache, qemu, refusing
from fsgauge.rig.vm.acceleration import CHOICE_VARIABLE
from fsgauge.rig.vm.build import making
from fsgauge.rig.vm.rig import VmRig
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study


@pytest.fixture(autouse=True)
def _everything_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as the machine goes: QEMU, a guest and memory."""
    monkeypatch.setattr(making.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(refusing, "find_qemu", lambda: qemu.Qemu("/usr/bin/qemu", "7.2"))
    monkeypatch.setattr(refusing, "_require_built", lambda _: None)
    monkeypatch.delenv(CHOICE_VARIABLE, raising=False)
    monkeypatch.setattr(refusing, "available_memory_bytes", lambda: 8 << 30)


def study(
    *overrides: str, storage: str = "loop:512MiB", systems: tuple[str, ...] = ("ext4", "nilfs2")
) -> Study:
    return load_study("overhead", list(overrides), list(systems), storage, 1)


def refused(given: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
    return VmRig().refusals(given, destroy)


def test_an_ordinary_study_is_not_refused() -> None:
    assert refused(study()) == []


def test_systems_stand_side_by_side_each_on_a_disk() -> None:
    assert VmRig().hindrance(study()) == ""
    assert "more than is free" in VmRig().hindrance(study(storage="loop:100TiB"))


CASES: list[tuple[Callable[[], Study], str, str]] = [
    (lambda: study(storage="ram:1GiB"), "makes disks of its own", "--storage loop:1GiB"),
    (
        lambda: study("storage.precondition=snia"),
        "no flash to bring into a state",
        "--set storage.precondition=none",
    ),
    (
        lambda: study("access.server=samba"),
        "no private server",
        "--baseline \"ext4\" --set 'rig.nodes=2' --set 'system.ext4.rig.reached_by=smb'",
    ),
    (
        lambda: load_study("sharing", ["workload.file_sizes=['1 GiB']"], [], None, 1),
        "a file of 1 GiB does not fit",
        "smaller workload.file_sizes",
    ),
    (lambda: study("storage.directory=/no/where"), "no folder /no/where", "storage.directory"),
    (lambda: study(storage="loop:100TiB"), "free, and the storage is", "--storage loop:"),
    (lambda: study(storage="loop:64MiB"), "nilfs2 needs at least 128", "--storage loop:128MiB"),
    (lambda: study("system.ext4.mount=journal_dev=7"), "journal_dev", ""),
]


@pytest.mark.parametrize(("given", "what", "helps"), CASES, ids=[each[1][:20] for each in CASES])
def test_it_says_what_helps(given: Callable[[], Study], what: str, helps: str) -> None:
    errors = refused(given())
    texts = [error.render() for error in errors]
    assert any(what in text and helps in text for text in texts), texts


def test_a_device_of_this_machine_is_not_destroyed() -> None:
    found = refused(study(), Consent(("SERIAL",)))
    assert ["uses none of this machine's" in each.what for each in found] == [True]


def test_too_little_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusing, "available_memory_bytes", lambda: 1 << 30)
    assert "memory are available" in refused(study())[0].what
    monkeypatch.setattr(refusing, "available_memory_bytes", lambda: 6 << 30)
    (error,) = refused(study("rig.nodes=9", systems=("ext4",)))
    assert error.next.startswith("--set rig.nodes=4, the most that fit")


def test_without_qemu_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "find_tool", lambda _: None)
    monkeypatch.setattr(refusing, "find_qemu", qemu.find_qemu)
    assert "apt-get install --no-install-recommends qemu-system-x86" in refused(study())[0].next


def test_without_a_guest_the_build_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(refusing, "find_qemu", lambda: qemu.Qemu("/usr/bin/qemu", "7.2"))
    assert [each.next for each in refused(study()) if "not built" in each.what] == [
        "fsgauge rig build"
    ]


def test_another_accelerator_is_refused_by_plan_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was refused by a run alone, so that a plan promised what could not be."""
    monkeypatch.setenv(CHOICE_VARIABLE, "hvf")
    (error,) = refused(study())
    assert "kvm or tcg" in error.what and error.next.endswith(f"{CHOICE_VARIABLE}=tcg")


def test_a_file_system_that_is_only_read_is_not_called_a_model() -> None:
    """VxFS was sent to the simulator, which has a model of that name as well."""
    for systems in (("vxfs",), ("raw", "vxfs"), ("ext4", "vxfs")):
        first = refused(study(systems=systems))[0]
        assert first.what == "vxfs can only be read, and a study writes"
        assert first.next.startswith("fsgauge rig test vxfs")
    assert "a model of an allocation policy" in refused(study(systems=("buddy",)))[0].what


def test_what_is_still_to_be_built_is_not_refused_where_it_will_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_guest(_: Study) -> None:
        raise RigError("the guest is not built yet")

    monkeypatch.setattr(refusing, "_require_built", no_guest)
    assert refusing.refused(study(), None, is_built=False) == []
    assert len(refusing.refused(study(), None)) == 1


def test_another_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making.platform, "machine", lambda: "aarch64")
    assert "runs on x86-64" in refused(study())[0].what


def test_a_loop_file_has_no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    from fsgauge.errors import InputError
    from fsgauge.storage import loop
    from fsgauge.study.model import LoopStorage

    for limited in (LoopStorage(iops=100.0), LoopStorage(latency=10**7)):
        with pytest.raises(InputError) as error:
            loop.check(limited)
        assert error.value.next.startswith("--rig vm")
