"""Data without a signature, and devices in other hands: all of them were destroyed once.

A check by blkid and wipefs alone called a device "empty (checked)" that held database pages, a tar
archive, an encrypted container or a file system without its first superblock; it did not see a
process that had the device open, or a second loop device over the same file; and a stranger's mkfs
between two turns was overwritten without a word.
"""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsgauge.errors import InputError, RefusedError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.device.data_search import look_for_data
from fsgauge.machine.ledger.ledger import clean_up_after_the_dead
from fsgauge.rig.host.rig import HostRig
from tests.patience import patience
from tests.rigs import conftest as rigs
from tests.rigs.conftest import MEBIBYTE, MakeLoop, Scene, attach, run
from tests.rigs.on_device import agreed, consent_to, device_of, file_of, study_on, write_at

engine, make_loop, rig, scene = rigs.engine, rigs.make_loop, rigs.rig, rigs.scene
pytestmark = pytest.mark.root

SIZE_BYTES = 200 * MEBIBYTE
CHANCE = random.Random(15)


def refusal(rig: HostRig, scene: Scene, device: str, *, unknown_data: bool = False) -> str:
    """What somebody reads who consented by name; nothing was written to the device's file."""
    before = file_of(device).stat().st_mtime_ns
    with pytest.raises(RefusedError) as error:
        rig.check(study_on(scene, device), consent_to(device, unknown_data=unknown_data))
    assert file_of(device).stat().st_mtime_ns == before, "nothing was written"
    return error.value.render()


