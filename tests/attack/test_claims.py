"""Programs that ask for a study's device as they should, with O_EXCL, at every moment of it.

One got a device between the study's giving the claim up and its engine's or mkfs's taking it; what
it had written there was discarded at the end, and the study ended with 0.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest

from fsgauge.errors import RefusedError, RigError
from fsgauge.machine.device import device_claim
from fsgauge.machine.device.data_search import look_for_data
from fsgauge.machine.device.device_claim import claimed
from fsgauge.machine.facts import mounts as mount_calls
from fsgauge.machine.facts.mounts import mounts
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.machine.process.answered_calls import AskedCall
from fsgauge.rig.host.rig import HostRig
from fsgauge.system import FileSystem, find_kind
from tests.long import long_but
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs import conftest as rigs
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene
from tests.rigs.on_device import agreed, consent_to, device_of, file_of

engine, make_loop, rig, scene = rigs.engine, rigs.make_loop, rigs.rig, rigs.scene
pytestmark = pytest.mark.root

SIZE_BYTES = 320 * MEBIBYTE
PLACE = 200 * MEBIBYTE
MARK = b"the stranger's data " * 200
KINDS = ("ext2", "ext3", "ext4", "xfs", "btrfs")
MADE_ONLY = ("f2fs", "nilfs2")


def kind_of(name: str) -> FileSystem:
    kind = find_kind(name)
    assert isinstance(kind, FileSystem)
    need_mkfs(name)
    return kind


def leave_mark(path: str, flags: int = 0) -> None:
    """OSError (EBUSY) where the device is claimed and `flags` ask for a claim."""
    descriptor = os.open(path, os.O_RDWR | flags)
    try:
        os.pwrite(descriptor, MARK, PLACE)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def has_mark(path: str) -> bool:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return os.pread(descriptor, len(MARK), PLACE) == MARK
    finally:
        os.close(descriptor)


def said_by(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Poller:
    """Asks for the device without a pause, and leaves its mark there when it gets it."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._ends = False
        self.got = False
        self._thread = threading.Thread(target=self._poll)

    def __enter__(self) -> Poller:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends = True
        self._thread.join()

    def _poll(self) -> None:
        while not self._ends and not self.got:
            with suppress(OSError):
                leave_mark(self._device, os.O_EXCL)
                self.got = True


@pytest.mark.parametrize("name", [*KINDS, *MADE_ONLY])
def test_mkfs_is_given_the_claimed_device(name: str, make_loop: MakeLoop) -> None:
    kind, path = kind_of(name), make_loop(SIZE_BYTES)
    with claimed(device_of(path)) as claim, Poller(path) as stranger:
        with claim.used():
            said = claim.run(kind.mkfs_command([], path), seconds=60)
        assert said.exit_code == 0, said.words
        assert not stranger.got
        assert f'TYPE="{name}"' in said_by("blkid", "--probe", path)


def test_a_stranger_has_no_moment_in_a_bare_turn(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, "raw")
    with rig.systems(study) as systems, Poller(path) as stranger:
        for _ in range(3):
            with systems.prepare(study, study.systems[0]) as prepared:
                systems.settle(prepared)
                systems.write_back(prepared)
        assert not stranger.got


@pytest.mark.parametrize("name", long_but(("ext4",), KINDS))
def test_a_stranger_who_asks_all_the_time(
    name: str, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    """A mount has to take the claim itself: whoever gets it in that moment keeps what he wrote."""
    kind_of(name)
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, name)
    with suppress(RigError), rig.systems(study) as systems, Poller(path) as stranger:
        for _ in range(3):
            try:
                with systems.prepare(study, study.systems[0]) as prepared:
                    systems.settle(prepared)
            except RigError:
                assert stranger.got, "nobody but the stranger is to blame"
                raise
        assert not stranger.got
    assert has_mark(path) == stranger.got


def writes(path: str) -> None:
    leave_mark(path, os.O_EXCL)


