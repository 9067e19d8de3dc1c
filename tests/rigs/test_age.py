"""Ageing of real file systems: the golden layout, and nothing left whatever ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fsgauge.age.image import checksum_of
from fsgauge.engine.client import Engine
from fsgauge.engine.wire import ScanJob
from fsgauge.machine.device import loop_devices
from fsgauge.machine.facts.mounts import mounts
from tests.needs import need_mkfs
from tests.patience import patience
from tests.rigs.conftest import MEBIBYTE, MakeLoop, run

pytestmark = pytest.mark.root
CHECKS = {
    "ext4": ["e2fsck", "-fn"],
    "xfs": ["xfs_repair", "-n"],
    "btrfs": ["btrfs", "check", "--readonly"],
}


class Ager:
    """The command in a folder of its own."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self.folder = folder
        self._environment = os.environ | {"FSGAUGE_ENGINE": str(engine.binary)}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(words),
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self._environment,
            timeout=patience(300),
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command(words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self._environment,
        )

    @staticmethod
    def _command(words: tuple[str, ...]) -> list[str]:
        return [sys.executable, "-m", "fsgauge", "age", *words]

    def in_use(self) -> list[str]:
        """Loop devices of files below the folder, and where these are mounted."""
        found = []
        for entry in sorted(Path("/sys/block").glob("loop*")):
            file = loop_devices.backing_file(f"/dev/{entry.name}")
            if file and file.startswith(f"{self.folder}/"):
                device = f"/dev/{entry.name}"
                found.append(device)
                found += [mount.mount_point for mount in mounts() if mount.source == device]
        return found


@pytest.fixture
def age(tmp_path: Path, engine: Engine) -> Iterator[Ager]:
    folder = tmp_path / "place"
    folder.mkdir()
    ager = Ager(folder, engine)
    yield ager
    assert ager.in_use() == []
    assert not list(folder.glob("fsgauge-*")), "a folder of ours was left"


def document(done: subprocess.CompletedProcess[str], code: int = 0) -> dict[str, Any]:
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("chunk", [1, 2, 4, 8])
def test_chunks_in_turns_give_extents_of_exactly_that_size(
    age: Ager, engine: Engine, chunk: int
) -> None:
    """Published: nearly all bytes in extents of exactly the allocation size (Sonexion, ldiskfs).

    Stock ext4 gives all of them where fallocate asks for whole chunks, as it does not round these
    (fs/ext4/extents.c, ext4_alloc_file_blocks: EXT4_GET_BLOCKS_NO_NORMALIZE); seen on 6.18.
    """
    words = ["aged.img", "intermingled", "--size", "2GiB", "--set", f"chunk={chunk}MiB", "--json"]
    found = document(age(*words))
    scan = engine.scan(ScanJob(path=str(age.folder / "aged.img"), top=20))
    pieces = [piece.length_bytes for file in scan.top for piece in file.list]
    assert scan.counts.files == found["live_files"] == 20
    assert set(pieces) == {chunk * MEBIBYTE}
    assert sum(pieces) == scan.counts.extent_bytes == found["live_bytes"]
    assert found["live_bytes"] > 0.6 * (2 << 30), "next to nothing was filled"


@pytest.mark.parametrize(("mount", "extents"), [("delalloc", 590), ("nodelalloc", 590 * 20)])
def test_many_writers_in_turns_with_and_without_delayed_allocation(
    age: Ager, mount: str, extents: int
) -> None:
    """590 clients, files of 1 MiB, records of 4 KiB: ext4 of 6.18, 1 and 20 extents a file.

    Without delayed allocation: 16 single blocks of the locality group while a file has 64 KiB at
    most, then windows of 64, 128, 256 and 512 KiB (fs/ext4/mballoc.c, ext4_mb_normalize_request).
    """
    if _written_out_at_bytes() < 1 << 30:
        pytest.skip("so little memory that the kernel writes out before all files are complete")
    words = ["connections", "--mode", "write", "--size", "2GiB", "--sync-every", "0B"]
    ends = ["--operations", str(590 * (1 + 256)), "--mount", mount, "--json"]
    found = document(age("aged.img", *words, *ends))
    assert found["live_files"] == found["after"]["files_with_extents"] == 590
    assert found["after"]["extents"] == extents, f"on {found['kernel']}"