def read_at(path: str, offset: int, size_bytes: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.pread(descriptor, size_bytes, offset)
    finally:
        os.close(descriptor)


def database_pages(device: str) -> None:
    for page in range(64):
        row = page.to_bytes(4, "big") + CHANCE.randbytes(200)
        write_at(device, (1 << 20) + page * 8192, b"\x0a" + row)


def archive(device: str) -> None:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        member = tarfile.TarInfo("etc/passwd")
        member.size = 5000
        tar.addfile(member, io.BytesIO(b"root:x:0:0\n" * 500))
    write_at(device, 0, whole.getvalue())


def random_everywhere(device: str) -> None:
    """An encrypted container without a header looks the same."""
    for offset in range(0, SIZE_BYTES, 8 * MEBIBYTE):
        write_at(device, offset, CHANCE.randbytes(8 * MEBIBYTE))


def random_at_100_mebibytes(device: str) -> None:
    write_at(device, 100 * MEBIBYTE, CHANCE.randbytes(4096))


def text_at_the_end(device: str) -> None:
    write_at(device, SIZE_BYTES - 4096, b"see you in the last sector\n")


def a_byte_somewhere(device: str) -> None:
    write_at(device, CHANCE.randrange(SIZE_BYTES), b"\x01")


def the_very_last_byte(device: str) -> None:
    write_at(device, SIZE_BYTES - 1, b"\x01")


def beyond_a_partition(device: str) -> None:
    """A former partition of 128 MiB that began at 1 MiB: what lies after it."""
    write_at(device, 129 * MEBIBYTE, b"the partition after it\n")


def written_as_erased_flash(device: str) -> None:
    write_at(device, 64 * MEBIBYTE, b"\xff" * MEBIBYTE)


def ext4_without_its_superblock(device: str) -> None:
    run("mkfs.ext4", "-q", device)
    write_at(device, 0, bytes(4096))


@pytest.mark.parametrize(
    "plant",
    [
        database_pages,
        archive,
        random_everywhere,
        random_at_100_mebibytes,
        text_at_the_end,
        a_byte_somewhere,
        the_very_last_byte,
        beyond_a_partition,
        written_as_erased_flash,
        ext4_without_its_superblock,
    ],
)
def test_data_without_a_signature(
    plant: Callable[[str], None], make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop(SIZE_BYTES)
    plant(device)
    said = refusal(rig, scene, device)
    assert f"error: {device} holds data without a signature, so it is left alone" in said
    assert f"next: if all of it may be destroyed: --destroy {file_of(device)} " in said
    assert "--discard-unknown-data" in said
    assert "checked" not in said
    rig.check(study_on(scene, device), consent_to(device, unknown_data=True))


@pytest.mark.parametrize(
    ("make", "wiped"),
    [
        (["mkfs.xfs", "-q"], (0, 4096)),
        (["mkfs.btrfs", "-q"], (64 << 10, 4096)),
    ],
    ids=["xfs", "btrfs"],
)
def test_a_file_system_whose_first_superblock_was_wiped(
    make: list[str], wiped: tuple[int, int], make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop(320 * MEBIBYTE)
    run(*make, device)
    write_at(device, wiped[0], bytes(wiped[1]))
    assert "left alone" in refusal(rig, scene, device)


def test_a_signature_is_refused_with_the_word_too(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop()
    run("mkfs.ext4", "-q", "-L", "home", device)
    assert 'ext4 "home"' in refusal(rig, scene, device, unknown_data=True)


@contextmanager
def held_by(script: str, path: str) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that does `script` to `path` and waits."""
    code = (
        f"import mmap, os, sys\npath = sys.argv[1]\n{script}\nprint('ready', flush=True)\ninput()"
    )
    command = [sys.executable, "-c", code, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield process
        finally:
            process.communicate(b"\n", timeout=patience(30))


OPENED = "kept = os.open(path, os.O_RDWR)"
MAPPED = """
descriptor = os.open(path, os.O_RDWR)
kept = mmap.mmap(descriptor, 4096)
os.close(descriptor)
"""


@pytest.mark.parametrize("script", [OPENED, MAPPED], ids=["open", "mapped"])
@pytest.mark.parametrize("of_file", [False, True], ids=["device", "backing-file"])
def test_open_for_writing_elsewhere(
    script: str, of_file: bool, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop()
    path = str(file_of(device)) if of_file else device
    with held_by(script, path) as process:
        said = refusal(rig, scene, device, unknown_data=True)
        assert f"{path}  open for writing in " in said
        assert f"(process {process.pid})" in said
    agreed(rig, scene, device)


def test_open_for_reading_elsewhere_harms_nobody(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop()
    with held_by("kept = os.open(path, os.O_RDONLY)", device):
        agreed(rig, scene, device)


def test_a_second_loop_over_the_same_file(
    make_loop: MakeLoop, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    device = make_loop()
    half = str(32 * MEBIBYTE)
    second = attach(file_of(device), "--offset", half)
    point = tmp_path / "point"
    point.mkdir()
    try:
        assert f"{second}  shows {file_of(device)} too" in refusal(rig, scene, device)
        run("mkfs.ext4", "-q", second)
        run("mount", "-o", "ro", second, str(point))
        said = refusal(rig, scene, device, unknown_data=True)
        assert f"(mounted at {point})" in said
        run("umount", str(point))
        consent, file = consent_to(device), file_of(device)
        run("losetup", "--detach", device)
        beside = attach(file, "--sizelimit", half)
        rig.check(study_on(scene, beside), consent)
    finally:
        subprocess.run(["umount", str(point)], capture_output=True, check=False)


def test_a_backing_file_that_is_swap(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    """A loop device over the end of a swap file shows no signature."""
    whole = make_loop()
    file = file_of(whole)
    run("losetup", "--detach", whole)
    file.write_bytes(bytes(64 * MEBIBYTE))
    file.chmod(0o600)
    run("mkswap", str(file))
    if subprocess.run(["swapon", str(file)], capture_output=True, check=False).returncode:
        pytest.skip("this kernel or file system takes no swap file")
    try:
        device = attach(file, "--offset", str(32 * MEBIBYTE))
        assert f"{file}  in use as swap" in refusal(rig, scene, device)
    finally:
        run("swapoff", str(file))


def test_a_device_below_that_is_mounted_by_another_loop(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    lower = make_loop()
    upper = attach(Path(lower))
    try:
        with held_by(OPENED, lower), pytest.raises(RefusedError, match="in use"):
            rig.check(study_on(scene, upper), Consent((lower,)))
        rig.check(study_on(scene, upper), Consent((lower,)))
    finally:
        run("losetup", "--detach", upper)


def test_paths_that_are_no_device(
    make_loop: MakeLoop, scene: Scene, rig: HostRig, tmp_path: Path
) -> None:
    fifo, link, away = tmp_path / "fifo", tmp_path / "link", tmp_path / "away"
    os.mkfifo(fifo)
    away.symlink_to(tmp_path / "nowhere")
    for path in (str(fifo), "/dev/zero", str(away), str(tmp_path)):
        with pytest.raises(InputError, match=r"not a block device|there is no device"):
            rig.check(study_on(scene, path), Consent(("x",)))
    device = make_loop()
    link.symlink_to(device)
    write_at(device, 5 * MEBIBYTE, b"data")
    with pytest.raises(RefusedError, match=f"{device} holds data"):
        rig.check(study_on(scene, str(link)), consent_to(device))


@pytest.mark.parametrize("through", ["device", "backing-file"])
def test_data_written_between_the_check_and_the_start(
    through: str, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    device = make_loop()
    study = agreed(rig, scene, device)
    path = device if through == "device" else str(file_of(device))
    write_at(path, 33 * MEBIBYTE, b"in the meantime")
    with pytest.raises(RefusedError, match="without a signature"), rig.systems(study):
        pass
    assert read_at(device, 33 * MEBIBYTE, 15) == b"in the meantime"


def test_what_was_read_is_not_read_again(
    make_loop: MakeLoop, scene: Scene, rig: HostRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = make_loop()
    study = agreed(rig, scene, device)
    monkeypatch.setattr("fsgauge.storage.device._clear", None)
    with rig.systems(study):
        pass


def test_a_stranger_cannot_make_a_file_system_between_turns(
    make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    """It was accepted, and overwritten by the next turn; the study ended with 0."""
    device = make_loop()
    study = agreed(rig, scene, device, "raw", "ext4")
    with rig.systems(study) as systems:
        for system in study.systems:
            refused = subprocess.run(["mkfs.ext4", "-q", "-F", device], capture_output=True)
            assert b"in use by the system" in refused.stderr
            with systems.prepare(study, system) as prepared:
                systems.settle(prepared)
    assert look_for_data(device_of(device)).zero, "the device is given back as it was"
    rig.check(study, consent_to(device))


@pytest.mark.parametrize("through", ["device", "backing-file"])
@pytest.mark.parametrize("last", [False, True], ids=["before a turn", "after the last turn"])
def test_a_stranger_who_writes_between_turns_keeps_what_he_wrote(
    through: str, last: bool, make_loop: MakeLoop, scene: Scene, rig: HostRig
) -> None:
    """dd asks nobody: its writes are seen, the study ends, and the device is left alone."""
    device = make_loop()
    path = device if through == "device" else str(file_of(device))
    study = agreed(rig, scene, device)
    with pytest.raises(RigError) as error, rig.systems(study) as systems:
        with systems.prepare(study, study.systems[0]):
            pass
        write_at(path, 40 * MEBIBYTE, b"the stranger's data")
        if not last:
            with systems.prepare(study, study.systems[0]):
                pass
    assert error.value.exit_code == 3
    assert f"another program used {device} during this run" in error.value.render()
    assert read_at(device, 40 * MEBIBYTE, 19) == b"the stranger's data"
    assert clean_up_after_the_dead() is not None
    assert read_at(device, 40 * MEBIBYTE, 19) == b"the stranger's data"


def test_a_device_that_cannot_discard_says_what_stays_on_it(
    make_loop: MakeLoop, scene: Scene, engine: rigs.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run finds its own test data: refused without the word, and it was announced."""
    monkeypatch.setattr("fsgauge.storage.device._discarded", lambda device, size_bytes: False)
    device = make_loop()
    said: list[str] = []
    rig = HostRig(engine, say=said.append)
    study = agreed(rig, scene, device, "raw")
    with rig.systems(study) as systems, systems.prepare(study, study.systems[0]):
        pass
    assert said[0].startswith(f"destroying {device}  64 MiB, read whole")
    assert "still holds this run's test data" in said[-1]
    assert "without a signature" in refusal(rig, scene, device)
    rig.check(study, consent_to(device, unknown_data=True))


def test_a_claim_below_keeps_it(make_loop: MakeLoop, scene: Scene, rig: HostRig) -> None:
    """Device mapper and RAID show as holders of an empty device."""
    device = make_loop()
    name = f"fsgauge-test-{os.getpid()}"
    table = f"0 {64 * MEBIBYTE // 512} linear {device} 0"
    made = subprocess.run(["dmsetup", "create", name, "--table", table], capture_output=True)
    if made.returncode:
        pytest.skip("this kernel has no device mapper")
    try:
        assert "device made on it" in refusal(rig, scene, device)
    finally:
        run("dmsetup", "remove", name)