def makes_a_file_system(path: str) -> None:
    subprocess.run(["mkfs.ext4", "-q", "-L", "theirs", path], check=True, capture_output=True)
    leave_mark(path)


def writes_and_stays(path: str) -> None:
    """A process of its own that keeps the claim for longer than the study waits."""
    code = (
        "import os, sys, time\n"
        f"d = os.open(sys.argv[1], os.O_RDWR | os.O_EXCL); os.pwrite(d, {MARK!r}, {PLACE})\n"
        "os.fsync(d); print('got', flush=True); time.sleep(2)"
    )
    process = subprocess.Popen(["python3", "-c", code, path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"got\n"
    process.stdout.close()
    STAYING.append(process)


STAYING: list[subprocess.Popen[bytes]] = []


@contextmanager
def acting(
    monkeypatch: pytest.MonkeyPatch, moment: str, act: Callable[[], object]
) -> Iterator[None]:
    """Somebody acts once, in the moment before the mount or after the unmount."""
    acted = []

    def once() -> None:
        if not acted:
            acted.append(True)
            act()

    def mount(source: str, directory: str, driver: str, flags: int, options: str) -> int:
        if moment == "mount" and not flags & mount_calls.REMOUNT:
            once()
        return mount_calls.mount(source, directory, driver, flags, options)

    def umount(directory: str, flags: int = 0) -> int:
        number = mount_calls.umount(directory, flags)
        if moment == "unmount":
            once()
        return number

    monkeypatch.setattr(device_claim, "mount", mount)
    monkeypatch.setattr(device_claim, "umount", umount)
    monkeypatch.setattr(device_claim, "_PATIENCE_SECONDS", 0.2)
    yield
    assert acted


@pytest.mark.parametrize("act", [writes, makes_a_file_system, writes_and_stays])
@pytest.mark.parametrize("moment", ["mount", "unmount"])
@pytest.mark.parametrize("name", long_but(("ext4",), ("ext4", "xfs", "btrfs")))
def test_a_stranger_in_the_one_moment(
    name: str,
    moment: str,
    act: Callable[[str], None],
    make_loop: MakeLoop,
    scene: Scene,
    rig: HostRig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """He keeps it all, the study ends with 3, and no later command touches the device."""
    kind_of(name)
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, name)
    with (
        acting(monkeypatch, moment, lambda: act(path)),
        pytest.raises(RigError) as error,
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]),
    ):
        pass
    while STAYING:
        STAYING.pop().wait(timeout=patience(30))
    assert error.value.exit_code == 3
    assert f"another program used {path} during this run" in error.value.render()
    assert has_mark(path)
    said = clean_up_after_the_dead()
    assert any(f"{path} was used by another program" in sentence for sentence in said)
    assert has_mark(path)
    (ledger,) = scene.ledgers.glob("*.ledger")
    with pytest.raises(RefusedError, match="during an earlier run") as refused:
        rig.check(study, consent_to(path, unknown_data=True))
    assert f"rm {ledger}" in refused.value.render()
    assert clean_up_after_the_dead() == said, "it is remembered until somebody decides"
    assert not [each for each in mounts() if str(scene.ledgers) in each.mount_point]
    ledger.unlink()
    assert has_mark(path)