def _written_out_at_bytes() -> int:
    """How much data may wait for writing before the kernel begins on its own."""
    text = Path("/proc/vmstat").read_text(encoding="ascii")
    facts = dict(line.split() for line in text.splitlines())
    return int(facts["nr_dirty_background_threshold"]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("system", CHECKS)
def test_an_aged_image_is_whole_and_can_be_used_again(
    age: Ager, engine: Engine, system: str
) -> None:
    need_mkfs(system)
    words = ["aged.img", "churn", "--system", system, "--size", "400MiB", "--storage-age", "3"]
    found = document(age(*words, "--json"))
    image, copy = age.folder / "aged.img", age.folder / "copy.img"
    assert found["file_system"] == system and found["storage_age"] >= 3
    assert found["after"]["free_extents"] > 10 * found["before"]["free_extents"]
    assert found["image"] == checksum_of(image).model_dump()
    assert age("copy.img", "--copy-of", "aged.img").returncode == 0
    run(*CHECKS[system], str(copy))
    scan = engine.scan(ScanJob(path=str(copy)))
    assert (scan.counts.files, scan.counts.extents) == (
        found["after"]["files"],
        found["after"]["extents"],
    )
    with image.open("r+b") as file:
        file.seek(200 * MEBIBYTE)
        file.write(b"changed")
    refused = age("again.img", "--copy-of", "aged.img")
    assert refused.returncode == 2 and "has changed since it was aged" in refused.stderr


def test_the_same_seed_is_the_same_log_in_every_mode(age: Ager) -> None:
    words = ["churn", "--size", "128MiB", "--storage-age", "2", "--json"]
    found = {
        name: document(age(f"{name}.img", *words, "--mode", mode, "--seed", seed))["result"]
        for name, mode, seed in [("a", "fast", "3"), ("b", "write", "3"), ("c", "fast", "4")]
    }
    assert found["a"]["log_checksum"] == found["b"]["log_checksum"]
    assert found["a"]["log_checksum"] != found["c"]["log_checksum"]


def test_fidelity_is_measured_beside_its_floor_and_another_seed(age: Ager) -> None:
    words = ["aged.img", "churn", "--size", "128MiB", "--storage-age", "1", "--fidelity", "--json"]
    fidelity = document(age(*words))["fidelity"]
    assert (fidelity["mode"], fidelity["seeds"]) == ("fast", [1, 2])
    for name in ("extent_length", "free_length"):
        assert 0 <= fidelity[f"{name}_distance"] <= 1
        assert 0 <= fidelity[f"{name}_floor"] <= 1
        assert 0 < fidelity[f"{name}_other_seed"] <= 1


def test_what_is_too_small_for_the_profile_is_refused_and_nothing_stays(age: Ager) -> None:
    done = age("aged.img", "intermingled", "--size", "64MiB", "--set", "chunk=8MiB")
    assert done.returncode == 2 and "too small for the profile" in done.stderr
    assert list(age.folder.iterdir()) == []


def test_what_mount_refuses_is_said_and_nothing_stays(age: Ager) -> None:
    done = age("aged.img", "churn", "--size", "64MiB", "--mount", "nosuchoption")
    assert done.returncode == 2 and "nosuchoption" in done.stderr
    assert list(age.folder.iterdir()) == []


def test_running_out_of_room_half_way_is_a_finding_and_the_rest_is_kept(
    age: Ager, make_loop: MakeLoop
) -> None:
    """A folder whose file system others fill meanwhile: here its inodes end first."""
    device, point = make_loop(64 * MEBIBYTE), age.folder / "mounted"
    point.mkdir()
    run("mkfs.ext4", "-q", "-N", "200", device)
    run("mount", device, str(point))
    try:
        words = ["mounted", "git-like", "--size", "40MiB", "--storage-age", "1", "--json"]
        found = document(age(*words), code=1)
        assert found["failed"] > 0 and 0 < found["live_files"] < 200
        assert found["result"]["errors"][0]["errno"] == 28
        assert (age.folder / "mounted.after.json").exists()
    finally:
        run("umount", str(point))


def test_a_full_disk_below_an_image_is_a_finding_and_the_rest_is_kept(age: Ager) -> None:
    """The disk is memory, with room for a part of what is written."""
    disk, point = age.folder / "disk", age.folder / "mounted"
    disk.mkdir()
    point.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=64M", "none", str(disk))
    try:
        run("truncate", "--size", "512M", str(disk / "image"))
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=1,lazy_journal_init=1", str(disk / "image"))
        run("mount", "-o", "loop,noinit_itable", str(disk / "image"), str(point))
        try:
            words = ["mounted", "churn", "--size", "400MiB", "--mode", "direct"]
            done = age(*words, "--storage-age", "3")
            assert done.returncode == 1, done.stderr
            assert "finding" in done.stdout and "the disk below may be full" in done.stdout
            kept = json.loads((age.folder / "mounted.age.json").read_text())
            assert kept["ended"] == "gave_up" and kept["live_files"] > 0
        finally:
            run("umount", str(point))
    finally:
        _umount_when_free(disk)


def _umount_when_free(point: Path) -> None:
    """A server of a test beside this one has a copy of the mount table, and holds what was mounted
    when it started for as long as it lives, where / is not shared: the loop device goes after it.
    """
    end = time.monotonic() + 180
    while subprocess.run(["umount", point], capture_output=True, check=False).returncode:
        assert time.monotonic() < end, f"{point} is still in use"
        time.sleep(0.5)


def test_a_file_system_without_maps_of_extents_is_refused(age: Ager) -> None:
    point = age.folder / "memory"
    point.mkdir()
    run("mount", "-t", "tmpfs", "-o", "mode=755", "none", str(point))
    try:
        done = age("memory", "churn", "--size", "1MiB")
        assert done.returncode == 2 and "FIEMAP" in done.stderr
        assert list(point.iterdir()) == []
    finally:
        run("umount", str(point))


LONG = ["aged.img", "database", "--size", "512MiB", "--mode", "direct", "--storage-age", "1000"]


def test_ctrl_c_keeps_a_whole_image(age: Ager) -> None:
    process = age.start(*LONG)
    try:
        _until_ageing(age)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=patience(120))
    finally:
        process.kill()
    assert process.returncode == 130, error
    assert "stopped by Ctrl-C" in out and "stopping and keeping the result" in error
    kept = json.loads((age.folder / "aged.img.age.json").read_text())
    assert kept["ended"] == "interrupted" and kept["after"]["files"] == kept["live_files"]
    run("e2fsck", "-fn", str(age.folder / "aged.img"))


def test_ctrl_c_while_fidelity_is_measured_keeps_the_image(age: Ager) -> None:
    image = age.folder / "aged.img"
    words = ["aged.img", "churn", "--size", "400MiB", "--storage-age", "60", "--fidelity"]
    process = age.start(*words)
    try:
        until = time.monotonic() + 120
        while not (image.exists() and age.in_use()):
            assert time.monotonic() < until, "the second image was never made"
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=patience(120))
    finally:
        process.kill()
    assert process.returncode == 130, error
    assert "not measured" in out
    kept = json.loads((age.folder / "aged.img.age.json").read_text())
    assert kept["ended"] == "complete" and kept["fidelity"] is None


def test_after_a_kill_the_next_command_that_measures_undoes_everything(age: Ager) -> None:
    process = age.start(*LONG)
    _until_ageing(age)
    process.kill()
    process.communicate(timeout=patience(60))
    run(sys.executable, "-m", "fsgauge", "plan", "demo")
    assert age.in_use() == []
    assert list(age.folder.iterdir()) == []


def _until_ageing(age: Ager) -> None:
    """Until files are made in the image's file system."""
    until = time.monotonic() + 120
    while True:
        points = [Path(place) for place in age.in_use() if not place.startswith("/dev/")]
        if any(len(list(point.iterdir())) > 1 for point in points if point.is_dir()):
            return
        assert time.monotonic() < until, "ageing never began"
        time.sleep(0.05)