@pytest.mark.parametrize("stays", [False, True], ids=["that-ends", "that-stays"])
def test_a_mount_in_another_namespace(
    stays: bool, make_loop: MakeLoop, scene: Scene, rig: HostRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that is started during a turn has a copy of its mount: it is waited for, and where
    it stays, the device is left as it is."""
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, "ext4")
    monkeypatch.setattr(device_claim, "_PATIENCE_SECONDS", 0.5 if stays else patience(10))
    service = None
    try:
        with (
            pytest.raises(RigError) if stays else nullcontext() as error,
            rig.systems(study) as systems,
            systems.prepare(study, study.systems[0]),
        ):
            service = subprocess.Popen(
                ["unshare", "--mount", "--propagation=private", "sleep", "600" if stays else "1"]
            )
            started = time.monotonic()
            while Path(f"/proc/{service.pid}/comm").read_text() != "sleep\n":
                assert time.monotonic() < started + patience(10)
        if stays:
            assert error is not None and error.value.exit_code == 3
            assert "ext4" in said_by("blkid", "-p", path), "nothing was discarded"
    finally:
        if service is not None:
            service.kill()
            service.wait()
    clean_up_after_the_dead()
    for ledger in scene.ledgers.glob("*.ledger"):
        ledger.unlink()


@pytest.mark.parametrize("size_bytes", [2 * SIZE_BYTES, SIZE_BYTES // 2], ids=["grown", "shrunk"])
@pytest.mark.parametrize("name", ["raw", "ext4"])
def test_a_device_of_another_size(
    name: str, size_bytes: int, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    """It is not the device that was searched: nothing more of it is written or discarded."""
    path = make_loop(SIZE_BYTES)
    file = file_of(path)
    study = agreed(rig, scene, path, name)
    with (
        pytest.raises(RigError, match="another program used") as error,
        rig.systems(study) as systems,
        systems.prepare(study, study.systems[0]),
    ):
        os.truncate(file, size_bytes)
        if size_bytes > SIZE_BYTES:
            with file.open("r+b") as image:
                os.pwrite(image.fileno(), MARK, SIZE_BYTES + MEBIBYTE)
        subprocess.run(["losetup", "--set-capacity", path], check=True)
    assert "it had 320 MiB, and has" in error.value.render()
    if size_bytes > SIZE_BYTES:
        with file.open("rb") as image:
            assert os.pread(image.fileno(), len(MARK), SIZE_BYTES + MEBIBYTE) == MARK


@pytest.mark.parametrize("moment", ["mkfs", "mount", "mounted", "unmount"])
def test_a_kill_at_any_moment(
    moment: str,
    make_loop: MakeLoop,
    scene: Scene,
    rig: HostRig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What somebody then writes to the device is his; the next command only unmounts."""
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, "ext4")
    child = os.fork()
    if child == 0:
        die = lambda: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
        if moment == "mkfs":
            monkeypatch.setattr(
                "fsgauge.machine.device.device_claim.DeviceClaim._given", lambda *_: die()
            )
        try:
            with (
                acting(monkeypatch, moment, die),
                rig.systems(study) as systems,
                systems.prepare(study, study.systems[0]),
            ):
                die()
        except BaseException as error:  # this process must not go on with the tests
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    time.sleep(0.1)
    if moment != "mounted":
        leave_mark(path, os.O_EXCL)
    said = clean_up_after_the_dead()
    assert any("may still have a file system" in each for each in said)
    assert has_mark(path) == (moment != "mounted")
    assert scene.left() == []
    assert not [each for each in mounts() if each.source == path]


def test_what_a_run_leaves_is_given_back(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    path = make_loop(SIZE_BYTES)
    study = agreed(rig, scene, path, "raw", *KINDS)
    with rig.systems(study) as systems:
        for system in study.systems:
            with systems.prepare(study, system):
                pass
    assert look_for_data(device_of(path)).zero
    assert scene.left() == []


def test_a_mount_of_something_else_is_not_ours(make_loop: MakeLoop) -> None:
    path = make_loop(SIZE_BYTES)
    with claimed(device_of(path)) as claim:
        mount = device_claim.ClaimedMount(claim, None, is_quiet=True)
        for call in (
            AskedCall("mount", "/proc/self/cwd/none", 0, "/nowhere", "tmpfs"),
            AskedCall("mount", path, mount_calls.REMOUNT, "/nowhere", "ext4"),
            AskedCall("open", path, os.O_EXCL),
        ):
            assert mount.mounted(call) is None
        claim.require_unchanged()
